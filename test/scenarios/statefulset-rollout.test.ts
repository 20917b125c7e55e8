/** Rollouts of StatefulSets from end to end, in virtual time on the embedded cluster. */
import { expect, test } from "vitest";
import { rolling, statefulSetScenario } from "../builders/stateful-set-scenario.ts";

const parallel = { podManagementPolicy: "Parallel" } as const;

test("ST14 a new set gets its pods one after the other under OrderedReady", async () => {
  const { settled, timeline, set } = await statefulSetScenario({ replicas: 3 });
  await settled();
  expect(timeline.lines()).toEqual(["0s +web-0 web:v1", "3s +web-1 web:v1", "6s +web-2 web:v1"]);
  const { status } = await set();
  expect(status).toMatchObject({
    replicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    updatedReplicas: 3,
  });
  expect(status?.currentRevision).toBe(status?.updateRevision);
});

test("ST4 Parallel replaces up to maxUnavailable at once, from the top", async () => {
  const scenario = await statefulSetScenario({
    replicas: 10,
    spec: { ...parallel, ...rolling(3) },
  });
  await scenario.settled();
  const guarded = scenario.guard();
  scenario.timeline.take();
  await scenario.setImage("web:v2");
  await scenario.settled();
  expect(guarded.fewest).toBe(7);
  expect(
    scenario.timeline
      .lines()
      .slice(0, 3)
      .map((line) => line.replace(/^\d+s /, "")),
  ).toEqual(["-web-9", "-web-8", "-web-7"]);
  expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
});

test("ST6 a broken image stops at the budget and says what it waits for; a good one recovers", async () => {
  const scenario = await statefulSetScenario({
    replicas: 10,
    spec: { ...parallel, ...rolling(3) },
  });
  await scenario.settled();
  const guarded = scenario.guard();
  await scenario.setImage("web:broken");
  await scenario.clock.runFor(120_000);
  expect(guarded.fewest).toBe(7);
  const stuck = (await scenario.set()).status?.conditions;
  expect(stuck?.find(({ type }) => type === "Stalled")).toMatchObject({ status: "True" });
  const { message } = stuck?.find(({ type }) => type === "Progressing") ?? {};
  expect(message).toMatch(/web-[789]/);
  expect(message).toMatch(/ImagePull/);
  const reported = (await scenario.events("web")).filter((text) => text.startsWith("Stalled: "));
  expect(reported).toHaveLength(1);
  await scenario.setImage("web:v3");
  await scenario.settled();
  expect(guarded.fewest).toBe(7);
  expect(scenario.drawing().every((line) => line.endsWith("web:v3"))).toBe(true);
});

test("ST2 OrderedReady replaces a round, waits until all are back, then the next", async () => {
  const scenario = await statefulSetScenario({ replicas: 5, spec: rolling(2) });
  await scenario.settled();
  scenario.timeline.take();
  await scenario.setImage("web:v2");
  await scenario.settled();
  expect(
    scenario.timeline.lines().map((line) => line.replace(/^\d+s /, "").replace(" web:v2", "")),
  ).toEqual([
    "-web-4",
    "-web-3",
    "+web-3",
    "+web-4",
    "-web-2",
    "-web-1",
    "+web-1",
    "+web-2",
    "-web-0",
    "+web-0",
  ]);
});

test("ST18 a partition keeps the lower pods, also when they are deleted by hand", async () => {
  const scenario = await statefulSetScenario({
    replicas: 5,
    spec: { ...parallel, ...rolling(2, 2) },
  });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(60_000);
  expect(scenario.drawing()).toEqual([
    "web-0 web:v1",
    "web-1 web:v1",
    "web-2 web:v2",
    "web-3 web:v2",
    "web-4 web:v2",
  ]);
  const { client } = scenario;
  const resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
  await client.delete(resource, { namespace: "default", name: "web-0" });
  await client.delete(resource, { namespace: "default", name: "web-3" });
  await scenario.clock.runFor(60_000);
  expect(scenario.drawing()[0]).toBe("web-0 web:v1");
  expect(scenario.drawing()[3]).toBe("web-3 web:v2");
  const { status } = await scenario.set();
  expect(status).toMatchObject({ currentReplicas: 2, updatedReplicas: 3, readyReplicas: 5 });
  expect(status?.currentRevision).not.toBe(status?.updateRevision);
});

test("ST19 a rollback reuses the old revision and keeps every pod still on it", async () => {
  const scenario = await statefulSetScenario({ replicas: 6, spec: { ...parallel, ...rolling(2) } });
  await scenario.settled();
  const first = (await scenario.set()).status?.updateRevision;
  await scenario.setImage("web:broken");
  await scenario.clock.runFor(60_000);
  scenario.timeline.take();
  await scenario.setImage("web:v1");
  await scenario.settled();
  expect((await scenario.set()).status?.updateRevision).toBe(first);
  const touched = scenario.timeline
    .lines()
    .filter((line) => line.includes("-web") && !line.includes("+"));
  expect(touched.map((line) => line.replace(/^\d+s /, "")).toSorted()).toEqual([
    "-web-4",
    "-web-5",
  ]);
});

test("ST20 pausing holds at once and resuming goes on", async () => {
  const scenario = await statefulSetScenario({ replicas: 4, spec: { ...parallel, ...rolling(1) } });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(1_000);
  await scenario.patch({ metadata: { annotations: { "lockstep.dev/paused": "true" } } });
  await scenario.clock.runFor(120_000);
  const updated = scenario.drawing().filter((line) => line.endsWith("web:v2"));
  expect(updated).toHaveLength(1);
  const conditions = (await scenario.set()).status?.conditions;
  expect(conditions?.find(({ type }) => type === "Progressing")).toMatchObject({
    reason: "Paused",
  });
  await scenario.patch({ metadata: { annotations: { "lockstep.dev/paused": null } } });
  await scenario.settled();
  expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
});

test("ST26 at most 2.4 writes per replaced pod", async () => {
  const scenario = await statefulSetScenario({
    replicas: 100,
    spec: { ...parallel, ...rolling("10%") },
  });
  await scenario.settled();
  for (const key of Object.keys(scenario.writes)) delete scenario.writes[key];
  await scenario.setImage("web:v2");
  await scenario.settled();
  const total = Object.values(scenario.writes).reduce((sum, count) => sum + count, 0);
  expect(scenario.writes["delete pods"]).toBe(100);
  expect(scenario.writes["create pods"]).toBe(100);
  expect(total / 100).toBeLessThanOrEqual(2.4);
});
