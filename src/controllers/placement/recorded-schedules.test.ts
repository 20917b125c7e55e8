/** Scheduling beside Open Cluster Management's own scheduler, which was asked about the same cases. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { answerLine } from "../../../test/recorded/placement-answer.ts";
import type { ScheduleCase } from "../../../test/recorded/placement-cases.ts";
import { recordedCases } from "../../../test/recorded/placement-cases.ts";
import { bindingOf, setOf } from "../../../test/builders/placement-scenario.ts";
import { readerOf } from "../../runtime/reader.ts";
import { placementCacheDefinitions } from "./caches.ts";
import { ClusterUsage } from "./cluster-usage.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";

const everything = {
  clusterSelector: { selectorType: "LabelSelector" as const, labelSelector: {} },
};

function answerOf({ placement, clusters, decisions, scores, nowMs }: ScheduleCase): string {
  const usage = new ClusterUsage();
  for (const object of decisions) usage.apply({ type: "added", object });
  const { indexes: byPlacement } = placementCacheDefinitions.placements;
  const { indexes: byDecision } = placementCacheDefinitions.decisions;
  const { indexes: bySelector } = placementCacheDefinitions.sets;
  const { indexes: byNamespace } = placementCacheDefinitions.bindings;
  const readers = {
    placements: readerOf([placement], byPlacement),
    decisions: readerOf(decisions, byDecision),
    clusters: readerOf(clusters),
    sets: readerOf([setOf("all", everything)], bySelector),
    bindings: readerOf([bindingOf("all")], byNamespace),
    scores: readerOf(scores),
  };
  const sources = { readers, usage };
  const observed = observe(sources, { namespace: "default", name: "web" }, nowMs)!;
  const { schedule, misconfigured } = plan(observed);
  return answerLine(placement.spec, {
    misconfigured: misconfigured !== undefined,
    selected: schedule?.groups.flatMap((group) => [...group.clusters]) ?? [],
    feasible: schedule?.feasible ?? 0,
    scores: Object.fromEntries(
      (schedule?.ranking ?? []).map(({ name, score }) => [name, score] as const),
    ),
    unscheduled: schedule?.unscheduled ?? 0,
  });
}

const recorded = new Map(
  readFileSync("test/recorded/placement-schedules.txt", "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" -> ") as [string, string]),
);

test.each(Object.keys(recordedCases))("PL14 PL15 PL17 PL18 %s", (name) => {
  expect(answerOf(recordedCases[name]!)).toBe(recorded.get(name));
});
