/** Assist mode: another controller makes the pods, Lockstep only deletes outdated ones, within a budget. */
import { expect, test } from "vitest";
import { statefulSetController } from "../../src/controllers/statefulset/index.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import { withoutConditions } from "../../src/sim/cluster-stateful-sets.ts";
import { heldBack } from "../../src/simulation/faults.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";
import type { StatefulSetScenarioOptions } from "../builders/stateful-set-scenario.ts";
import { statefulSetScenario } from "../builders/stateful-set-scenario.ts";

const onDelete = { updateStrategy: { type: "OnDelete" }, podManagementPolicy: "Parallel" } as const;
const paced = (amount: string, more: Record<string, string> = {}): Record<string, string> => ({
  "lockstep.dev/max-unavailable": amount,
  ...more,
});

async function assisted(options: StatefulSetScenarioOptions) {
  const scenario = await statefulSetScenario({ ...options, mode: "assist" });
  const upstream = statefulSetController({
    client: restClient(withoutConditions(scenario.transport)),
    clock: scenario.clock,
    mode: "full",
  });
  await upstream.start();
  await scenario.clock.runFor(30_000);
  scenario.timeline.take();
  return scenario;
}

const deletions = (timeline: readonly string[]): string[] =>
  timeline.filter((line) => !line.includes("+")).map((line) => line.split(" -")[1] ?? "");

test("ST25 an OnDelete set is replaced from the top, within the annotation's budget", async () => {
  const scenario = await assisted({ replicas: 6, annotations: paced("2"), spec: onDelete });
  const guarded = scenario.guard();
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(120_000);
  expect(deletions(scenario.timeline.lines())).toEqual([5, 4, 3, 2, 1, 0].map((n) => `web-${n}`));
  expect(guarded.fewest).toBe(4);
  expect(await scenario.condition("Progressing")).toMatchObject({ reason: "RolledOut" });
});

test("ST25 a broken update stops at the budget, says why, and the fix gets through", async () => {
  const scenario = await assisted({ replicas: 5, annotations: paced("1"), spec: onDelete });
  const guarded = scenario.guard();
  await scenario.setImage("web:broken");
  await scenario.clock.runFor(120_000);
  expect(deletions(scenario.timeline.lines())).toEqual(["web-4"]);
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "True" });
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(120_000);
  expect(guarded.fewest).toBe(4);
  expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
});

test("ST25 pause holds, the partition keeps our hands off, and both can be lifted", async () => {
  const annotations = paced("2", { "lockstep.dev/partition": "3", "lockstep.dev/paused": "true" });
  const scenario = await assisted({ replicas: 5, annotations, spec: onDelete });
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(60_000);
  expect(deletions(scenario.timeline.lines())).toEqual([]);
  await scenario.patch({ metadata: { annotations: { "lockstep.dev/paused": null } } });
  await scenario.clock.runFor(60_000);
  expect(deletions(scenario.timeline.lines())).toEqual(["web-4", "web-3"]);
  expect(await scenario.condition("Progressing")).toMatchObject({ reason: "AtPartition" });
  await scenario.patch({ metadata: { annotations: { "lockstep.dev/partition": null } } });
  await scenario.clock.runFor(60_000);
  expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
});

test("ST25 a set that is at rest is not written, however often somebody touches it", async () => {
  const scenario = await assisted({ replicas: 3, annotations: paced("1"), spec: onDelete });
  const before = { ...scenario.writes };
  for (const seen of ["once", "twice"]) {
    await scenario.patch({ metadata: { annotations: { seen } } });
    await scenario.clock.runFor(20_000);
  }
  expect(scenario.writes).toEqual(before);
});

test("ST25 sets that nobody gave to us are left alone, and an event says so where it seems expected", async () => {
  const scenario = await assisted({
    replicas: 3,
    annotations: paced("2"),
    spec: { podManagementPolicy: "Parallel" },
  });
  await scenario.clock.runFor(10_000);
  expect(scenario.writes["delete pods"]).toBeUndefined();
  expect(
    (await scenario.events("web")).filter((text) => text.startsWith("NotAssisted")),
  ).toHaveLength(1);
  const silent = await assisted({ replicas: 3, spec: onDelete });
  await silent.setImage("web:v2");
  await silent.clock.runFor(60_000);
  expect(deletions(silent.timeline.lines())).toEqual([]);
  expect(await silent.condition("Progressing")).toBeUndefined();
});

test("ST25 the sets of a group are not said to lack OnDelete: their group rolls them out", async () => {
  const scenario = await groupScenario({ strategy: { maxSkew: "25%" }, isBeside: true });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.settled();
  const events = await scenario.events("chat-decode");
  expect(events.filter((text) => text.startsWith("NotAssisted"))).toEqual([]);
});

test("ST25 pods of a template that is seen late are not taken for outdated ones", async () => {
  const sets = heldBack(statefulSetResource);
  const scenario = await assisted({
    replicas: 4,
    annotations: paced("1"),
    spec: onDelete,
    faults: sets.faults,
  });
  sets.hold();
  await scenario.setImage("web:v2");
  await scenario.deletePod("web-0");
  await scenario.clock.runFor(20_000);
  expect(scenario.writes["delete pods"]).toBeUndefined();
  sets.release();
  await scenario.clock.runFor(120_000);
  expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
  expect(scenario.writes["delete pods"]).toBe(3);
});
