/** Replays a coordinated rollout to its end, with the same function that makes the decisions. */
import { decideCoordination } from "./decide-coordination.ts";
import { applyCursor } from "./apply-cursor.ts";
import type {
  CoordinationPolicy,
  CoordinationSnapshot,
  StepProgress,
} from "./coordinated-roles.ts";
import type { CoordinationDecision, CoordinationReason } from "./coordination-decision.ts";

export interface ForeseenRole {
  readonly role: string;
  readonly desired: number;
  /** Units on the target revision once this step is over. */
  readonly updated: number;
  /** Units that change in this step, and so are down while it lasts. */
  readonly taken: number;
  readonly cursor: number;
}

export interface ForeseenCoordinationStep {
  readonly number: number;
  /** `wait`: starting units become available. `pause`: time passes, or a user promotes the step. */
  readonly kind: "begin" | "advance" | "wait" | "pause";
  /** How long a pause lasts; undefined when it lasts until a user promotes the step. */
  readonly pauseMs: number | undefined;
  readonly roles: readonly ForeseenRole[];
  readonly reason: CoordinationReason;
}

export interface ForeseenCoordination {
  readonly steps: readonly ForeseenCoordinationStep[];
  /** How it ends: done, or a hold that nothing in this model would free. */
  readonly end: "done" | "hold";
  readonly reason: CoordinationReason;
}

/** Ends: every round lowers a cursor, ends a pause or makes a unit available, and none of that is undone. */
export function foreseeCoordination(
  snapshot: CoordinationSnapshot,
  policy: CoordinationPolicy,
): ForeseenCoordination {
  const steps: ForeseenCoordinationStep[] = [];
  let now = snapshot;
  for (;;) {
    const decision = decideCoordination(now, policy);
    const kind = stepKind(decision);
    const after = kind === "pause" ? endPause(now, decision) : applyCursors(now, decision);
    const isAtRest = after.roles.every((role, at) => role === now.roles[at]) && kind === "wait";
    if (decision.kind === "done" || isAtRest) {
      const end = decision.kind === "done" ? "done" : "hold";
      return { steps, end, reason: decision.reason };
    }
    steps.push(foreseenStep(steps.length + 1, kind, decision, after));
    now = after;
  }
}

function stepKind({ kind, reason }: CoordinationDecision): ForeseenCoordinationStep["kind"] {
  if (reason.code === "StepPause" || reason.code === "AwaitsPromotion") return "pause";
  return kind === "begin" || kind === "advance" ? kind : "wait";
}

function applyCursors(
  now: CoordinationSnapshot,
  { roles, steps }: CoordinationDecision,
): CoordinationSnapshot {
  const cursors = new Map(roles.map(({ role, cursor }) => [role, cursor]));
  const updated = now.roles.map((role) => {
    const cursor = cursors.get(role.role);
    return cursor === undefined ? role : applyCursor(role, cursor, now.nowMs);
  });
  return { ...now, roles: updated, ...stepsField(steps) };
}

function endPause(
  now: CoordinationSnapshot,
  { steps, recheckAfterMs }: CoordinationDecision,
): CoordinationSnapshot {
  if (recheckAfterMs !== undefined) {
    return { ...now, nowMs: now.nowMs + recheckAfterMs, ...stepsField(steps) };
  }
  const passed = (steps?.passed ?? 0) + 1;
  return { ...now, steps: { revision: now.targetRevision, passed } };
}

function stepsField(steps: StepProgress | undefined): Pick<CoordinationSnapshot, "steps"> {
  return steps === undefined ? {} : { steps };
}

function foreseenStep(
  number: number,
  kind: ForeseenCoordinationStep["kind"],
  { roles, reason, recheckAfterMs: pauseMs }: CoordinationDecision,
  after: CoordinationSnapshot,
): ForeseenCoordinationStep {
  const desired = new Map(after.roles.map((role) => [role.role, role.desired]));
  return {
    number,
    kind,
    pauseMs,
    reason,
    roles: roles.map(({ role, cursor, updatedTarget: updated, taken }) => ({
      role,
      desired: desired.get(role) ?? 0,
      updated,
      taken,
      cursor: cursor.ordinal,
    })),
  };
}
