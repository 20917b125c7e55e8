/** Properties of placement planning under crashes, changed minds and shuffled input. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  clusters,
  listedIn,
  settled,
  statesOf,
  writesOf,
} from "../../../test/builders/placement.ts";
import { trackDecisions } from "../cluster-rollout/track-decisions.ts";
import { applyWrite } from "./apply-write.ts";
import { planPlacement } from "./plan-placement.ts";
import type { DecisionGroup, DecisionUpdateStrategy, ObservedDecision } from "./decisions.ts";

const limit = 3;
const names = clusters(1, 14);

/** Up to four groups over a random part of the clusters; small lists, so that decisions split. */
const groups: fc.Arbitrary<DecisionGroup[]> = fc
  .array(fc.integer({ min: -1, max: 3 }), { minLength: names.length, maxLength: names.length })
  .chain((homes) =>
    fc.array(fc.constantFrom("", "canary", "west"), { minLength: 4, maxLength: 4 }).map((labels) =>
      labels.map((name, at) => ({
        name,
        clusters: names.filter((_, position) => homes[position] === at),
      })),
    ),
  );

const plan = (
  observed: readonly ObservedDecision[],
  wanted: readonly DecisionGroup[],
  strategy: DecisionUpdateStrategy = "RollingUpdate",
) =>
  planPlacement(
    { placement: "web", observed, selection: { kind: "selected", groups: wanted } },
    { strategy, maxClustersPerDecision: limit },
  );

const namesIn = (wanted: readonly DecisionGroup[]): Set<string> =>
  new Set(wanted.flatMap((group) => group.clusters));

test("PL1 a cluster selected before and after is listed after every single write", () => {
  fc.assert(
    fc.property(groups, groups, (from, to) => {
      const start = settled(from, limit);
      const after = namesIn(to);
      const staying = [...namesIn(from)].filter((cluster) => after.has(cluster));
      for (const state of statesOf(start, writesOf(plan(start, to)))) {
        const listed = listedIn(state);
        expect(staying.filter((cluster) => !listed.has(cluster))).toEqual([]);
      }
    }),
    { numRuns: 500 },
  );
});

test("PL1 crashes after any write and changed selections never hide a cluster that stays", () => {
  const passes = fc.array(fc.record({ to: groups, crashAfter: fc.nat({ max: 12 }) }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(groups, passes, (from, attempts) => {
      const wanted = attempts.map(({ to }) => namesIn(to));
      const staying = [...namesIn(from)].filter((name) => wanted.every((set) => set.has(name)));
      let state: readonly ObservedDecision[] = settled(from, limit);
      for (const { to, crashAfter } of attempts) {
        for (const write of writesOf(plan(state, to)).slice(0, crashAfter)) {
          state = applyWrite(state, write);
          const listed = listedIn(state);
          expect(staying.filter((cluster) => !listed.has(cluster))).toEqual([]);
        }
      }
      const last = attempts.at(-1)!.to;
      expect(byName(statesOf(state, writesOf(plan(state, last))).at(-1)!)).toEqual(
        byName(settled(last, limit)),
      );
    }),
    { numRuns: 500 },
  );
});

test("PL4 after the surge every planned decision holds at least its final list", () => {
  fc.assert(
    fc.property(groups, groups, (from, to) => {
      const start = settled(from, limit);
      const answer = plan(start, to);
      const surged = statesOf(start, writesOf(answer, "surge")).at(-1)!;
      const wanted = answer.kind === "hold" ? [] : answer.planned;
      const moved = new Set(namesIn(from));
      for (const { name, clusters: final } of wanted) {
        const held = surged.find((decision) => decision.name === name);
        const absent = final.filter((cluster) => !held!.clusters.includes(cluster));
        // Only clusters nobody listed before may still be missing from their home.
        expect(absent.filter((cluster) => moved.has(cluster))).toEqual([]);
        const before = start.find((decision) => decision.name === name)?.clusters.length ?? 0;
        expect(held!.clusters.length).toBeLessThanOrEqual(before + final.length);
      }
    }),
    { numRuns: 300 },
  );
});

test("PL9 a pass that went through is followed by a pass without writes", () => {
  fc.assert(
    fc.property(groups, groups, (from, to) => {
      const start = settled(from, limit);
      const end = statesOf(start, writesOf(plan(start, to))).at(-1)!;
      expect(plan(end, to).kind).toBe("done");
    }),
  );
});

test("PL11 the order in which objects and clusters arrive changes nothing", () => {
  const shuffled = groups.chain((wanted) =>
    fc.tuple(
      fc.constant(wanted),
      fc
        .tuple(...wanted.map((group) => permutation(group.clusters)))
        .map((lists) => wanted.map((group, at) => ({ ...group, clusters: lists[at]! }))),
    ),
  );
  fc.assert(
    fc.property(groups, shuffled, fc.nat(), (from, [to, mixed], turn) => {
      const start = settled(from, limit);
      const at = turn % start.length;
      const rotated = [...start.slice(at), ...start.slice(0, at)].toReversed();
      expect(plan(rotated, mixed)).toEqual(plan(start, to));
    }),
  );
});

test("PL12 consumers that walk group indices keep every staying cluster in sight", () => {
  const canary = (count: number): DecisionGroup[] => [
    { name: "canary", clusters: names.slice(0, count) },
    { name: "", clusters: names.slice(count) },
  ];
  const changes: [DecisionGroup[], DecisionGroup[]][] = [
    [[{ name: "", clusters: names }], canary(3)],
    [canary(3), [{ name: "", clusters: names }]],
    [canary(3), canary(9)],
    [canary(9), canary(3)],
    [names.map((name) => ({ name: "", clusters: [name] })), [{ name: "", clusters: names }]],
    [[{ name: "", clusters: names }], names.map((name) => ({ name: "", clusters: [name] }))],
  ];
  for (const [from, to] of changes) {
    const start = settled(from, limit);
    for (const state of statesOf(start, writesOf(plan(start, to)))) {
      expect(names.filter((name) => !walkedGroups(state).has(name))).toEqual([]);
    }
  }
});

/** How the tracker in the rollout library reads the labels: one name per index, no gaps. */
function walkedGroups(decisions: readonly ObservedDecision[]): ReadonlySet<string> {
  const nameByIndex = new Map<number, string>();
  for (const { group } of decisions) nameByIndex.set(group!.index, group!.name);
  const seen = decisions.filter(
    ({ group }) => group!.index < nameByIndex.size && nameByIndex.get(group!.index) === group!.name,
  );
  return listedIn(seen);
}

function byName(decisions: readonly ObservedDecision[]): ObservedDecision[] {
  return decisions.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function permutation<T>(items: readonly T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length });
}

test.each([
  ["RollingUpdate", "surge"],
  ["All", "update"],
] as const)(
  "PL10 under %s whatever is unowned is adopted in phase %s, before anything is written to it",
  (strategy, firstPhase) => {
    const isOwned = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, groups, isOwned, (from, to, owned) => {
        const start = settled(from, limit).map((decision, at) => ({
          ...decision,
          isOwned: owned[at % owned.length] === true,
        }));
        const answer = plan(start, to, strategy);
        const phases = answer.kind === "write" ? answer.phases : [];
        const kept = new Set("planned" in answer ? answer.planned.map(({ name }) => name) : []);
        const wanted = start.filter((each) => !each.isOwned && kept.has(each.name));
        const adoptedIn = phases.flatMap(({ phase, writes }) =>
          writes.flatMap((write) => (write.kind === "adopt" ? [`${phase} ${write.name}`] : [])),
        );
        const adopted = wanted.map(({ name }) => `${firstPhase} ${name}`);
        expect(adoptedIn.toSorted()).toEqual(adopted.toSorted());
        for (const { name } of wanted) {
          expect(writesOf(answer).find((write) => write.name === name)?.kind).toBe("adopt");
        }
      }),
      { numRuns: 300 },
    );
  },
);

/** Whichever of two names at one index comes last: what a tracker sees in any case. */
function surelyTracked(decisions: readonly ObservedDecision[]): ReadonlySet<string> {
  const tracked = decisions.map(({ name, group, clusters: listed }) => ({
    name,
    groupIndex: String(group!.index),
    groupName: group!.name,
    clusters: listed,
  }));
  const [first, second] = [tracked, tracked.toReversed()].map((order) => {
    const answer = trackDecisions(order);
    const seen = answer.kind === "tracked" ? answer.groups : [];
    return new Set(seen.flatMap((group) => [...group.clusters]));
  });
  return new Set([...first!].filter((name) => second!.has(name)));
}

test("PL12 any change of groups and names, by any number of decisions, keeps every tracker going", () => {
  fc.assert(
    fc.property(groups, groups, (from, to) => {
      const start = settled(from, limit);
      const after = namesIn(to);
      const staying = [...namesIn(from)].filter((name) => after.has(name));
      for (const state of statesOf(start, writesOf(plan(start, to)))) {
        const seen = surelyTracked(state);
        expect(staying.filter((name) => !seen.has(name))).toEqual([]);
      }
    }),
    { numRuns: 1000 },
  );
});

test("PL12 crashes after any write and changed selections hide no tracked cluster that stays", () => {
  const passes = fc.array(fc.record({ to: groups, crashAfter: fc.nat({ max: 15 }) }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(groups, passes, (from, attempts) => {
      let state: readonly ObservedDecision[] = settled(from, limit);
      for (const { to, crashAfter } of attempts) {
        const after = namesIn(to);
        const staying = [...surelyTracked(state)].filter((name) => after.has(name));
        for (const write of writesOf(plan(state, to)).slice(0, crashAfter)) {
          state = applyWrite(state, write);
          const seen = surelyTracked(state);
          expect(staying.filter((name) => !seen.has(name))).toEqual([]);
        }
      }
    }),
    { numRuns: 1000 },
  );
});

test("PL12 relabelling ends, also where it is planned anew before a decision is relabelled again", () => {
  fc.assert(
    fc.property(groups, groups, (from, to) => {
      let state: readonly ObservedDecision[] = settled(from, limit);
      for (let round = 0; plan(state, to).kind !== "done"; round++) {
        expect(round).toBeLessThan(40);
        const touched = new Set<string>();
        for (const write of writesOf(plan(state, to))) {
          if (write.kind === "relabel" && touched.has(write.name)) break;
          if (write.kind === "relabel") touched.add(write.name);
          state = applyWrite(state, write);
        }
      }
    }),
    { numRuns: 500 },
  );
});
