/** One rollout as a model: the planner decides, and users and failures interfere. */
import type { Decision } from "../../src/planner/decision.ts";
import { decide } from "../../src/planner/decide.ts";
import type { Policy } from "../../src/planner/policy.ts";
import type { Snapshot } from "../../src/planner/rollout.ts";
import type { Visit, Model } from "./explore.ts";
import { calmMoves, drawAction, hostileMoves, performAll } from "./rollout-moves.ts";
import { memoizeByKey } from "./memoize-by-key.ts";
import { brokenPromise } from "./rollout-promises.ts";
import {
  drawState,
  keyOf,
  policyIn,
  snapshotOf,
  startsOf,
  viewKeyOf,
  type RolloutScope,
  type RolloutState,
} from "./rollout-state.ts";
import { empty, withCondition } from "./slot.ts";

export type Decide = (snapshot: Snapshot, policy: Policy) => Decision;

interface Answer {
  readonly decision: Decision;
  readonly broken: string | undefined;
}

export function rolloutModel(scope: RolloutScope, planner: Decide = decide): Model<RolloutState> {
  const ask = (state: RolloutState): Answer => {
    const policy = policyIn(state, scope.policy);
    const snapshot = snapshotOf(state);
    const decision = planner(snapshot, policy);
    const broken = isAskedTwice(state)
      ? otherAnswer(decision, planner(shuffled(snapshot), policy))
      : undefined;
    return { decision, broken };
  };
  const askOnce = scope.maxLag === 0 ? ask : memoizeByKey(viewKeyOf, ask);
  const visit = (state: RolloutState, mayHarm: boolean): Visit<RolloutState> => {
    const policy = policyIn(state, scope.policy);
    const { decision, broken: unsteady } = askOnce(state);
    const { actions } = decision;
    const taken = new Set<number>();
    for (const action of actions) if (action.kind !== "create") taken.add(action.ordinal);
    const next = actions.length > 0 ? performAll(state, actions, scope) : state;
    const broken =
      brokenPromise({ state, policy, decision, next, seen: seenOf(state), taken }) ?? unsteady;
    const mayRest = decision.kind === "done" || (decision.kind === "hold" && state.paused);
    const moves = calmMoves(state, decision, next, scope);
    if (mayHarm) moves.push(...hostileMoves(state, decision, scope));
    const answer = (): string =>
      [decision.kind, ...actions.map(drawAction)].join(" ") + `: ${decision.reason.message}`;
    return { broken, answer, moves, mayRest };
  };
  return { starts: startsOf(scope), keyOf, visit, draw: drawState };
}

/** A unit whose deletion is requested counts as gone, however long the view still shows it. */
function seenOf({ slots, deleting }: RolloutState): readonly number[] {
  if (deleting === 0) return slots;
  return slots.map((slot, ordinal) =>
    slot !== empty && (deleting & (1 << ordinal)) !== 0 ? withCondition(slot, "terminating") : slot,
  );
}

/** Asking twice doubles the time, so in larger models only every fourth state is asked twice. */
const isAskedTwice = ({ slots }: RolloutState): boolean =>
  slots.length <= 3 || slots.reduce((sum, slot, at) => sum + slot * (at + 1), 0) % 4 === 0;

const shuffled = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  units: snapshot.units.toReversed(),
});

function otherAnswer(first: Decision, second: Decision): string | undefined {
  const isSame =
    first.reason.message === second.reason.message &&
    first.actions.length === second.actions.length &&
    first.actions.every((action, at) => {
      const other = second.actions[at]!;
      return action.kind === other.kind && action.ordinal === other.ordinal;
    });
  return isSame ? undefined : "P10 deterministic: another order of units, another answer";
}
