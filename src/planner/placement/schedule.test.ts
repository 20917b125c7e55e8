/** Scheduling: which clusters are feasible, how they are ranked, and how they are divided into groups. */
import { expect, test } from "vitest";
import type {
  Candidate,
  ClusterFigures,
  Taint,
  TaintEffect,
  Toleration,
  Weights,
} from "./candidates.ts";
import { divideIntoGroups, groupSize } from "./decision-groups.ts";
import { balanceScore, resourceScore, scoresOf } from "./prioritizers.ts";
import { scheduleClusters, type SchedulingPolicy } from "./schedule.ts";
import { toleratedUntilMs } from "./taints.ts";

const nowMs = 1_000_000;
const second = 1000;
const all = { kind: "percent", percent: 100 } as const;
const noWeights: Weights = { balance: 0, steady: 0, cpu: 0, memory: 0, addOns: [] };
const defaults: Weights = { ...noWeights, balance: 1, steady: 1 };

const candidate = (name: string, more: Partial<Candidate> = {}): Candidate => ({
  name,
  isMatch: true,
  taints: [],
  isListed: false,
  group: undefined,
  ...more,
});

const figuresWith = (more: Partial<ClusterFigures> = {}): ClusterFigures => ({
  uses: 0,
  cpu: undefined,
  memory: undefined,
  addOnScores: [],
  ...more,
});

const taint = (effect: TaintEffect, text: string, agedSeconds = 0): Taint => {
  const [key = "", value = ""] = text.split("=");
  return { key, value, effect, addedMs: nowMs - agedSeconds * second };
};

/** `gpu=a NoSelect` is Equal, `gpu NoSelect` and `* ` are Exists. */
function toleration(text: string, seconds?: number): Toleration {
  const [what = "", effect] = text.split(" ");
  const [key = "", value] = what.split("=");
  return {
    key: key === "*" ? "" : key,
    operator: value === undefined ? "Exists" : "Equal",
    value: value ?? "",
    effect: effect as TaintEffect | undefined,
    seconds,
  };
}

interface Tainted {
  readonly taints: readonly Taint[];
  readonly tolerations?: readonly Toleration[];
  readonly isListed?: boolean;
  readonly want: boolean;
}

const gpu = taint("NoSelect", "gpu=a");
const ifNew = taint("NoSelectIfNew", "gpu=a");
const tainted: Record<string, Tainted> = {
  "no taint needs no toleration": { taints: [], want: true },
  "NoSelect without a toleration": { taints: [gpu], want: false },
  "NoSelect without a toleration on a selected cluster": {
    taints: [gpu],
    isListed: true,
    want: false,
  },
  "PreferNoSelect is always tolerated": { taints: [taint("PreferNoSelect", "gpu=a")], want: true },
  "NoSelectIfNew keeps new clusters away": { taints: [ifNew], want: false },
  "NoSelectIfNew leaves selected clusters alone": { taints: [ifNew], isListed: true, want: true },
  "NoSelectIfNew with a toleration": {
    taints: [ifNew],
    tolerations: [toleration("gpu=a NoSelectIfNew")],
    want: true,
  },
  "Equal with the same value": {
    taints: [gpu],
    tolerations: [toleration("gpu=a NoSelect")],
    want: true,
  },
  "Equal with another value": {
    taints: [gpu],
    tolerations: [toleration("gpu=b NoSelect")],
    want: false,
  },
  "Equal with another key": { taints: [gpu], tolerations: [toleration("cpu=a")], want: false },
  "Equal with an empty value of both": {
    taints: [taint("NoSelect", "gpu")],
    tolerations: [toleration("gpu=")],
    want: true,
  },
  "Exists takes any value": { taints: [gpu], tolerations: [toleration("gpu")], want: true },
  "Exists with another key": { taints: [gpu], tolerations: [toleration("cpu")], want: false },
  "Exists without a key takes every taint": {
    taints: [gpu, ifNew],
    tolerations: [toleration("*")],
    want: true,
  },
  "another effect does not match": {
    taints: [gpu],
    tolerations: [toleration("gpu=a NoSelectIfNew")],
    want: false,
  },
  "no effect matches every effect": {
    taints: [gpu],
    tolerations: [toleration("gpu=a")],
    want: true,
  },
  "every taint has to be tolerated": {
    taints: [gpu, taint("NoSelect", "old")],
    tolerations: [toleration("gpu=a")],
    want: false,
  },
  "one toleration for each taint": {
    taints: [gpu, taint("NoSelect", "old")],
    tolerations: [toleration("gpu=a"), toleration("old")],
    want: true,
  },
  "an effect without a key matches its effect": {
    taints: [gpu],
    tolerations: [toleration("* NoSelect")],
    want: true,
  },
  "an effect without a key leaves other effects": {
    taints: [ifNew],
    tolerations: [toleration("* NoSelect")],
    want: false,
  },
  "a taint that is too old for its toleration": {
    taints: [taint("NoSelect", "gpu=a", 10)],
    tolerations: [toleration("gpu", 10)],
    want: false,
  },
  "a taint that is young enough": {
    taints: [taint("NoSelect", "gpu=a", 9)],
    tolerations: [toleration("gpu", 10)],
    want: true,
  },
  "a taint without a time ends a toleration for some time": {
    taints: [{ ...gpu, addedMs: undefined }],
    tolerations: [toleration("gpu", 10)],
    want: false,
  },
  "a taint without a time is tolerated for ever": {
    taints: [{ ...gpu, addedMs: undefined }],
    tolerations: [toleration("gpu")],
    want: true,
  },
  "of several tolerations the one that lasts longest counts": {
    taints: [taint("NoSelect", "gpu=a", 10)],
    tolerations: [toleration("gpu", 5), toleration("* NoSelect", 20)],
    want: true,
  },
  "a selected cluster stays when its toleration of NoSelectIfNew has ended": {
    taints: [taint("NoSelectIfNew", "gpu=a", 60)],
    tolerations: [toleration("gpu", 10)],
    isListed: true,
    want: true,
  },
};

test.each(Object.entries(tainted))("PL15 %s", (_rule, { taints, tolerations, isListed, want }) => {
  const cluster = candidate("c1", { taints, isListed: isListed ?? false });
  expect(toleratedUntilMs(cluster, tolerations ?? [], nowMs) !== undefined).toBe(want);
});

const policy = (more: Partial<SchedulingPolicy> = {}): SchedulingPolicy => ({
  tolerations: [],
  numberOfClusters: undefined,
  weights: defaults,
  groups: [],
  groupSize: all,
  ...more,
});

function schedule(
  candidates: readonly Candidate[],
  more: Partial<SchedulingPolicy> = {},
  figures: Readonly<Record<string, Partial<ClusterFigures>>> = {},
) {
  const uses = Object.values(figures).map((each) => each.uses ?? 0);
  const figuresOf = (name: string): ClusterFigures => figuresWith(figures[name]);
  const mostUses = Math.max(0, ...uses);
  return scheduleClusters({ nowMs, candidates, figuresOf, mostUses }, policy(more));
}

const names = (scheduled: ReturnType<typeof schedule>): string[] =>
  scheduled.groups.flatMap(({ clusters }) => clusters);

test("PL15 the earliest end of a toleration is when to schedule again", () => {
  const aged = [8, 9, 10].map((age) =>
    candidate(`c${age}`, { taints: [taint("NoSelect", "gpu", age)] }),
  );
  const scheduled = schedule(aged, { tolerations: [toleration("gpu", 10)] });
  expect(names(scheduled)).toEqual(["c8", "c9"]);
  expect(scheduled.changesAtMs).toBe(nowMs + second);
});

test("PL14 only what a predicate matches is feasible", () => {
  const scheduled = schedule([candidate("a"), candidate("b", { isMatch: false })]);
  expect(names(scheduled)).toEqual(["a"]);
  expect(scheduled).toMatchObject({ selected: 1, feasible: 1, unscheduled: 0 });
});

const balances: Record<string, number> = {
  "0/0": 100,
  "0/3": 100,
  "1/1": -100,
  "1/2": 0,
  "2/2": -100,
  "1/3": 32,
  "2/3": -32,
  "1/4": 50,
  "3/4": -50,
  "1/7": 70,
};

test.each(Object.entries(balances))("PL17 Balance of %s uses is %i", (given, want) => {
  const [uses = 0, mostUses = 0] = given.split("/").map(Number);
  expect(balanceScore(uses, mostUses)).toBe(want);
});

const resources: Record<string, readonly number[]> = {
  "20 60 100": [-100, 0, 100],
  "10 6 2": [100, 0, -100],
  "5 5 5": [100, 100, 100],
  "0 0": [100, 100],
  "10 7 9": [100, -100, 33],
  "50 90 80": [-100, 100, 50],
  "50 90 80 100": [-100, 60, 19, 100],
  "20 - 100": [-100, 0, 100],
};

test.each(Object.entries(resources))("PL17 resources %s", (given, want) => {
  const amounts = given.split(" ").map((each) => (each === "-" ? undefined : Number(each)));
  expect(amounts.map(resourceScore(amounts))).toEqual(want);
});

interface RankedCase {
  readonly number: number;
  readonly weights?: Weights;
  readonly listed?: string;
  readonly figures: Readonly<Record<string, Partial<ClusterFigures>>>;
  readonly want: string;
}

const mixed: Readonly<Record<string, Partial<ClusterFigures>>> = {
  c1: { memory: 100, addOnScores: [30] },
  c2: { memory: 50, addOnScores: [40] },
  c3: { memory: 0, addOnScores: [50] },
};

const ranked: Record<string, RankedCase> = {
  "names decide between equals": {
    number: 2,
    figures: { c1: {}, c2: {}, c3: {} },
    want: "c1 c2",
  },
  "Steady keeps what is selected": {
    number: 1,
    listed: "c3",
    figures: { c1: {}, c2: {}, c3: {} },
    want: "c3",
  },
  "Balance takes the least used": {
    number: 1,
    figures: { c1: { uses: 2 }, c2: { uses: 1 }, c3: {} },
    want: "c3",
  },
  "Steady wins a tie of Balance": {
    number: 1,
    listed: "c3",
    figures: { c1: { uses: 1 }, c2: { uses: 2 }, c3: { uses: 1 } },
    want: "c3",
  },
  "Balance x 3, memory and an add-on": {
    number: 2,
    weights: { ...defaults, balance: 3, memory: 1, addOns: [1] },
    figures: mixed,
    want: "c1 c2",
  },
  "a negative weight turns a score round": {
    number: 1,
    weights: { ...noWeights, memory: -1 },
    figures: mixed,
    want: "c3",
  },
  "the same add-on score twice counts twice": {
    number: 1,
    weights: { ...noWeights, memory: 1, addOns: [5, 6] },
    figures: {
      c1: { memory: 100, addOnScores: [30, 30] },
      c2: { memory: 50, addOnScores: [40, 40] },
      c3: { memory: 0, addOnScores: [50, 50] },
    },
    want: "c3",
  },
  "a cluster without figures is in the middle": {
    number: 2,
    weights: { ...noWeights, cpu: 1 },
    figures: { c1: { cpu: 1 }, c2: {}, c3: { cpu: 9 } },
    want: "c2 c3",
  },
  "nothing is selected where none is wanted": {
    number: 0,
    figures: { c1: {}, c2: {} },
    want: "",
  },
};

test.each(Object.entries(ranked))("PL18 %s", (_rule, row) => {
  const listed = new Set(row.listed?.split(" "));
  const clusters = Object.keys(row.figures).map((name) =>
    candidate(name, { isListed: listed.has(name) }),
  );
  const more = { numberOfClusters: row.number, weights: row.weights ?? defaults };
  const scheduled = schedule(clusters.toReversed(), more, row.figures);
  expect(names(scheduled).join(" ")).toBe(row.want);
});

test("PL17 the weighted sums of Balance x 3, memory and an add-on", () => {
  const weights = { ...defaults, balance: 3, memory: 1, addOns: [1] };
  const clusters = Object.entries(mixed).map(([name, more]) => ({
    name,
    isListed: false,
    ...figuresWith(more),
  }));
  expect(scoresOf(clusters, weights, 0)).toEqual([
    { name: "c1", score: 430 },
    { name: "c2", score: 340 },
    { name: "c3", score: 250 },
  ]);
});

test("PL18 fewer feasible clusters than wanted leave decisions unscheduled", () => {
  expect(schedule([candidate("c1")], { numberOfClusters: 3 })).toMatchObject({
    selected: 1,
    unscheduled: 2,
    ranking: undefined,
  });
});

test("PL18 what has joined keeps its place while the former one is still listed", () => {
  const figures = { c1: { addOnScores: [100] }, c2: { addOnScores: [-90] } };
  const more = { numberOfClusters: 1, weights: { ...defaults, addOns: [1] } };
  const before = [candidate("c1"), candidate("c2", { isListed: true })];
  const surged = before.map((each) => ({ ...each, isListed: true }));
  expect(names(schedule(before, more, figures))).toEqual(["c1"]);
  expect(names(schedule(surged, more, figures))).toEqual(["c1"]);
});

const sizes: Record<string, number> = {
  "25% of 3": 1,
  "25% of 4": 1,
  "20% of 100": 20,
  "7% of 100": 7,
  "50 of 250": 50,
  "0 of 4": 4,
  "-1 of 4": 4,
  "9 of 4": 4,
};

test.each(Object.entries(sizes))("PL19 groups of %s have %i", (given, want) => {
  const [size = "", total] = given.split(" of ");
  const amount = Number(size.replace("%", ""));
  const group = size.endsWith("%")
    ? ({ kind: "percent", percent: amount } as const)
    : ({ kind: "clusters", clusters: amount } as const);
  expect(groupSize(group, Number(total))).toBe(want);
});

/** `c1 c2/0`: c2 belongs to the first named group. */
const divisions: Record<string, { size: number; groups: string[]; of: string; want: string[] }> = {
  "a canary, one cluster per group": {
    size: 1,
    groups: ["canary"],
    of: "c1/0 c2/0 c3 c4",
    want: ["canary: c1", "canary: c2", ": c3", ": c4"],
  },
  "two named groups": {
    size: 4,
    groups: ["group1", "group2"],
    of: "c1/0 c2/1 c3/0",
    want: ["group1: c1 c3", "group2: c2"],
  },
  "a named group without clusters is left out": {
    size: 9,
    groups: ["canary"],
    of: "c2 c1",
    want: [": c1 c2"],
  },
  "two groups of one name stay two": {
    size: 9,
    groups: ["east", "east"],
    of: "c1/1 c2/0",
    want: ["east: c2", "east: c1"],
  },
};

test.each(Object.entries(divisions))("PL19 %s", (_rule, { size, groups, of, want }) => {
  const selected = of.split(" ").map((text) => {
    const [name = "", group] = text.split("/");
    return { name, group: group === undefined ? undefined : Number(group) };
  });
  const divided = divideIntoGroups(selected, groups, { kind: "clusters", clusters: size });
  expect(divided.map(({ name, clusters }) => `${name}: ${clusters.join(" ")}`)).toEqual(want);
});
