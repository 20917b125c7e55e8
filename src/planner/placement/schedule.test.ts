/** Scheduling: which clusters are feasible, and how they are ranked. */
import { expect, test } from "vitest";
import type { Candidate, ClusterFigures, Weights } from "./candidates.ts";
import { balanceScore, resourceScore, scoresOf } from "./prioritizers.ts";
import { scheduleClusters, type SchedulingPolicy } from "./schedule.ts";

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
  const gpu = { key: "gpu", value: "", effect: "NoSelect" } as const;
  const aged = [8, 9, 10].map((age) =>
    candidate(`c${age}`, { taints: [{ ...gpu, addedMs: nowMs - age * second }] }),
  );
  const tolerations = [{ ...gpu, operator: "Exists", seconds: 10 } as const];
  const scheduled = schedule(aged, { tolerations });
  expect(names(scheduled)).toEqual(["c8", "c9"]);
  expect(scheduled.changesAtMs).toBe(nowMs + second);
});

test("PL15 says what keeps clusters away that a predicate matches", () => {
  const gpu = { key: "gpu", value: "a", effect: "NoSelect", addedMs: nowMs } as const;
  const ring = { key: "ring", value: "", effect: "NoSelect", addedMs: nowMs } as const;
  const scheduled = schedule(
    [
      candidate("c", { taints: [gpu] }),
      candidate("b", { taints: [ring, gpu] }),
      candidate("a", { taints: [gpu], isMatch: false }),
    ],
    { tolerations: [{ ...ring, operator: "Exists", seconds: undefined }] },
  );
  expect(scheduled.tainted).toEqual({ clusters: 2, first: "b", taint: gpu });
  expect(schedule([candidate("a")]).tainted).toBeUndefined();
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
  "memory and an add-on alone, as Exact has it": {
    number: 2,
    weights: { ...noWeights, memory: 1, addOns: [1] },
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
