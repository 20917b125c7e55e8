/** Says in one sentence why a role moves or waits. */
import { unitsDown } from "./role-waits.ts";
import type { Wait } from "../decision.ts";
import type { RoleBound } from "./bound-roles.ts";
import type { CoordinationReason } from "./coordination-decision.ts";
import type { CursorMove } from "./move-cursor.ts";
import type { RoleTally } from "./tally-role.ts";

export interface RolePlan {
  readonly role: RoleTally;
  readonly move: CursorMove;
  readonly bound: RoleBound;
  readonly maxSkewPercent: number | undefined;
}

export interface RoleExplanation {
  readonly reason: CoordinationReason;
  readonly waits: readonly Wait[];
  readonly waitsForRole: string | undefined;
}

export function explainRole(plan: RolePlan): RoleExplanation {
  const { role, move } = plan;
  const waits = role.isFinished ? [] : unitsDown(role);
  const plain = (reason: CoordinationReason): RoleExplanation => ({
    reason,
    waits,
    waitsForRole: undefined,
  });
  if (move.taken > 0) return plain(advancing(role, move));
  if (role.isFinished) return plain(finished(role));
  if (move.stoppedBy === "bound") return atBound(plan, waits);
  if (move.stoppedBy === "budget") return plain(budgetSpent(role, waits));
  return plain(notAvailable(role, waits));
}

function advancing(role: RoleTally, { taken, cursor }: CursorMove): CoordinationReason {
  const units = range(role.role, cursor, role.cursor);
  const total = `${role.asked + taken} of ${role.desired}`;
  return {
    code: "Advancing",
    message: `${role.role} moves ${units}: ${total} on the new revision`,
  };
}

function finished(role: RoleTally): CoordinationReason {
  if (role.updated === role.desired) {
    return { code: "RolledOut", message: `${role.role}: all ${role.desired} updated` };
  }
  const kept = `${role.partition} of ${role.desired} keep their revision`;
  return { code: "PartitionReached", message: `${role.role} is at its partition: ${kept}` };
}

function atBound({ role, bound, maxSkewPercent }: RolePlan, waits: readonly Wait[]) {
  const { partner } = bound;
  // Its own units come first: a partner that catches up would not help while they are down.
  const isBehindItself = role.confirmed < role.asked && (partner === undefined || waits.length > 0);
  if (partner === undefined) {
    const reason: CoordinationReason = isBehindItself
      ? notAvailable(role, waits)
      : {
          code: "WaitsForStep",
          message: `${role.role} has the ${bound.limit} of ${role.desired} this step wants`,
        };
    return { reason, waits, waitsForRole: undefined };
  }
  const shown = `${partner.confirmed} of ${partner.desired} updated and available`;
  const rule = `maxSkew ${maxSkewPercent ?? 100}%`;
  const stand = `${role.asked} of ${role.desired} asked`;
  const message = `${role.role} waits for ${partner.role}: ${shown}, ${stand} (${rule})`;
  const reason: CoordinationReason = { code: "WaitsForRole", message };
  return { reason, waits, waitsForRole: partner.role };
}

function budgetSpent(role: RoleTally, waits: readonly Wait[]): CoordinationReason {
  const rule = `${role.down} down, ${role.maxUnavailable} may be`;
  return { code: "BudgetSpent", message: `${role.role} waits for ${named(waits)}: ${rule}` };
}

function notAvailable(role: RoleTally, waits: readonly Wait[]): CoordinationReason {
  const message = `${role.role} waits for ${named(waits)} to become available`;
  return { code: "UnitNotAvailable", message };
}

function named(waits: readonly Wait[]): string {
  const shown = waits.slice(0, 3).map(({ unit }) => unit);
  return waits.length > 3 ? `${shown.join(", ")} and others` : shown.join(", ");
}

function range(role: string, from: number, to: number): string {
  return to - from === 1 ? `${role}-${from}` : `${role}-${from} to ${role}-${to - 1}`;
}
