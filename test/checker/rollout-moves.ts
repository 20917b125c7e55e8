/** Everything that can happen to a rollout next: the controller acts, units progress, people interfere. */
import type { Action, Decision } from "../../src/planner/decision.ts";
import type { Move } from "./explore.ts";
import {
  happen,
  observe,
  restarted,
  worldOf,
  type RolloutScope,
  type RolloutState,
} from "./rollout-state.ts";
import {
  afterRetarget,
  afterRollback,
  conditionIn,
  empty,
  isAvailable,
  isLive,
  isTerminating,
  revisionIn,
  revisions,
  slotOf,
  target,
  withCondition,
  type Condition,
} from "./slot.ts";

type RolloutMove = Move<RolloutState>;

/** What happens without interference; `acted` is the state after the decision. */
export function calmMoves(
  state: RolloutState,
  decision: Decision,
  acted: RolloutState,
  scope: RolloutScope,
): RolloutMove[] {
  const { actions } = decision;
  const moves: RolloutMove[] = [];
  if (actions.length > 0) {
    moves.push(fair(() => `controller ${actions.map(drawAction).join(" ")}`, acted));
  }
  if (state.unseen.length > 0) moves.push(fair(() => "controller sees more", observe(state)));
  if (state.paused) {
    moves.push({ ...fair(() => "user resumes", { ...state, paused: false }), isFair: false });
  }
  const world = worldOf(state);
  for (let ordinal = 0; ordinal < world.length; ordinal += 1) {
    const move = onwards(state, world[ordinal]!, ordinal, scope);
    if (move !== undefined) moves.push(move);
  }
  return moves;
}

/** What people, nodes and crashes of the controller may do to it. */
export function hostileMoves(
  state: RolloutState,
  decision: Decision,
  scope: RolloutScope,
): RolloutMove[] {
  const moves = [...crashes(state, decision.actions, scope), ...steering(state, scope)];
  const world = worldOf(state);
  for (let ordinal = 0; ordinal < world.length; ordinal += 1) {
    if (isLive(world[ordinal]!)) moves.push(...harm(state, world[ordinal]!, ordinal, scope));
  }
  return moves;
}

const fair = (label: () => string, next: RolloutState): RolloutMove => ({
  label,
  next,
  isHostile: false,
  isFair: true,
});
const hostile = (label: () => string, next: RolloutState): RolloutMove => ({
  label,
  next,
  isHostile: true,
  isFair: false,
});

const marks = { create: "+", replace: "↻", delete: "-" } as const;
export const drawAction = ({ kind, ordinal }: Action): string => `${marks[kind]}${ordinal}`;

/** Every write refers to what was seen when it was decided, so nothing is seen in between. */
export function performAll(
  state: RolloutState,
  actions: readonly Action[],
  scope: RolloutScope,
): RolloutState {
  let next = state;
  for (const action of actions) next = perform(next, action, scope);
  while (next.unseen.length > scope.maxLag) next = observe(next);
  return next;
}

/**
 * A name is taken while its unit exists, and a deletion is of one incarnation. The deletion of a unit
 * that does not serve also carries its resourceVersion: it fails if the unit has recovered unseen.
 */
function perform(state: RolloutState, action: Action, scope: RolloutScope): RolloutState {
  const { ordinal } = action;
  const there = worldOf(state)[ordinal];
  if (there === undefined) return state;
  if (action.kind === "create") {
    if (there !== empty) return state;
    const revision = revisions.findIndex((name) => name === action.revision);
    const slot = slotOf(revision, scope.isDetailed ? "unscheduled" : "pending");
    const asked = { ...state, creating: state.creating.with(ordinal, revision + 1) };
    return happen(asked, { ordinal, slot, isNew: true }, lagWithin(scope));
  }
  const seen = state.slots[ordinal]!;
  const isSuccessor = state.unseen.some((sight) => sight.ordinal === ordinal && sight.isNew);
  const isChanged = !isAvailable(seen) && seen !== there;
  if (there === empty || isSuccessor || isChanged) return state;
  const asked = { ...state, deleting: state.deleting | (1 << ordinal) };
  if (isTerminating(there)) return asked;
  const slot = withCondition(there, "terminating");
  return happen(asked, { ordinal, slot, isNew: false }, lagWithin(scope));
}

/** While one decision is performed nothing more is seen, unless there is no lag at all. */
const lagWithin = ({ maxLag }: RolloutScope): number =>
  maxLag === 0 ? 0 : Number.POSITIVE_INFINITY;

/** The controller crashes between two writes or after the last one, and what it kept in memory is lost. */
function crashes(
  state: RolloutState,
  actions: readonly Action[],
  scope: RolloutScope,
): RolloutMove[] {
  const moves: RolloutMove[] = [];
  for (let count = 1; count < actions.length; count += 1) {
    const done = actions.slice(0, count);
    const label = (): string => `controller crashes after ${done.map(drawAction).join(" ")}`;
    moves.push(hostile(label, restarted(performAll(state, done, scope))));
  }
  if (state.unseen.length > 0) moves.push(hostile(() => "controller restarts", restarted(state)));
  return moves;
}

function steering(state: RolloutState, { units, policy }: RolloutScope): RolloutMove[] {
  const { desired, paused, partition } = state;
  const moves: RolloutMove[] = [
    hostile(
      () => "user sets a new revision (v2 is v1 now)",
      mapRevisions(state, afterRetarget, (asked) => (asked === 0 ? 0 : Math.min(3, asked + 1))),
    ),
    hostile(
      () => "user rolls back (v1 is v2 now)",
      mapRevisions(state, afterRollback, (asked) =>
        asked === 1 || asked === 2 ? 3 - asked : asked,
      ),
    ),
  ];
  if (!paused) moves.push(hostile(() => "user pauses", { ...state, paused: true }));
  const scaleTo = (to: number): RolloutMove =>
    hostile(() => `user scales to ${to}`, { ...state, desired: to });
  if (desired < units) moves.push(scaleTo(desired + 1));
  if (desired > 0) moves.push(scaleTo(desired - 1));
  if (policy.kind === "onDelete") return moves;
  for (let to = 0; to <= units; to += 1) {
    if (to === partition) continue;
    moves.push(hostile(() => `user sets partition ${to}`, { ...state, partition: to }));
  }
  return moves;
}

const mapRevisions = (
  state: RolloutState,
  change: (slot: number) => number,
  changeAsked: (asked: number) => number,
): RolloutState => ({
  ...state,
  slots: state.slots.map(change),
  unseen: state.unseen.map((sight) => ({ ...sight, slot: change(sight.slot) })),
  creating: state.creating.map(changeAsked),
});

function onwards(
  state: RolloutState,
  slot: number,
  ordinal: number,
  scope: RolloutScope,
): RolloutMove | undefined {
  if (slot === empty) return undefined;
  const to = (next: number): RolloutState =>
    happen(state, { ordinal, slot: next, isNew: false }, scope.maxLag);
  if (isTerminating(slot)) return fair(() => `web-${ordinal} is gone`, to(empty));
  const condition = nextCondition(conditionIn(slot), scope);
  if (condition === undefined) return undefined;
  const isFair = recoversByItself(state, slot, ordinal, scope);
  const label = (): string => `web-${ordinal} becomes ${condition}`;
  return { label, next: to(withCondition(slot, condition)), isHostile: false, isFair };
}

function harm(
  state: RolloutState,
  slot: number,
  ordinal: number,
  scope: RolloutScope,
): RolloutMove[] {
  const become = (condition: Condition): RolloutState =>
    happen(state, { ordinal, slot: withCondition(slot, condition), isNew: false }, scope.maxLag);
  const moves = [hostile(() => `adversary removes web-${ordinal}`, become("terminating"))];
  const condition = conditionIn(slot);
  if (condition === "failed") return moves;
  if (condition !== "unavailable") {
    moves.push(hostile(() => `adversary breaks web-${ordinal}`, become("unavailable")));
  }
  if (scope.isDetailed) {
    moves.push(hostile(() => `adversary makes web-${ordinal} fail`, become("failed")));
  }
  return moves;
}

function nextCondition(condition: Condition, { isDetailed }: RolloutScope): Condition | undefined {
  switch (condition) {
    case "unscheduled":
      return "pending";
    case "pending":
      return isDetailed ? "ready" : "available";
    case "ready":
    case "unavailable":
      return "available";
    case "available":
    case "failed":
    case "terminating":
      return undefined;
  }
}

/**
 * A broken unit of the target recovers in the end. One that a new revision is meant to fix does not: otherwise
 * a rollout that waits for the very unit it should replace would seem to make progress.
 */
function recoversByItself(
  { partition, desired }: RolloutState,
  slot: number,
  ordinal: number,
  { policy }: RolloutScope,
): boolean {
  if (revisionIn(slot) === target || policy.kind === "onDelete") return true;
  if (conditionIn(slot) === "ready") return true;
  return ordinal < partition || ordinal >= desired || policy.brokenUnits === "wait";
}
