/** Says in one sentence why a role moves or waits. */
import { downInWords } from "../explain.ts";
import { isLetThrough, keptDown, unitName, unitsDown, unitsOnTheirWay } from "./role-waits.ts";
import type { KeptDown } from "./role-waits.ts";
import type { Wait } from "../decision.ts";
import type { RoleBound } from "./bound-roles.ts";
import type { CoordinationReason } from "./coordination-decision.ts";
import type { CursorMove } from "./move-cursor.ts";
import type { RoleTally } from "./tally-role.ts";

interface RolePlan {
  readonly role: RoleTally;
  readonly move: CursorMove;
  readonly bound: RoleBound;
  readonly maxSkewPercent: number | undefined;
}

interface RoleExplanation {
  readonly reason: CoordinationReason;
  readonly waits: readonly Wait[];
  readonly waitsForRole: string | undefined;
}

export function explainRole(plan: RolePlan): RoleExplanation {
  const { role, move } = plan;
  const plain = (reason: CoordinationReason, waits: readonly Wait[]): RoleExplanation => ({
    reason,
    waits,
    waitsForRole: undefined,
  });
  const isMoving = move.passed.length + move.sentAhead.length > 0;
  if (role.isFinished) return plain(isMoving ? advancing(role, move) : finished(role), []);
  const down = unitsDown(role);
  if (isMoving) return plain(advancing(role, move), down);
  if (move.stoppedBy === "bound") return atBound(plan, down);
  return move.stoppedBy === "budget" ? plain(budgetSpent(role, down), down) : notAvailable(role);
}

function advancing(role: RoleTally, { passed, sentAhead }: CursorMove): CoordinationReason {
  const total = `${role.asked + passed.length + sentAhead.length} of ${role.desired}`;
  const moved = [
    ...(passed.length === 0 ? [] : [range(role, passed)]),
    ...(sentAhead.length === 0 ? [] : [aheadInWords(role, sentAhead)]),
  ];
  const message = `${role.role} moves ${moved.join(", and ")}: ${total} updated or updating`;
  return { code: "Advancing", message };
}

function aheadInWords(role: RoleTally, ordinals: readonly number[]): string {
  const [turn, are] = ordinals.length === 1 ? ["its turn", "it is"] : ["their turn", "they are"];
  return `${range(role, ordinals)} ahead of ${turn} since ${are} down`;
}

function finished(role: RoleTally): CoordinationReason {
  if (role.updated === role.desired) {
    return { code: "RolledOut", message: `${role.role}: all ${role.desired} updated` };
  }
  const kept = `${role.partition} of ${role.desired} keep their revision`;
  return { code: "PartitionReached", message: `${role.role} is at its partition: ${kept}` };
}

function atBound(
  { role, bound, maxSkewPercent }: RolePlan,
  waits: readonly Wait[],
): RoleExplanation {
  const { partner } = bound;
  if (isBehindItself(role, partner)) return notAvailable(role);
  if (partner === undefined) {
    const message = `${role.role} has reached this step: ${bound.limit} of ${role.desired} updated`;
    const reason: CoordinationReason = { code: "WaitsForStep", message };
    return { reason, waits, waitsForRole: undefined };
  }
  const shown = `${partner.role} has ${partner.confirmed} of ${partner.desired} updated and available`;
  const rule = `maxSkew ${maxSkewPercent ?? 100}%`;
  const stand = `${role.role} has ${role.asked} of ${role.desired} updated or updating`;
  const message = `${role.role} waits for ${partner.role}: ${shown}, ${stand} (${rule})`;
  const reason: CoordinationReason = { code: "WaitsForRole", message };
  return { reason, waits, waitsForRole: partner.role };
}

/** Two roles must not be said to wait for each other: the one whose new units fail is the cause. */
function isBehindItself(role: RoleTally, partner: RoleTally | undefined): boolean {
  if (role.confirmed >= role.asked) return false;
  if (partner === undefined) return true;
  return role.confirmed * partner.desired <= partner.confirmed * role.desired;
}

function budgetSpent(role: RoleTally, waits: readonly Wait[]): CoordinationReason {
  const rule = downInWords(role.down, role.maxUnavailable, "unit");
  const kept = keptDown(role);
  if (kept === undefined) {
    return { code: "BudgetSpent", message: `${role.role} waits for ${named(waits)}: ${rule}` };
  }
  const message = `${role.role} waits for ${named(kept.units)}: ${rule}, ${wayOut(role, kept)}`;
  return { code: "KeptUnitDown", message };
}

function wayOut({ maxUnavailable }: RoleTally, { keeper, units }: KeptDown): string {
  const it = units.length === 1 ? "it" : "them";
  const raise = `raise maxUnavailable above ${maxUnavailable}`;
  switch (keeper) {
    case "partition":
      return `and the partition keeps ${it}; repair ${it}, lower the partition, or ${raise}`;
    case "workload":
      return `and units above ${it} are replaced first; repair ${it}, or ${raise}`;
  }
}

/** Whoever goes never becomes available: its successor does. */
function notAvailable(role: RoleTally): RoleExplanation {
  const waits = unitsOnTheirWay(role);
  const leaving = waits.filter(({ ordinal }) => isLeaving(role, ordinal));
  const staying = waits.filter((wait) => !leaving.includes(wait));
  const parts = [
    ...(staying.length === 0 ? [] : [`${named(staying)} to become available`]),
    ...(leaving.length === 0 ? [] : [`${named(leaving)} to be replaced`]),
  ];
  const message = `${role.role} waits for ${parts.join(" and ")}`;
  return { reason: { code: "UnitNotAvailable", message }, waits, waitsForRole: undefined };
}

function isLeaving(role: RoleTally, ordinal: number): boolean {
  const { unit, health, isUpdated } = role.places[ordinal] ?? {};
  const isToGo = unit !== undefined && isUpdated !== true && isLetThrough(role, ordinal);
  return health === "terminating" || isToGo;
}

function named(waits: readonly Wait[]): string {
  const shown = waits.slice(0, 3).map(({ unit }) => unit);
  return waits.length > 3 ? `${shown.join(", ")} and others` : shown.join(", ");
}

/** Ordinals come highest first; a gap is where a unit runs the target revision already. */
function range(role: RoleTally, ordinals: readonly number[]): string {
  const [high = 0, low = 0] = [ordinals[0], ordinals.at(-1)];
  if (ordinals.length === 1) return unitName(role, low);
  const span = `${unitName(role, low)} to ${unitName(role, high)}`;
  return high - low + 1 === ordinals.length ? span : `${ordinals.length} of ${span}`;
}
