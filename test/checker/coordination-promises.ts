/** The promises of coordination, checked against what was seen, what was decided and what is true. */
import type { CoordinationDecision } from "../../src/planner/coordination/coordination-decision.ts";
import {
  isAhead,
  isLetThrough,
  roleNames,
  type CoordinationScope,
  type CoordinationState,
  type RoleState,
} from "./coordination-state.ts";
import { empty, isAvailable, isTerminating, revisionIn, target } from "./slot.ts";

export interface CoordinationStep {
  readonly state: CoordinationState;
  readonly decision: CoordinationDecision;
  readonly acted: CoordinationState;
  readonly scope: CoordinationScope;
}

type Promised = (step: CoordinationStep) => string | undefined;

export function brokenPromise(step: CoordinationStep): string | undefined {
  for (const promised of promises) {
    const broken = promised(step);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

const isUpdated = (slot: number): boolean =>
  slot !== empty && !isTerminating(slot) && revisionIn(slot) === target;
const isConfirmed = (slot: number): boolean => isUpdated(slot) && isAvailable(slot);
const count = (slots: readonly number[], is: (slot: number, at: number) => boolean): number =>
  slots.reduce((sum, slot, at) => sum + Number(is(slot, at)), 0);

/** How many units the cursor lets change, or have changed already. */
const askedIn = (role: RoleState): number =>
  count(role.seen, (slot, at) => isUpdated(slot) || isLetThrough(role, at));

const firstRole = (
  { state, acted }: CoordinationStep,
  check: (before: RoleState, after: RoleState, at: number) => string | undefined,
): string | undefined => {
  for (const [at, before] of state.roles.entries()) {
    const broken = check(before, acted.roles[at]!, at);
    if (broken !== undefined) return broken;
  }
  return undefined;
};

const moves = (before: RoleState, after: RoleState): boolean =>
  before.template === target && (after.cursor !== before.cursor || after.ahead !== before.ahead);

const cursorNeverRises: Promised = (step) =>
  firstRole(step, (before, after, at) =>
    before.template === target && after.cursor > before.cursor
      ? `P5 the cursor of ${roleNames[at]} rises from ${before.cursor} to ${after.cursor}`
      : undefined,
  );

const staysAhead: Promised = (step) =>
  firstRole(step, (before, after, at) => {
    const back = before.seen.findIndex(
      (_, ordinal) => isLetThrough(before, ordinal) && !isLetThrough(after, ordinal),
    );
    return before.template === target && back >= 0
      ? `P5 ${roleNames[at]}-${back} was let through and is kept back again`
      : undefined;
  });

/** Whoever serves waits for its turn. */
const onlyDownGoAhead: Promised = (step) =>
  firstRole(step, (before, after, at) => {
    const early = before.seen.findIndex(
      (slot, ordinal) =>
        isAhead(after, ordinal) &&
        !isAhead(before, ordinal) &&
        (isAvailable(slot) || isUpdated(slot)),
    );
    return early < 0 ? undefined : `P1 ${roleNames[at]}-${early} goes ahead although it serves`;
  });

const beginsClosed: Promised = (step) =>
  firstRole(step, (before, after, at) => {
    if (after.template !== target) return `P6 ${roleNames[at]} is not turned to the target`;
    const isClosed = after.cursor >= before.seen.length && after.ahead === 0;
    if (before.template === target || isClosed) return undefined;
    return `P8 ${roleNames[at]} starts open, before any bound holds`;
  });

const onlyOnCurrentStatus: Promised = (step) => {
  const isCurrent = step.state.roles.every(({ observed }) => observed === target);
  if (isCurrent && !step.state.paused) return undefined;
  const why = step.state.paused ? "during a pause" : "on a status of the rollout before";
  return firstRole(step, (before, after, at) =>
    moves(before, after) ? `P8 ${roleNames[at]} moves ${why}` : undefined,
  );
};

const partitionKept: Promised = (step) =>
  firstRole(step, (before, after, at) => {
    const kept = Math.min(step.state.partition, before.seen.length);
    const isNeeded = step.state.roles.some(({ seen }) => !seen.every(isUpdated));
    const lowest = before.seen.findIndex(
      (_, ordinal) => isLetThrough(after, ordinal) && !isLetThrough(before, ordinal),
    );
    if (!moves(before, after) || !isNeeded || lowest < 0 || lowest >= kept) return undefined;
    return `P5 the partition keeps ${kept} of ${roleNames[at]}, and ${lowest} is let through`;
  });

/** A unit counts as down from the moment the cursor has passed it. */
const downIn = (slots: readonly number[], after: RoleState): number =>
  count(slots, (slot, at) => !isAvailable(slot) || (isLetThrough(after, at) && !isUpdated(slot)));

const budget: Promised = (step) =>
  firstRole(step, (before, after, at) => {
    if (!moves(before, after)) return undefined;
    const { maxUnavailable } = step.scope;
    const takes = before.seen.some(
      (slot, each) =>
        each >= after.cursor && each < before.cursor && isAvailable(slot) && !isUpdated(slot),
    );
    const down = downIn(before.seen, after);
    if (!takes || down <= maxUnavailable) return undefined;
    return `P1 budget: ${down} of ${roleNames[at]} are down or asked to go, ${maxUnavailable} may`;
  });

/** Units that are already down cost no budget, whatever is above them. */
const brokenIsFree: Promised = (step) => {
  const { decision, state } = step;
  if (decision.kind !== "hold" && decision.kind !== "advance") return undefined;
  return firstRole(step, (before, after, at) => {
    const { reason } = decision.roles.find(({ role }) => role === roleNames[at])!;
    if (reason.code !== "BudgetSpent" && reason.code !== "KeptUnitDown") return undefined;
    const waiting = before.seen.findIndex((slot, ordinal) => {
      const isDown = !isAvailable(slot) && !isUpdated(slot);
      return isDown && ordinal >= state.partition && !isLetThrough(after, ordinal);
    });
    return waiting < 0 ? undefined : `P3 ${roleNames[at]}-${waiting} waits for budget`;
  });
};

const isFinished = ({ seen }: RoleState, partition: number): boolean =>
  seen.every((slot, at) => at < Math.min(partition, seen.length) || isConfirmed(slot));

/** In hundredths of units of both sizes, so that nothing is ever rounded. */
const skew: Promised = (step) => {
  const { maxSkewPercent } = step.scope;
  if (maxSkewPercent === undefined) return undefined;
  const { roles, partition } = step.state;
  return firstRole(step, (before, after, at) => {
    if (!moves(before, after)) return undefined;
    const partner = roles[1 - at]!;
    const asked = askedIn({ ...before, cursor: after.cursor, ahead: after.ahead });
    if (asked === askedIn(before) || isFinished(partner, partition)) return undefined;
    const [own, other] = [before.seen.length, partner.seen.length];
    const lead = 100 * (asked * other - count(partner.seen, isConfirmed) * own);
    if (lead <= maxSkewPercent * own * other + 100 * other) return undefined;
    return `P8 skew: ${asked} of ${own} ${roleNames[at]} asked, the partner is too far behind`;
  });
};

const doneIsDone: Promised = ({ state, decision }) => {
  if (decision.kind !== "done") return undefined;
  const late = state.roles.findIndex((role) => !isFinished(role, state.partition));
  return late < 0 ? undefined : `P7 done is said too early: ${roleNames[late]} is not there`;
};

const explained: Promised = ({ decision }) => {
  const { reason, roles, kind } = decision;
  if (reason.message === "") return "P7 the decision has no reason";
  if (kind !== "hold" || reason.code === "Paused" || reason.code === "StatusNotCurrent")
    return undefined;
  const isNamed = roles.some(({ waits }) => waits.length > 0);
  if (!isNamed) return `P7 it holds (${reason.code}) and names nobody`;
  const isCircle = roles.every(({ waitsForRole }) => waitsForRole !== undefined);
  return isCircle ? "P7 the roles are said to wait for each other" : undefined;
};

const promises: readonly Promised[] = [
  cursorNeverRises,
  staysAhead,
  onlyDownGoAhead,
  beginsClosed,
  onlyOnCurrentStatus,
  partitionKept,
  budget,
  brokenIsFree,
  skew,
  doneIsDone,
  explained,
];
