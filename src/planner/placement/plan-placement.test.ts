/** Placement planning: the scenarios, the table of calls, and what it must never do. */
import { expect, test } from "vitest";
import {
  clusters,
  drawWrite,
  groupsOf,
  listedIn,
  settled,
  statesOf,
  writesOf,
} from "../../../test/builders/placement.ts";
import { planPlacement } from "./plan-placement.ts";
import type { DecisionGroup, DecisionUpdateStrategy, ObservedDecision } from "./decisions.ts";
import { atLeastOne } from "../../../test/builders/must.ts";

const plan = (
  observed: readonly ObservedDecision[],
  groups: readonly DecisionGroup[],
  strategy: DecisionUpdateStrategy = "RollingUpdate",
) =>
  planPlacement(
    { placement: "web", observed, selection: { kind: "selected", groups } },
    { strategy },
  );

const drawn = (
  from: readonly DecisionGroup[],
  to: readonly DecisionGroup[],
  strategy: DecisionUpdateStrategy = "RollingUpdate",
): string[] => writesOf(plan(settled(from), to, strategy)).map(drawWrite);

const scenarios: Record<
  string,
  { from: readonly DecisionGroup[]; to: readonly DecisionGroup[]; want: string[] }
> = {
  "PL2 scenario 1: a cluster in front moves the hundredth": {
    from: groupsOf(clusters(1, 150)),
    to: groupsOf(clusters(0, 150)),
    want: [
      "list d1 c00000..c00100 (101)",
      "list d2 c00100..c00150 (51)",
      "list d1 c00000..c00099 (100)",
    ],
  },
  "PL2 scenario 2: without the first cluster the hundredth moves back": {
    from: groupsOf(clusters(0, 150)),
    to: groupsOf(clusters(1, 150)),
    want: [
      "list d1 c00000..c00100 (101)",
      "list d1 c00001..c00100 (100)",
      "list d2 c00101..c00150 (50)",
    ],
  },
  "PL2 scenario 3: groups of 50 instead of one": {
    from: groupsOf(clusters(1, 250)),
    to: groupsOf(clusters(1, 250), 50),
    want: [
      "list d2 c00051..c00200 (150)",
      "list d3 c00101..c00250 (100)",
      "create d4 in group 3",
      "list d4 c00151..c00200 (50)",
      "create d5 in group 4",
      "list d5 c00201..c00250 (50)",
      "relabel d2 to -/1",
      "relabel d3 to -/2",
      "list d1 c00001..c00050 (50)",
      "list d2 c00051..c00100 (50)",
      "list d3 c00101..c00150 (50)",
    ],
  },
  "PL3 clusters that stay at home are replaced in one write": {
    from: groupsOf(clusters(1, 3)),
    to: groupsOf(clusters(3, 6)),
    want: ["list d1 c00003..c00006 (4)"],
  },
  "PL5 obsolete decisions go last, highest number first": {
    from: groupsOf(clusters(1, 250), 50),
    to: groupsOf(clusters(1, 100)),
    want: ["list d1 c00001..c00100 (100)", "delete d5", "delete d4", "delete d3", "delete d2"],
  },
  "PL6 an empty selection keeps one empty decision": {
    from: groupsOf(clusters(1, 128)),
    to: [],
    want: ["list d1 .. (0)", "delete d2"],
  },
};

test.each(Object.entries(scenarios))("%s", (_rule, { from, to, want }) => {
  expect(drawn(from, to)).toEqual(want);
});

test("PL6 the very first pass creates one decision, with a list only if there is something", () => {
  expect(writesOf(plan([], [])).map(drawWrite)).toEqual(["create d1 in group 0"]);
  expect(writesOf(plan([], groupsOf(clusters(1, 101)))).map(drawWrite)).toEqual([
    "create d1 in group 0",
    "list d1 c00001..c00100 (100)",
    "create d2 in group 0",
    "list d2 c00101..c00101 (1)",
  ]);
});

const many = (size: number, count: number): number[] => Array.from({ length: count }, () => size);

interface Row {
  readonly from: readonly DecisionGroup[];
  readonly to: readonly DecisionGroup[];
  /** create + status + delete, as `All` does it. */
  readonly all: string;
  /** Clusters of both selections that nobody lists: at one moment at most / at some moment. */
  readonly lost: string;
  /** create + surge + finalize + delete. */
  readonly rolling: string;
  readonly sizes: readonly number[];
}

const one = (first: number, last: number): DecisionGroup[] => groupsOf(clusters(first, last));
const rows: Record<string, Row> = {
  "150, insert first": {
    from: one(1, 150),
    to: one(0, 150),
    all: "0+2+0",
    lost: "1/1",
    rolling: "0+2+1+0",
    sizes: [101, 51],
  },
  "151, delete first": {
    from: one(0, 150),
    to: one(1, 150),
    all: "0+2+0",
    lost: "0/0",
    rolling: "0+1+2+0",
    sizes: [101, 51],
  },
  "250, one group to groups of 50": {
    from: one(1, 250),
    to: groupsOf(clusters(1, 250), 50),
    all: "2+5+0",
    lost: "100/200",
    rolling: "2+4+3+0",
    sizes: [100, 150, 100, 50, 50],
  },
  "250, groups of 50 to one": {
    from: groupsOf(clusters(1, 250), 50),
    to: one(1, 250),
    all: "0+3+2",
    lost: "0/0",
    rolling: "0+3+2+2",
    sizes: [100, 150, 100, 50, 50],
  },
  "200, insert first": {
    from: one(1, 200),
    to: one(0, 200),
    all: "1+3+0",
    lost: "1/2",
    rolling: "1+3+2+0",
    sizes: [101, 101, 1],
  },
  "201, delete first": {
    from: one(0, 200),
    to: one(1, 200),
    all: "0+2+1",
    lost: "0/0",
    rolling: "0+2+2+1",
    sizes: [101, 101, 1],
  },
  "1000, insert first": {
    from: one(1, 1000),
    to: one(0, 1000),
    all: "1+11+0",
    lost: "1/10",
    rolling: "1+11+10+0",
    sizes: [...many(101, 10), 1],
  },
  "1000, insert 50 first": {
    from: one(51, 1050),
    to: one(1, 1050),
    all: "1+11+0",
    lost: "50/500",
    rolling: "1+11+10+0",
    sizes: [...many(150, 10), 50],
  },
  "1000, insert 100 first": {
    from: one(101, 1100),
    to: one(1, 1100),
    all: "1+11+0",
    lost: "100/1000",
    rolling: "1+11+10+0",
    sizes: [...many(200, 10), 100],
  },
  "1000, append last": {
    from: one(1, 1000),
    to: one(1, 1001),
    all: "1+1+0",
    lost: "0/0",
    rolling: "1+1+0+0",
    sizes: [...many(100, 10), 1],
  },
  // No cluster changes its home here, so the surge is skipped and no list passes 100 (PL3).
  "1000, all replaced": {
    from: one(1, 1000),
    to: one(1001, 2000),
    all: "0+10+0",
    lost: "0/0",
    rolling: "0+0+10+0",
    sizes: many(100, 10),
  },
  "3500, insert first": {
    from: one(1, 3500),
    to: one(0, 3500),
    all: "1+36+0",
    lost: "1/35",
    rolling: "1+36+35+0",
    sizes: [...many(101, 35), 1],
  },
};

test.each(Object.entries(rows))("PL8 All, %s: calls and losses", (_name, row) => {
  const start = settled(row.from);
  const writes = writesOf(plan(start, row.to, "All"));
  const calls = ["create", "list", "delete"].map((kind) => countOf(writes, kind));
  expect(calls.join("+")).toBe(row.all);

  const staying = intersection(row.from, row.to);
  const lostNow = statesOf(start, writes).map((state) => missing(staying, state));
  const most = Math.max(...lostNow.map((lost) => lost.length));
  expect(`${most}/${new Set(lostNow.flat()).size}`).toBe(row.lost);
});

test.each(Object.entries(rows))("PL2 RollingUpdate, %s: calls, sizes, no loss", (_name, row) => {
  const start = settled(row.from);
  const whole = plan(start, row.to);
  const surge = writesOf(whole, "surge");
  const calls = [
    countOf(surge, "create"),
    countOf(surge, "list"),
    writesOf(whole, "finalize").length,
    writesOf(whole, "delete").length,
  ];
  expect(calls.join("+")).toBe(row.rolling);
  expect(
    statesOf(start, surge)
      .at(-1)!
      .map((decision) => decision.clusters.length),
  ).toEqual(row.sizes);
  const staying = intersection(row.from, row.to);
  for (const state of atLeastOne(statesOf(start, writesOf(whole))))
    expect(missing(staying, state)).toEqual([]);
  expect(statesOf(start, writesOf(whole)).at(-1)).toEqual(settled(row.to));
});

test("PL7 a failed selection keeps every decision and says why", () => {
  const observed = settled(groupsOf(clusters(1, 150)));
  const selection = { kind: "failed", problem: "toleration without a key" } as const;
  for (const strategy of ["All", "RollingUpdate"] as const) {
    expect(planPlacement({ placement: "web", observed, selection }, { strategy })).toEqual({
      kind: "hold",
      reason: {
        code: "SelectionFailed",
        message: "keeping the 2 decisions there are: toleration without a key",
      },
    });
  }
});

test("PL8 All leaves the labels of a decision whose list changes to the next pass", () => {
  const from = groupsOf(clusters(1, 4));
  const to = [
    { name: "canary", clusters: clusters(1, 2) },
    { name: "", clusters: clusters(3, 4) },
  ];
  const first = writesOf(plan(settled(from), to, "All"));
  expect(first.map(drawWrite)).toEqual([
    "list d1 c00001..c00002 (2)",
    "create d2 in group 1",
    "list d2 c00003..c00004 (2)",
  ]);
  const second = writesOf(plan(statesOf(settled(from), first).at(-1)!, to, "All"));
  expect(second.map(drawWrite)).toEqual(["relabel d1 to canary/0"]);
});

test("PL8 deletes are a phase of their own, so a failed update never reaches them", () => {
  const observed = settled(groupsOf(clusters(1, 201)));
  const answer = plan(observed, groupsOf(clusters(2, 201)), "All");
  expect(answer.kind === "write" && answer.phases.map(({ phase }) => phase)).toEqual([
    "update",
    "delete",
  ]);
});

test("PL9 turning RollingUpdate on writes nothing by itself, and a second pass neither", () => {
  const groups = groupsOf(clusters(1, 250), 50);
  for (const strategy of ["All", "RollingUpdate"] as const) {
    const answer = plan(settled(groups), groups, strategy);
    expect([answer.kind, answer.reason.message]).toEqual([
      "done",
      "250 clusters listed in 5 decisions",
    ]);
  }
});

test("PL9 All finishes a surge that RollingUpdate began", () => {
  const start = settled(groupsOf(clusters(1, 150)));
  const to = groupsOf(clusters(0, 150));
  const halfway = statesOf(start, writesOf(plan(start, to), "surge")).at(-1)!;
  const end = statesOf(halfway, writesOf(plan(halfway, to, "All"))).at(-1);
  expect(end).toEqual(settled(to));
});

test.each(["All", "RollingUpdate"] as const)(
  "PL10 under %s a decision of another owner is adopted before it is relied upon",
  (strategy) => {
    const [first] = settled(groupsOf(clusters(1, 2)));
    const orphan = { ...first!, isOwned: false };
    const drawnWrites = (to: readonly DecisionGroup[]): string[] =>
      writesOf(plan([orphan], to, strategy)).map(drawWrite);
    expect(drawnWrites(groupsOf(clusters(1, 2)))).toEqual(["adopt d1"]);
    expect(drawnWrites(groupsOf(clusters(1, 1)))).toEqual([
      "adopt d1",
      "list d1 c00001..c00001 (1)",
    ]);
  },
);

test("PL5 an object with the placement's label and a foreign name goes first of the deletes", () => {
  const foreign = { name: "by-hand", group: undefined, clusters: clusters(9, 9), isOwned: true };
  const observed = [...settled(groupsOf(clusters(1, 101))), foreign];
  const answer = plan(observed, groupsOf(clusters(1, 9)));
  expect(writesOf(answer).map(drawWrite)).toEqual([
    "list d1 c00001..c00009 (9)",
    "delete by-hand",
    "delete d2",
  ]);
});

function countOf(writes: readonly { kind: string }[], kind: string): number {
  return writes.filter((write) => write.kind === kind).length;
}

function intersection(from: readonly DecisionGroup[], to: readonly DecisionGroup[]): string[] {
  const after = new Set(to.flatMap((group) => group.clusters));
  return from.flatMap((group) => group.clusters).filter((cluster) => after.has(cluster));
}

function missing(staying: readonly string[], state: readonly ObservedDecision[]): string[] {
  const listed = listedIn(state);
  return staying.filter((cluster) => !listed.has(cluster));
}
