/** Whatever clusters do, a rollout over them keeps its limits, and it ends where they eventually succeed. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type {
  ClusterGroup,
  ClusterRolloutPolicy,
  ClusterState,
  KnownCluster,
} from "./cluster-rollout.ts";
import { decideClusterRollout } from "./decide-cluster-rollout.ts";
import { resolveRolloutSize } from "./rollout-size.ts";

const names = Array.from({ length: 9 }, (_, at) => `c${at}`);
const nowMs = 500_000;

const groups: fc.Arbitrary<ClusterGroup[]> = fc
  .array(fc.integer({ min: -1, max: 2 }), { minLength: names.length, maxLength: names.length })
  .map((homes) =>
    ["canary", "", ""].map((name, index) => ({
      index,
      name,
      clusters: names.filter((_, at) => homes[at] === index),
    })),
  );

const amount = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom("10%", "34%", "100%"));

const policy: fc.Arbitrary<ClusterRolloutPolicy> = fc
  .record({
    type: fc.constantFrom("All" as const, "Progressive" as const, "ProgressivePerGroup" as const),
    minSuccessMs: fc.constantFrom(0, 60_000),
    deadlineMs: fc.constantFrom(Infinity, 100_000),
    maxFailures: amount,
    maxConcurrency: amount,
    mandatoryGroups: fc.subarray([{ name: "canary" }, { index: 2 }]),
  })
  .map((drawn) => drawn as ClusterRolloutPolicy);

const known: fc.Arbitrary<KnownCluster[]> = fc
  .array(
    fc.record({
      name: fc.constantFrom(...names, "gone"),
      state: fc.constantFrom<ClusterState>(
        ...(["ToApply", "Progressing", "Succeeded", "Failed", "TimeOut", "Skip"] as const),
      ),
      sinceMs: fc.integer({ min: 300_000, max: nowMs }),
    }),
    { maxLength: 8 },
  )
  .map((clusters) => [...new Map(clusters.map((each) => [each.name, each])).values()]);

const rest = (given: readonly ClusterGroup[], by: ClusterRolloutPolicy): string[] =>
  given
    .filter(({ name, index }) =>
      by.type === "All"
        ? true
        : !by.mandatoryGroups.some((each) =>
            "name" in each ? each.name === name : each.index === index,
          ),
    )
    .flatMap(({ clusters }) => clusters);

test("CR2 never more under way than maxConcurrency beyond those that are already", () => {
  fc.assert(
    fc.property(groups, known, policy, (given, clusters, by) => {
      const decision = decideClusterRollout({ nowMs, groups: given, known: clusters }, by);
      if (by.type !== "Progressive") return;
      const here = new Set(rest(given, by));
      const applied = decision.apply.filter((name) => here.has(name));
      const taken = decision.underWay.filter(({ name }) => here.has(name));
      const most = resolveRolloutSize(by.maxConcurrency, here.size, here.size);
      expect(applied.length).toBeLessThanOrEqual(Math.max(0, most - taken.length));
    }),
    { numRuns: 1000 },
  );
});

test("CR4 CR7 a stopped rollout applies nothing; one that applies is in the first open group", () => {
  fc.assert(
    fc.property(groups, known, policy, (given, clusters, by) => {
      const decision = decideClusterRollout({ nowMs, groups: given, known: clusters }, by);
      expect(decision.isStopped && decision.apply.length > 0).toBe(false);
      expect(decision.apply.length > 0).toBe(decision.reason.code === "RollingOut");
      const selected = new Set(given.flatMap((group) => group.clusters));
      expect(decision.apply.filter((name) => !selected.has(name))).toEqual([]);
      const over = new Set(
        clusters.filter(({ state }) => state !== "ToApply").map(({ name }) => name),
      );
      expect(decision.apply.filter((name) => over.has(name))).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

test("CR9 the order in which groups and clusters arrive changes nothing", () => {
  fc.assert(
    fc.property(groups, known, policy, (given, clusters, by) => {
      const turned = given
        .map((group) => ({ ...group, clusters: group.clusters.toReversed() }))
        .toReversed();
      const before = decideClusterRollout({ nowMs, groups: given, known: clusters }, by);
      const after = decideClusterRollout(
        { nowMs, groups: turned, known: clusters.toReversed() },
        by,
      );
      expect(after).toEqual(before);
    }),
    { numRuns: 500 },
  );
});

test("CR8 a rollout ends when every cluster succeeds in the end, and never repeats one", () => {
  fc.assert(
    fc.property(groups, policy, (given, by) => {
      const applied: string[] = [];
      let clusters: readonly KnownCluster[] = [];
      let atMs = nowMs;
      for (let round = 0; round < 40; round++) {
        const decision = decideClusterRollout({ nowMs: atMs, groups: given, known: clusters }, by);
        if (decision.reason.code === "RolledOut") break;
        applied.push(...decision.apply);
        const done = clusters.map((each) =>
          each.state === "Progressing"
            ? { ...each, state: "Succeeded" as const, sinceMs: atMs }
            : each,
        );
        const fresh = decision.apply.map((name) => ({
          name,
          state: "Progressing" as const,
          sinceMs: atMs,
        }));
        clusters = [...done, ...fresh];
        atMs += 30_000;
      }
      expect(applied.toSorted()).toEqual(given.flatMap((group) => group.clusters).toSorted());
    }),
    { numRuns: 500 },
  );
});
