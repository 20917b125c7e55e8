/** Draws coordinated roles and plays their rollouts, one settled step after the other. */
import { foreseeCoordination } from "../../src/planner/coordination/foresee-coordination.ts";
import { resolveCoordination } from "../../src/planner/coordination/resolve-coordination.ts";
import type {
  CoordinatedRole,
  CoordinationPolicy,
  CoordinationSnapshot,
} from "../../src/planner/coordination/coordinated-roles.ts";
import type { CoordinationAmounts } from "../../src/planner/coordination/resolve-coordination.ts";
import type { Unit, UnitHealth } from "../../src/planner/unit.ts";

const healthByMark: Record<string, UnitHealth> = {
  "!": "unavailable",
  "~": "terminating",
  "?": "pending",
  "'": "ready",
};

/** `v1 v2! v2~ v2?` from ordinal 0 up; `!` broken, `~` terminating, `?` starting, `'` ready, `_` missing. */
export function drawnUnits(role: string, drawing: string): Unit[] {
  const marks = drawing.split(" ").filter((mark) => mark !== "");
  return marks.flatMap((mark, ordinal) => {
    if (mark === "_") return [];
    const health = healthByMark[mark.slice(-1)] ?? "available";
    return [unitOf(role, ordinal, mark.replace(/[!~?']$/, ""), health)];
  });
}

export function unitOf(
  role: string,
  ordinal: number,
  revision: string,
  health: UnitHealth = "available",
): Unit {
  const name = `${role}-${ordinal}`;
  const id = `${name}/${revision}`;
  return { name, id, ordinal, revision, health, scheduled: true, createdAtMs: 0 };
}

/** A role of `desired` units whose highest `updated` ones run v2 and serve, cursor to match. */
export function roleOf(role: string, desired: number, updated = 0): CoordinatedRole {
  const ordinal = desired - updated;
  const units = Array.from({ length: desired }, (_, at) =>
    unitOf(role, at, at >= ordinal ? "v2" : "v1"),
  );
  return { role, desired, units, cursor: { revision: "v2", ordinal }, observedRevision: "v2" };
}

/** A role as drawn, in the middle of a rollout to v2. */
export function drawnRole(role: string, drawing: string, ordinal: number): CoordinatedRole {
  const units = drawnUnits(role, drawing);
  const desired = drawing.split(" ").length;
  return { role, desired, units, cursor: { revision: "v2", ordinal }, observedRevision: "v2" };
}

export function coordinationSnapshot(
  roles: readonly CoordinatedRole[],
  change: Partial<CoordinationSnapshot> = {},
): CoordinationSnapshot {
  return { nowMs: 0, targetRevision: "v2", paused: false, roles, ...change };
}

export function coordinationPolicy(
  amounts: CoordinationAmounts,
  roles: readonly Pick<CoordinatedRole, "role" | "desired">[],
): CoordinationPolicy {
  const desired = Object.fromEntries(roles.map((role) => [role.role, role.desired]));
  const resolved = resolveCoordination(amounts, desired);
  if (resolved.kind === "invalid") throw new RangeError(`${resolved.problem}: ${resolved.fix}`);
  return resolved.policy;
}

/** `10/5` after each step that changes something: the updated units in the order of `roles`. */
export function trace(
  roles: readonly CoordinatedRole[],
  amounts: CoordinationAmounts,
  change: Partial<CoordinationSnapshot> = {},
): string[] {
  const foreseen = foreseeCoordination(
    coordinationSnapshot(roles, change),
    coordinationPolicy(amounts, roles),
  );
  const drawn = foreseen.steps.map(({ kind, roles: shown, pauseMs }) => {
    if (kind === "pause") return pauseMs === undefined ? "promote" : `${pauseMs / 1000}s`;
    const updated = new Map(shown.map((role) => [role.role, role.updated]));
    const progress = roles.map(({ role }) => updated.get(role)).join("/");
    return kind === "advance" ? progress : `${kind} ${progress}`;
  });
  return [...drawn, foreseen.end === "done" ? "done" : `hold ${foreseen.reason.code}`];
}
