/** PlacementDecisions as a model: one write at a time, with crashes and changed selections in between. */
import { applyWrite } from "../../src/planner/placement/apply-write.ts";
import type {
  DecisionGroup,
  DecisionWrite,
  ObservedDecision,
  PlacementSnapshot,
} from "../../src/planner/placement/decisions.ts";
import { layOutDecisions } from "../../src/planner/placement/lay-out-decisions.ts";
import {
  planPlacement,
  type PlacementPlan,
  type PlacementPolicy,
} from "../../src/planner/placement/plan-placement.ts";
import type { Case } from "./case.ts";
import { explore, type Model, type Move, type Visit } from "./explore.ts";

export type PlanPlacement = (snapshot: PlacementSnapshot, policy: PlacementPolicy) => PlacementPlan;

interface PlacementState {
  readonly decisions: readonly ObservedDecision[];
  /** Per cluster: 0 is not selected, otherwise one more than its group. */
  readonly homes: readonly number[];
  /** The remaining writes of the plan that is being performed. */
  readonly left: readonly DecisionWrite[];
  /** Clusters that have been listed once and stayed selected: they must stay listed. */
  readonly held: readonly string[];
}

export interface PlacementScope {
  readonly clusters: number;
  readonly groups: number;
  readonly perDecision: number;
  readonly maxFaults: number;
}

const nameOf = (at: number): string => `c${at + 1}`;

const groupsOf = (homes: readonly number[], groups: number): DecisionGroup[] =>
  Array.from({ length: groups }, (_, group) => ({
    name: group === 0 ? "canary" : "",
    clusters: homes.flatMap((home, at) => (home === group + 1 ? [nameOf(at)] : [])),
  }));

const selectedIn = (homes: readonly number[]): string[] =>
  homes.flatMap((home, at) => (home === 0 ? [] : [nameOf(at)]));

const listedIn = (decisions: readonly ObservedDecision[]): Set<string> =>
  new Set(decisions.flatMap(({ clusters }) => clusters));

export function placementModel(
  scope: PlacementScope,
  planner: PlanPlacement = planPlacement,
): Model<PlacementState> {
  const allHomes = combinations(scope.clusters, scope.groups + 1);
  const planFor = (
    decisions: readonly ObservedDecision[],
    homes: readonly number[],
  ): DecisionWrite[] => {
    const selection = { kind: "selected", groups: groupsOf(homes, scope.groups) } as const;
    const snapshot = { placement: "web", observed: decisions, selection };
    const policy = {
      strategy: "RollingUpdate",
      maxClustersPerDecision: scope.perDecision,
    } as const;
    const plan = planner(snapshot, policy);
    return plan.kind === "write" ? plan.phases.flatMap(({ writes }) => writes) : [];
  };
  const starts = allHomes.map((homes): PlacementState => {
    const groups = groupsOf(homes, scope.groups);
    const laidOut = layOutDecisions("web", groups, scope.perDecision);
    const decisions = laidOut.map(({ name, group, clusters }) => ({
      name,
      group,
      clusters,
      isOwned: true,
    }));
    return { decisions, homes, left: [], held: selectedIn(homes) };
  });
  const visit = (state: PlacementState, mayHarm: boolean): Visit<PlacementState> => {
    const moves = mayHarm ? changes(state, allHomes, planFor) : [];
    moves.push(...writes(state, planFor));
    const answer = (): string => `${state.left.length} writes are left`;
    return { broken: brokenIn(state, scope), answer, moves, mayRest: true };
  };
  return { starts, keyOf, visit, draw };
}

type PlanFor = (
  decisions: readonly ObservedDecision[],
  homes: readonly number[],
) => DecisionWrite[];

function writes(state: PlacementState, planFor: PlanFor): Move<PlacementState>[] {
  const [write, ...left] = state.left;
  const calm = { isHostile: false, isFair: true } as const;
  if (write === undefined) {
    const again = planFor(state.decisions, state.homes);
    if (again.length === 0) return [];
    return [{ label: () => "operator plans again", next: { ...state, left: again }, ...calm }];
  }
  const decisions = applyWrite(state.decisions, write);
  const selected = new Set(selectedIn(state.homes));
  const listed = [...listedIn(decisions)].filter((cluster) => selected.has(cluster));
  const held = [...new Set([...state.held, ...listed])].toSorted();
  const next = { ...state, decisions, left, held };
  return [{ label: () => `operator ${drawWrite(write)}`, next, ...calm }];
}

function changes(
  state: PlacementState,
  allHomes: readonly (readonly number[])[],
  planFor: PlanFor,
): Move<PlacementState>[] {
  const hostile = { isHostile: true, isFair: false } as const;
  const moves: Move<PlacementState>[] = allHomes.map((homes) => {
    const selected = new Set(selectedIn(homes));
    const held = state.held.filter((cluster) => selected.has(cluster));
    const next = { ...state, homes, held, left: planFor(state.decisions, homes) };
    return { label: () => `user selects ${drawHomes(homes)}`, next, ...hostile };
  });
  if (state.left.length > 0) {
    const left = planFor(state.decisions, state.homes);
    moves.push({
      label: () => "operator crashes and plans again",
      next: { ...state, left },
      ...hostile,
    });
  }
  return moves;
}

function brokenIn(state: PlacementState, { perDecision, groups }: PlacementScope) {
  const listed = listedIn(state.decisions);
  const lost = state.held.find((cluster) => !listed.has(cluster));
  if (lost !== undefined) return `P9 seen throughout: ${lost} is listed nowhere`;
  if (state.decisions.length === 0) return "P9 seen throughout: no decision is left at all";
  if (state.left.length > 0) return undefined;
  const wanted = layOutDecisions("web", groupsOf(state.homes, groups), perDecision);
  const isRight = wanted.every(({ name, clusters, group }) => {
    const held = state.decisions.find((decision) => decision.name === name);
    return held?.clusters.join() === clusters.join() && held.group?.index === group.index;
  });
  // A completely performed plan must leave exactly what is wanted.
  return isRight && wanted.length === state.decisions.length
    ? undefined
    : "P4 the end is not what was selected";
}

function keyOf({ decisions, homes, left, held }: PlacementState): string {
  const shown = decisions.map(({ name, group, clusters }) => [name, group, clusters]);
  return JSON.stringify([shown, homes, left, held]);
}

function combinations(length: number, choices: number): number[][] {
  if (length === 0) return [[]];
  return combinations(length - 1, choices).flatMap((head) =>
    Array.from({ length: choices }, (_, choice) => [...head, choice]),
  );
}

const drawHomes = (homes: readonly number[]): string =>
  homes.flatMap((home, at) => (home === 0 ? [] : [`${nameOf(at)}:${home}`])).join(" ") || "nothing";

const shortName = (name: string): string => name.replace("web-decision-", "d");

function drawWrite(write: DecisionWrite): string {
  const name = shortName(write.name);
  if (write.kind === "list") return `lists ${write.clusters.join(" ") || "nothing"} in ${name}`;
  return `${write.kind}s ${name}`;
}

const draw = ({ decisions }: PlacementState): string =>
  decisions.map(({ name, clusters }) => `${shortName(name)}[${clusters.join(" ")}]`).join(" ");

export const wholePlacement: readonly PlacementScope[] = [
  { clusters: 3, groups: 2, perDecision: 1, maxFaults: 2 },
  { clusters: 3, groups: 2, perDecision: 2, maxFaults: 2 },
  { clusters: 4, groups: 2, perDecision: 1, maxFaults: 1 },
  { clusters: 4, groups: 2, perDecision: 2, maxFaults: 1 },
];
export const quickPlacement: readonly PlacementScope[] = [
  { clusters: 3, groups: 2, perDecision: 1, maxFaults: 1 },
  { clusters: 2, groups: 2, perDecision: 1, maxFaults: 2 },
];

export function placementCases(scopes: readonly PlacementScope[], planner?: PlanPlacement): Case[] {
  return scopes.map((scope) => {
    const { clusters, groups, perDecision, maxFaults } = scope;
    const size = `${clusters} clusters in ${groups} groups, ${perDecision} per decision`;
    return {
      group: `placement: ${clusters} clusters, ${maxFaults} crashes or changes`,
      policy: "placement",
      units: clusters,
      name: `placement of ${size}`,
      run: () => explore(placementModel(scope, planner), maxFaults),
    };
  });
}
