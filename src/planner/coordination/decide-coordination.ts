/** Decides how far each of several coordinated roles may change now. */
import { boundBySkew, goalOfSteps } from "./bound-roles.ts";
import { explainRole } from "./explain-role.ts";
import { moveCursor } from "./move-cursor.ts";
import { passSteps } from "./pass-steps.ts";
import { tallyRole } from "./tally-role.ts";
import type { RoleBound } from "./bound-roles.ts";
import type {
  CoordinatedRole,
  CoordinationPolicy,
  CoordinationSnapshot,
  RoleLimits,
} from "./coordinated-roles.ts";
import type {
  CoordinationDecision,
  CoordinationReason,
  RoleDecision,
} from "./coordination-decision.ts";
import type { StepStand } from "./pass-steps.ts";
import type { RoleTally } from "./tally-role.ts";

const noLimits: RoleLimits = { maxUnavailable: 1, partition: 0 };

/**
 * Pure: the same snapshot always gives the same decision. All roles move in the same decision as far
 * as their bounds allow. A cursor only ever falls; it starts at the top again only when the target
 * changes.
 */
export function decideCoordination(
  snapshot: CoordinationSnapshot,
  policy: CoordinationPolicy,
): CoordinationDecision {
  const roles = snapshot.roles.toSorted((a, b) => (a.role < b.role ? -1 : 1));
  if (roles.some((role) => role.cursor?.revision !== snapshot.targetRevision)) {
    return begin(roles, snapshot);
  }
  const tallies = tallyRoles(roles, policy, snapshot);
  const steps = passSteps(snapshot, policy.pace, tallies);
  const stop = stopReason(roles, snapshot, steps);
  const planned = roles.map((role, at) => {
    const tally = tallies[at] ?? tallyRole(role, noLimits, snapshot);
    return stop === undefined
      ? decideRole(role, tally, boundOf(tally, tallies, policy, steps), policy)
      : standStill(role, tally, stop);
  });
  return whole(planned, snapshot, steps, stop);
}

function tallyRoles(
  roles: readonly CoordinatedRole[],
  { limits }: CoordinationPolicy,
  snapshot: CoordinationSnapshot,
): readonly RoleTally[] {
  const limitsOf = ({ role }: CoordinatedRole): RoleLimits => limits[role] ?? noLimits;
  const tallies = roles.map((role) => tallyRole(role, limitsOf(role), snapshot));
  if (tallies.some(({ updated, desired }) => updated < desired)) return tallies;
  // With nothing outdated anywhere there is nothing to keep back, whatever the partition says.
  return roles.map((role) => tallyRole(role, { ...limitsOf(role), partition: 0 }, snapshot));
}

function stopReason(
  roles: readonly CoordinatedRole[],
  { targetRevision, paused }: CoordinationSnapshot,
  steps: StepStand,
): CoordinationReason | undefined {
  if (paused) return { code: "Paused", message: "the rollout is paused" };
  const stale = roles.filter(
    ({ desired, observedRevision }) => desired > 0 && observedRevision !== targetRevision,
  );
  if (stale.length > 0) {
    const names = stale.map(({ role }) => role).join(", ");
    const message = `waiting for the status of ${names} to report revision ${targetRevision}`;
    return { code: "StatusNotCurrent", message };
  }
  return steps.pause;
}

function boundOf(
  tally: RoleTally,
  tallies: readonly RoleTally[],
  { pace }: CoordinationPolicy,
  steps: StepStand,
): RoleBound {
  if (pace.kind === "steps") {
    const limit = goalOfSteps(pace, steps.progress?.passed ?? 0, tally);
    return { limit, partner: undefined };
  }
  if (pace.maxSkewPercent === undefined) return { limit: tally.desired, partner: undefined };
  return boundBySkew(tally, tallies, pace.maxSkewPercent);
}

function decideRole(
  { cursor: held }: CoordinatedRole,
  tally: RoleTally,
  bound: RoleBound,
  { pace }: CoordinationPolicy,
): RoleDecision {
  const move = moveCursor(tally, bound.limit);
  const maxSkewPercent = pace.kind === "skew" ? pace.maxSkewPercent : undefined;
  const explanation = explainRole({ role: tally, move, bound, maxSkewPercent });
  const revision = held?.revision ?? "";
  const ordinal = move.cursor < tally.cursor ? move.cursor : (held?.ordinal ?? move.cursor);
  const taken = move.passed.length + move.sentAhead.length;
  const cursor = {
    revision,
    ordinal,
    ...(move.ahead.length === 0 ? {} : { ahead: move.ahead }),
  };
  return { role: tally.role, cursor, updatedTarget: tally.asked + taken, taken, ...explanation };
}

function standStill(
  { role, cursor, desired }: CoordinatedRole,
  { asked }: RoleTally,
  reason: CoordinationReason,
): RoleDecision {
  const held = cursor ?? { revision: "", ordinal: desired };
  return {
    role,
    cursor: held,
    updatedTarget: asked,
    taken: 0,
    reason,
    waitsForRole: undefined,
    waits: [],
  };
}

/**
 * The first write of a rollout carries the new template and a cursor that lets nothing through. Only
 * a role that never rolled and has nothing outdated starts with an open one: it is new itself.
 */
function begin(
  roles: readonly CoordinatedRole[],
  snapshot: CoordinationSnapshot,
): CoordinationDecision {
  const { targetRevision: revision, targetName = revision } = snapshot;
  const decided = roles.map(({ role, desired, units, cursor }) => {
    const isNew = cursor === undefined && units.every((unit) => unit.revision === revision);
    const closed = { revision, ordinal: isNew ? 0 : desired };
    const next = cursor?.revision === revision ? cursor : closed;
    const message = `${role} starts to move to revision ${targetName}`;
    const reason: CoordinationReason = { code: "Starting", message };
    const updated = units.filter((unit) => unit.revision === revision && unit.ordinal < desired);
    return {
      role,
      cursor: next,
      updatedTarget: isNew ? desired : updated.length,
      taken: 0,
      reason,
      waitsForRole: undefined,
      waits: [],
    };
  });
  const names = decided.map(({ role }) => role).join(", ");
  const message = `starting to move ${names} to revision ${targetName}; no unit changes yet`;
  return {
    kind: "begin",
    roles: decided,
    reason: { code: "Starting", message },
    steps: undefined,
    recheckAfterMs: undefined,
  };
}

function whole(
  decided: readonly RoleDecision[],
  snapshot: CoordinationSnapshot,
  { progress: steps, recheckAfterMs = nextAvailableInMs(snapshot) }: StepStand,
  stop: CoordinationReason | undefined,
): CoordinationDecision {
  const answer = { roles: decided, steps, recheckAfterMs };
  if (stop !== undefined) return { kind: "hold", ...answer, reason: stop };
  const held = new Map(snapshot.roles.map(({ role, cursor }) => [role, cursor?.ordinal]));
  const isMoving = decided.some(
    ({ role, cursor, taken }) => taken > 0 || cursor.ordinal !== held.get(role),
  );
  if (isMoving) return { kind: "advance", ...answer, reason: summary(decided, "Advancing") };
  const isDone = decided.every(({ reason }) => finishedCodes.has(reason.code));
  if (!isDone) return { kind: "hold", ...answer, reason: summary(decided, blockingCode(decided)) };
  const isPartly = decided.some(({ reason }) => reason.code === "PartitionReached");
  const code = isPartly ? "PartitionReached" : "RolledOut";
  return { kind: "done", ...answer, reason: summary(decided, code) };
}

const finishedCodes = new Set<string>(["RolledOut", "PartitionReached"]);

/** A role that waits for another is a consequence; the role that waits for its own units is the cause. */
function blockingCode(decided: readonly RoleDecision[]): CoordinationReason["code"] {
  const waiting = decided
    .map(({ reason }) => reason.code)
    .filter((code) => !finishedCodes.has(code));
  const root = waiting.find((code) => code !== "WaitsForRole" && code !== "WaitsForStep");
  return root ?? waiting[0] ?? "UnitNotAvailable";
}

function summary(
  decided: readonly RoleDecision[],
  code: CoordinationReason["code"],
): CoordinationReason {
  const isOpen = ({ reason }: RoleDecision): boolean => !finishedCodes.has(reason.code);
  const shown = decided.some(isOpen) ? decided.filter(isOpen) : decided;
  return { code, message: shown.map(({ reason }) => reason.message).join("; ") };
}

/** When time alone makes the next unit available, so that the decision does not wait for an event. */
function nextAvailableInMs({ roles, nowMs }: CoordinationSnapshot): number | undefined {
  let earliestRequeue = Infinity;
  for (const { units } of roles) {
    for (const { health, availableAtMs = Infinity } of units) {
      if (health === "ready" && availableAtMs > nowMs)
        earliestRequeue = Math.min(earliestRequeue, availableAtMs);
    }
  }
  return earliestRequeue === Infinity ? undefined : earliestRequeue - nowMs;
}
