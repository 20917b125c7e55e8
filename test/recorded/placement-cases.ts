/** Placements whose clusters Open Cluster Management's own scheduler was asked for: the same seed, the same case. */
import type {
  AddOnPlacementScore,
  ManagedCluster,
  ManagedClusterSpec,
} from "../../src/api/ocm/managed-cluster.ts";
import { ocmLabels } from "../../src/api/ocm/labels.ts";
import type { Placement, PlacementDecision, PlacementSpec } from "../../src/api/ocm/placement.ts";
import { timeText } from "../../src/api/time-text.ts";
import type { Random } from "../../src/sim/random.ts";
import { seededRandom } from "../../src/sim/random.ts";
import { placementExpressions } from "./placement-expressions.ts";

export interface ScheduleCase {
  readonly nowMs: number;
  readonly placement: Placement;
  readonly clusters: readonly ManagedCluster[];
  readonly decisions: readonly PlacementDecision[];
  readonly scores: readonly AddOnPlacementScore[];
}

const group = "cluster.open-cluster-management.io";
const nowMs = Date.UTC(2026, 0, 1, 12);
const agoText = (seconds: number): string => timeText(nowMs - seconds * 1000);
const keys = ["env", "zone", "gpu"];
const values = ["a", "b", "c", ""];
const effects = ["NoSelect", "PreferNoSelect", "NoSelectIfNew"] as const;

/** Choices from one seed. */
class Chance {
  readonly #random: Random;
  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }
  below = (bound: number): number => this.#random.below(bound);
  is = (percent: number): boolean => this.below(100) < percent;
  pick = <T>(from: readonly T[]): T => from[this.below(from.length)]!;
  some = <T>(from: readonly T[], percent: number): T[] => from.filter(() => this.is(percent));
  times = <T>(count: number, make: (at: number) => T): T[] =>
    Array.from({ length: count }, (_, at) => make(at));
}

/** All the ways to write an amount. */
const cpuTexts: readonly ((chance: Chance) => string)[] = [
  ({ below }) => `${1 + below(64)}`,
  ({ below }) => `${500 + below(64_000)}m`,
  ({ below }) => `${below(64)}.${below(1000)}`,
  ({ below }) => `${1 + below(20)}e2`,
  ({ below }) => `${below(9)}.${below(100)}0`,
  ({ below }) => `${below(9999)}u`,
  () => "0",
];
const memoryTexts: readonly ((chance: Chance) => string)[] = [
  ({ below }) => `${1 + below(900)}Gi`,
  ({ below }) => `${1_000_000 + below(900_000_000)}Ki`,
  ({ below }) => `${1 + below(900)}G`,
  ({ below }) => `${below(2 ** 31)}${below(1000)}`,
  ({ below }) => `${below(30)}.${below(10)}Gi`,
  ({ below }) => `${below(100_000)}M`,
];

function clusterOf(chance: Chance, at: number): ManagedCluster {
  const { is, pick, some } = chance;
  const allocatable = is(20)
    ? { cpu: "4", memory: "8Gi" }
    : {
        ...(is(85) && { cpu: pick(cpuTexts)(chance) }),
        ...(is(85) && { memory: pick(memoryTexts)(chance) }),
      };
  const claims = some(["region", "url"], 60).map((name) => ({
    name,
    value: pick(["eu", "us", "a-b", "https://a/b?c"]),
  }));
  return {
    apiVersion: `${group}/v1`,
    kind: "ManagedCluster",
    metadata: {
      name: `c${(at * 7) % 11}${at}`,
      labels: Object.fromEntries(some(keys, 60).map((key) => [key, pick(values)])),
    },
    spec: {
      hubAcceptsClient: is(80),
      leaseDurationSeconds: 60,
      taints: is(35) ? taintsOf(chance) : [],
    },
    status: {
      conditions: [],
      version: { kubernetes: pick(["v1.30.1", "1.31.2", ""]) },
      clusterClaims: claims,
      allocatable,
      capacity: is(90) ? { cpu: "100", memory: "1000Gi" } : {},
    },
  };
}

const taintsOf = ({ below, is, pick, times }: Chance): NonNullable<ManagedClusterSpec["taints"]> =>
  times(1 + below(2), () => ({
    key: pick(keys),
    ...(is(60) && { value: pick(values) }),
    effect: pick(effects),
    timeAdded: is(85) ? agoText(below(30)) : null,
  }));

function requirement({ pick }: Chance, from: readonly string[], known: readonly string[]) {
  const operator = pick(["In", "NotIn", "Exists", "DoesNotExist"]);
  const isCompared = operator.includes("In");
  return {
    key: pick(from),
    operator,
    ...(isCompared && { values: [pick(known), pick(known)] }),
  };
}

function predicateOf(chance: Chance) {
  const { below, is, pick, times } = chance;
  const labels = is(50)
    ? { matchLabels: { [pick(keys)]: pick(values) } }
    : { matchExpressions: [requirement(chance, keys, values)] };
  const claims = [requirement(chance, ["region", "url"], ["eu", "us", "a-b"])];
  const celExpressions = times(1 + below(2), () => pick(placementExpressions));
  return {
    requiredClusterSelector: {
      ...(is(45) && { labelSelector: labels }),
      ...(is(30) && { claimSelector: { matchExpressions: claims } }),
      ...(is(40) && { celSelector: { celExpressions } }),
    },
  };
}

function tolerationOf({ below, is, pick }: Chance) {
  const operator = pick(["Equal", "Exists", "Exists", ""]);
  const isExists = operator === "Exists";
  return {
    ...((!isExists || is(85)) && { key: pick(keys) }),
    operator,
    ...(!isExists && { value: pick(values) }),
    ...(is(40) && { effect: pick(effects) }),
    ...(is(50) && { tolerationSeconds: below(40) }),
  };
}

const builtIns = ["Balance", "Steady", "ResourceAllocatableCPU", "ResourceAllocatableMemory"];

function configurationOf({ below, is, pick }: Chance) {
  const addOn = { resourceName: pick(["load", "other"]), scoreName: pick(["free", "gpu"]) };
  if (is(30)) {
    return { scoreCoordinate: { type: "AddOn" as const, addOn }, weight: below(21) - 10 };
  }
  const builtIn = is(3) ? "Spread" : pick(builtIns);
  // A negative weight of Steady never comes to rest there.
  const weight = builtIn === "Steady" ? below(11) : below(21) - 10;
  return { scoreCoordinate: { type: "BuiltIn" as const, builtIn }, weight };
}

function specOf(chance: Chance, fleet: number): PlacementSpec {
  const { below, is, pick, times } = chance;
  const configurations = times(below(5), () => configurationOf(chance));
  return {
    ...(is(80) && { numberOfClusters: below(fleet + 2) }),
    ...(is(60) && { predicates: times(1 + below(2), () => predicateOf(chance)) }),
    ...(is(70) && { tolerations: times(1 + below(3), () => tolerationOf(chance)) }),
    ...(is(80) && { prioritizerPolicy: { mode: pick(["Additive", "Exact", ""]), configurations } }),
  };
}

const decisionOf = (
  namespace: string,
  placement: string,
  names: readonly string[],
): PlacementDecision => ({
  apiVersion: `${group}/v1beta1`,
  kind: "PlacementDecision",
  metadata: {
    namespace,
    name: `${placement}-decision-1`,
    labels: { [ocmLabels.placement]: placement },
  },
  status: { decisions: names.map((clusterName) => ({ clusterName, reason: "" })) },
});

function scoreOf({ below, is, some }: Chance, namespace: string, name: string) {
  const scores = some(["free", "gpu"], 80).map((each) => ({ name: each, value: below(201) - 100 }));
  const validUntil = is(30) ? { validUntil: agoText(is(50) ? -60 : 60) } : {};
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: "AddOnPlacementScore",
    metadata: { namespace, name },
    status: { scores, ...validUntil },
  };
}

function scheduleCase(seed: number): ScheduleCase {
  const chance = new Chance(seed);
  const { below, is, pick, some, times } = chance;
  const clusters = times(1 + below(11), (at) => clusterOf(chance, at));
  const names = clusters.map(({ metadata }) => metadata.name ?? "");
  const others = times(below(6), (at) =>
    decisionOf(pick(["default", "other"]), `p${at}`, [
      ...some(names, 40),
      ...(is(10) ? ["elsewhere"] : []),
    ]),
  );
  return {
    nowMs,
    placement: {
      apiVersion: `${group}/v1beta1`,
      kind: "Placement",
      metadata: { namespace: "default", name: "web", uid: "web" },
      spec: specOf(chance, clusters.length),
    },
    clusters,
    decisions: [decisionOf("default", "web", is(70) ? some(names, 40) : []), ...others],
    scores: names.flatMap((name) =>
      some(["load", "other"], 70).map((resource) => scoreOf(chance, name, resource)),
    ),
  };
}

const bare: ManagedCluster = {
  apiVersion: `${group}/v1`,
  kind: "ManagedCluster",
  metadata: { name: "bare" },
};

/** One expression, of clusters that differ in all that it may read, and of one that says nothing of itself. */
function expressionCase(expression: string): ScheduleCase {
  const chance = new Chance(3);
  const clusters = [...chance.times(16, (at) => clusterOf(chance, at)), bare];
  const celExpressions = [expression];
  const spec = {
    tolerations: [{ operator: "Exists" }],
    predicates: [{ requiredClusterSelector: { celSelector: { celExpressions } } }],
  };
  return {
    ...scheduleCase(1),
    placement: { ...scheduleCase(1).placement, spec },
    clusters,
    decisions: [],
    scores: clusters
      .slice(0, 9)
      .map(({ metadata }) => scoreOf(chance, metadata.name ?? "", "load")),
  };
}

export const recordedCases: Readonly<Record<string, ScheduleCase>> = Object.fromEntries([
  ...Array.from({ length: 400 }, (_, at) => [`case ${at + 1}`, scheduleCase(at + 1)] as const),
  ...placementExpressions.map((each) => [each, expressionCase(each)] as const),
]);
