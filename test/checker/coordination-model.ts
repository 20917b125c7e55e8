/** Two coordinated roles as a model, and the configurations that are verified. */
import type { CoordinationDecision } from "../../src/planner/coordination/coordination-decision.ts";
import type {
  CoordinationPolicy,
  CoordinationSnapshot,
} from "../../src/planner/coordination/coordinated-roles.ts";
import { decideCoordination } from "../../src/planner/coordination/decide-coordination.ts";
import type { Case } from "./case.ts";
import { act, calmMoves, hostileMoves } from "./coordination-moves.ts";
import { brokenPromise } from "./coordination-promises.ts";
import {
  drawState,
  keyOf,
  policyOf,
  snapshotOf,
  startsOf,
  type CoordinationScope,
  type CoordinationState,
} from "./coordination-state.ts";
import { explore, type Look, type Model } from "./explore.ts";

export type DecideCoordination = (
  snapshot: CoordinationSnapshot,
  policy: CoordinationPolicy,
) => CoordinationDecision;

export function coordinationModel(
  scope: CoordinationScope,
  planner: DecideCoordination = decideCoordination,
): Model<CoordinationState> {
  const look = (state: CoordinationState, mayHarm: boolean): Look<CoordinationState> => {
    const policy = policyOf(state, scope);
    const snapshot = snapshotOf(state);
    const decision = planner(snapshot, policy);
    const acted = act(state, decision);
    const broken =
      brokenPromise({ state, decision, acted, scope }) ??
      otherAnswer(decision, planner(shuffled(snapshot), policy));
    const moves = calmMoves(state, decision, acted, scope);
    if (mayHarm) moves.push(...hostileMoves(state, scope));
    const answer = (): string =>
      `${decision.kind} ${acted.roles.map(({ cursor }) => cursor).join("/")}: ${decision.reason.message}`;
    return { broken, answer, moves, mayRest: decision.kind === "done" || state.paused };
  };
  return { starts: startsOf(scope), keyOf, look, draw: drawState };
}

const shuffled = (snapshot: CoordinationSnapshot): CoordinationSnapshot => ({
  ...snapshot,
  roles: snapshot.roles.map((role) => ({ ...role, units: role.units.toReversed() })).toReversed(),
});

function otherAnswer(
  first: CoordinationDecision,
  second: CoordinationDecision,
): string | undefined {
  const isSame =
    first.reason.message === second.reason.message &&
    first.roles.every(({ cursor }, at) => cursor.ordinal === second.roles[at]?.cursor.ordinal);
  return isSame ? undefined : "P10 deterministic: another order of units, another answer";
}

const skews = [0, 10, 34, 50, 100, undefined] as const;
const sizesUpTo = (units: number): [number, number][] =>
  Array.from({ length: units }, (_, at): [number, number] => [units, at + 1]);

export interface CoordinationTrial {
  readonly units: number;
  readonly maxFaults: number;
  readonly isStale: boolean;
}

export const wholeCoordination: readonly CoordinationTrial[] = [
  { units: 1, maxFaults: 2, isStale: true },
  { units: 2, maxFaults: 2, isStale: false },
  { units: 2, maxFaults: 1, isStale: true },
  { units: 3, maxFaults: 1, isStale: false },
];
export const quickCoordination: readonly CoordinationTrial[] = [
  { units: 1, maxFaults: 1, isStale: false },
  { units: 1, maxFaults: 0, isStale: true },
  { units: 2, maxFaults: 0, isStale: false },
];

export function coordinationCases(
  trials: readonly CoordinationTrial[],
  planner?: DecideCoordination,
): Case[] {
  return trials.flatMap(({ units, maxFaults, isStale }) =>
    sizesUpTo(units).flatMap((sizes) =>
      skews.flatMap((maxSkewPercent) =>
        Array.from({ length: units }, (_, at) => at + 1).map((maxUnavailable): Case => {
          const skew = maxSkewPercent === undefined ? "no maxSkew" : `maxSkew ${maxSkewPercent}%`;
          const faults = Number.isFinite(maxFaults) ? maxFaults : "any number of";
          const view = isStale ? ", stale views" : "";
          const scope = { sizes, maxUnavailable, maxSkewPercent, isStale, maxFaults };
          return {
            group: `coordination: two roles of up to ${units}, ${faults} faults${view}`,
            policy: "coordination",
            units,
            name: `coordination ${sizes.join("/")}, ${skew}, maxUnavailable ${maxUnavailable}${view}`,
            run: () => explore(coordinationModel(scope, planner), maxFaults),
          };
        }),
      ),
    ),
  );
}
