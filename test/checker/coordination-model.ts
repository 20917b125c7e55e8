/** Two coordinated roles as a model, and the configurations that are verified. */
import type { CoordinationDecision } from "../../src/planner/coordination/coordination-decision.ts";
import { reachBeyond } from "../../src/planner/coordination/bound-roles.ts";
import type {
  CoordinationPolicy,
  CoordinationSnapshot,
  Cursor,
} from "../../src/planner/coordination/coordinated-roles.ts";
import { decideCoordination } from "../../src/planner/coordination/decide-coordination.ts";
import type { Case } from "./case.ts";
import { memoizeByKey } from "./memoize-by-key.ts";
import { act, calmMoves, hostileMoves } from "./coordination-moves.ts";
import { brokenPromise } from "./coordination-promises.ts";
import {
  drawState,
  keyOf,
  policyOf,
  roleNames,
  snapshotOf,
  startsOf,
  viewKeyOf,
  type CoordinationScope,
  type CoordinationState,
} from "./coordination-state.ts";
import { explore, type Visit, type Model } from "./explore.ts";

export type DecideCoordination = (
  snapshot: CoordinationSnapshot,
  policy: CoordinationPolicy,
) => CoordinationDecision;

/** What the planner answers to a view, and which promise that breaks. */
interface Answer {
  readonly decision: CoordinationDecision;
  readonly broken: string | undefined;
}

export function coordinationModel(
  scope: CoordinationScope,
  planner: DecideCoordination = decideCoordination,
): Model<CoordinationState> {
  const ask = (state: CoordinationState): Answer => {
    const policy = policyOf(state, scope);
    const snapshot = snapshotOf(state);
    const decision = planner(snapshot, policy);
    const acted = act(state, decision);
    const broken =
      brokenPromise({ state, decision, acted, scope }) ??
      otherAnswer(decision, planner(shuffled(snapshot), policy)) ??
      (scope.sizes[0] === scope.sizes[1]
        ? otherImage(decision, planner(mirrored(snapshot), mirroredPolicy(policy)))
        : undefined);
    return { decision, broken };
  };
  const askOnce = scope.maxLag === 0 ? ask : memoizeByKey(viewKeyOf, ask);
  const visit = (state: CoordinationState, mayHarm: boolean): Visit<CoordinationState> => {
    const { decision, broken } = askOnce(state);
    const acted = act(state, decision);
    const moves = calmMoves(state, decision, acted, scope);
    if (mayHarm) moves.push(...hostileMoves(state, scope));
    const answer = (): string =>
      `${decision.kind} ${acted.roles.map(({ cursor }) => cursor).join("/")}: ${decision.reason.message}`;
    return { broken, answer, moves, mayRest: decision.kind === "done" || state.paused };
  };
  const key = (state: CoordinationState): string => keyOf(state, scope);
  return { starts: startsOf(scope), keyOf: key, visit, draw: drawState };
}

const shuffled = (snapshot: CoordinationSnapshot): CoordinationSnapshot => ({
  ...snapshot,
  roles: snapshot.roles.map((role) => ({ ...role, units: role.units.toReversed() })).toReversed(),
});

const isSameCursor = (a: Cursor, b: Cursor | undefined): boolean =>
  a.ordinal === b?.ordinal && String(a.ahead ?? []) === String(b.ahead ?? []);

function otherAnswer(
  first: CoordinationDecision,
  second: CoordinationDecision,
): string | undefined {
  const isSame =
    first.reason.message === second.reason.message &&
    first.roles.every(({ cursor }, at) => isSameCursor(cursor, second.roles[at]?.cursor));
  return isSame ? undefined : "P10 deterministic: another order of units, another answer";
}

/** The two roles swap names; a decision must not depend on the name of a role. */
const mirrored = (snapshot: CoordinationSnapshot): CoordinationSnapshot => ({
  ...snapshot,
  roles: snapshot.roles.map((role, at) => ({ ...role, role: roleNames[1 - at]! })),
});

const mirroredPolicy = ({ limits, ...rest }: CoordinationPolicy): CoordinationPolicy => ({
  ...rest,
  limits: { [roleNames[0]]: limits[roleNames[1]]!, [roleNames[1]]: limits[roleNames[0]]! },
});

function otherImage(first: CoordinationDecision, image: CoordinationDecision): string | undefined {
  const isSame =
    first.kind === image.kind &&
    first.roles.every(({ cursor }, at) => isSameCursor(cursor, image.roles[1 - at]?.cursor));
  return isSame ? undefined : "P10 deterministic: other names of roles, another answer";
}

const sizesUpTo = (units: number): [number, number][] =>
  Array.from({ length: units }, (_, at): [number, number] => [units, at + 1]);

export interface CoordinationTrial {
  readonly units: number;
  readonly maxFaults: number;
  /** How many events the view of a role may be behind. */
  readonly maxLag: number;
}

export const wholeCoordination: readonly CoordinationTrial[] = [
  { units: 1, maxFaults: 2, maxLag: 3 },
  { units: 2, maxFaults: 2, maxLag: 0 },
  { units: 2, maxFaults: 1, maxLag: 2 },
  { units: 3, maxFaults: 1, maxLag: 0 },
];
export const quickCoordination: readonly CoordinationTrial[] = [
  { units: 1, maxFaults: 1, maxLag: 0 },
  { units: 1, maxFaults: 0, maxLag: 2 },
  { units: 2, maxFaults: 0, maxLag: 0 },
];

export function coordinationCases(
  trials: readonly CoordinationTrial[],
  planner?: DecideCoordination,
): Case[] {
  return trials.flatMap((trial) =>
    sizesUpTo(trial.units).flatMap((sizes) =>
      [...distinctSkews(sizes), undefined].flatMap((maxSkewPercent) =>
        Array.from({ length: trial.units }, (_, at) => {
          const { maxLag, maxFaults } = trial;
          const scope = { sizes, maxUnavailable: at + 1, maxSkewPercent, maxLag, maxFaults };
          return caseOf(trial, scope, planner);
        }),
      ),
    ),
  );
}

function caseOf(
  { units }: CoordinationTrial,
  scope: CoordinationScope,
  planner: DecideCoordination | undefined,
): Case {
  const { sizes, maxUnavailable, maxSkewPercent, maxLag, maxFaults } = scope;
  const skew = maxSkewPercent === undefined ? "no maxSkew" : `maxSkew ${maxSkewPercent}%`;
  const faults = `${maxFaults} ${maxFaults === 1 ? "fault" : "faults"}`;
  const view = maxLag === 0 ? "" : `, view ${maxLag} events behind`;
  return {
    group: `coordination: two roles of up to ${units}, ${faults}${view}`,
    policy: "coordination",
    units,
    name: `coordination ${sizes.join("/")}, ${skew}, maxUnavailable ${maxUnavailable}${view}`,
    run: () => explore(coordinationModel(scope, planner), maxFaults),
  };
}

const percentages = Array.from({ length: 101 }, (_, percent) => percent);
const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

/**
 * Every maxSkew in as few configurations as possible: percentages that bound roles of these sizes alike are one. It is
 * the smallest percentage of each kind, because the promise is checked against exactly that percentage.
 */
function distinctSkews([first, second]: readonly [number, number]): number[] {
  const smallest = new Map<string, number>();
  for (const percent of percentages) {
    const reach = upTo(first).flatMap((a) =>
      upTo(second).flatMap((b) => [...reaches(a, b, percent), ...reaches(b, a, percent)]),
    );
    const kind = reach.join(" ");
    if (!smallest.has(kind)) smallest.set(kind, percent);
  }
  return [...smallest.values()];
}

/** How far a role of `desired` units gets beside a partner of `others`, however far that one is. */
const reaches = (desired: number, others: number, percent: number): number[] =>
  [0, ...upTo(others)].map((confirmed) =>
    reachBeyond({ confirmed, desired: others }, desired, percent),
  );
