/** What a set reports: availability, deadlines, history, warnings; and what failures do to it. */
import { expect, test } from "vitest";
import type { ControllerRevision } from "../../src/api/apps.ts";
import { controllerRevisionResource, statefulSetResource } from "../../src/api/apps.ts";
import { podResource } from "../../src/api/pod.ts";
import { rolling, statefulSetOf, statefulSetScenario } from "../builders/stateful-set-scenario.ts";

const parallel = { podManagementPolicy: "Parallel" } as const;
const namespace = "default";
const key = { namespace, name: "web" };

test("ST16 ready pods count as available after minReadySeconds, to the second", async () => {
  const scenario = await statefulSetScenario({
    replicas: 2,
    spec: { ...parallel, minReadySeconds: 30 },
  });
  await scenario.clock.runFor(20_000);
  expect((await scenario.set()).status).toMatchObject({ readyReplicas: 2 });
  expect((await scenario.set()).status?.availableReplicas ?? 0).toBe(0);
  await scenario.clock.runFor(15_000);
  expect((await scenario.set()).status).toMatchObject({ availableReplicas: 2 });
  await scenario.patch({ spec: { minReadySeconds: 3600 } });
  await scenario.clock.runFor(2_000);
  expect((await scenario.set()).status?.availableReplicas ?? 0).toBe(0);
  await scenario.patch({ spec: { minReadySeconds: 0 } });
  await scenario.clock.runFor(2_000);
  expect((await scenario.set()).status).toMatchObject({ availableReplicas: 2 });
});

test.each(["OrderedReady", "Parallel"] as const)(
  "ST16 %s waits out minReadySeconds before the next pod goes",
  async (podManagementPolicy) => {
    const scenario = await statefulSetScenario({
      replicas: 3,
      spec: { podManagementPolicy, minReadySeconds: 60, ...rolling(1) },
    });
    await scenario.settled();
    scenario.timeline.take();
    await scenario.setImage("web:v2");
    await scenario.settled();
    const starts = scenario.timeline
      .lines()
      .filter((line) => line.includes("-web-") && !line.includes("+"))
      .map((line) => Number.parseInt(line, 10));
    expect(starts).toHaveLength(3);
    expect((starts[1] ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(60);
    expect((starts[2] ?? 0) - (starts[1] ?? 0)).toBeGreaterThanOrEqual(60);
  },
);

test("ST15 the revision is promoted only when the pods are available, not merely ready", async () => {
  const scenario = await statefulSetScenario({
    replicas: 2,
    spec: { ...parallel, minReadySeconds: 60, ...rolling(2) },
  });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(30_000);
  const early = (await scenario.set()).status;
  expect(early).toMatchObject({ readyReplicas: 2, updatedReplicas: 2 });
  expect(early?.currentRevision).not.toBe(early?.updateRevision);
  await scenario.settled();
  const late = (await scenario.set()).status;
  expect(late?.currentRevision).toBe(late?.updateRevision);
});

test("ST15 conditions of others survive", async () => {
  const scenario = await statefulSetScenario({ replicas: 2, spec: parallel });
  await scenario.settled();
  const { status } = await scenario.set();
  const conditions = [...(status?.conditions ?? []), { type: "Foreign", status: "True" }];
  await scenario.client.patch(
    statefulSetResource,
    key,
    { type: "merge", body: { status: { conditions } } },
    { subresource: "status" },
  );
  await scenario.setImage("web:v2");
  await scenario.settled();
  expect(await scenario.condition("Foreign")).toMatchObject({ status: "True" });
});

test("ST21 a rollout that does not move within its deadline is Stalled, and recovers", async () => {
  const scenario = await statefulSetScenario({
    replicas: 4,
    annotations: { "lockstep.dev/progress-deadline-seconds": "120" },
    spec: { ...parallel, ...rolling(1) },
  });
  await scenario.settled();
  await scenario.setImage("never-ready:v2");
  await scenario.clock.runFor(60_000);
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "False" });
  await scenario.clock.runFor(90_000);
  expect(await scenario.condition("Stalled")).toMatchObject({
    status: "True",
    reason: "ProgressDeadlineExceeded",
  });
  expect((await scenario.condition("Progressing"))?.message).toMatch(/web-3/);
  await scenario.setImage("web:v3");
  await scenario.settled();
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "False" });
});

test.each([
  ["0", 2, 1],
  ["2", 4, 1],
  ["-1", 8, 8],
])("ST19 revisionHistoryLimit %s keeps %i revisions at most", async (limit, most, least) => {
  const scenario = await statefulSetScenario({
    replicas: 1,
    spec: { revisionHistoryLimit: Number(limit) },
  });
  for (let version = 1; version <= 8; version++) {
    await scenario.setImage(`web:v${version}`);
    await scenario.settled();
  }
  const { items } = await scenario.client.list<ControllerRevision>(controllerRevisionResource);
  expect(items.length).toBeLessThanOrEqual(most);
  expect(items.length).toBeGreaterThanOrEqual(least);
});

test("ST19 revisions that pods still carry survive a limit of zero", async () => {
  const scenario = await statefulSetScenario({
    replicas: 2,
    spec: { revisionHistoryLimit: 0, updateStrategy: { type: "OnDelete" } },
  });
  await scenario.settled();
  for (const image of ["web:v2", "web:v3", "web:v4"]) {
    await scenario.setImage(image);
    await scenario.clock.runFor(10_000);
  }
  const { items } = await scenario.client.list<ControllerRevision>(controllerRevisionResource);
  const images = items.map(({ data }) => /web:v\d/.exec(JSON.stringify(data))?.[0] ?? "");
  expect(images.toSorted()).toEqual(["web:v1", "web:v4"]);
});

test("ST10 templates that change fast get one number each", async () => {
  const scenario = await statefulSetScenario({ replicas: 1 });
  await scenario.settled();
  for (const image of ["web:a", "web:b", "web:c", "web:d"]) await scenario.setImage(image);
  await scenario.settled();
  const { items } = await scenario.client.list<ControllerRevision>(controllerRevisionResource);
  const numbers = items.map(({ revision }) => revision);
  expect(new Set(numbers).size).toBe(numbers.length);
});

test("ST10 a name that another set's revision holds is passed over, and the count remembered", async () => {
  const scenario = await statefulSetScenario({ replicas: 1 });
  await scenario.settled();
  const first = (await scenario.set()).status?.updateRevision ?? "";
  await scenario.client.delete(statefulSetResource, key, { propagationPolicy: "Background" });
  await scenario.clock.runFor(30_000);
  const squatter = {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: { name: first, namespace },
    data: { other: true },
    revision: 1,
  };
  await scenario.client.create<ControllerRevision>(controllerRevisionResource, squatter);
  await scenario.client.create(statefulSetResource, statefulSetOf({ replicas: 1 }));
  await scenario.settled();
  const { status } = await scenario.set();
  expect(status?.updateRevision).not.toBe(first);
  expect(status?.collisionCount).toBe(1);
});

test("ST23 an annotation that cannot be read is reported once and ignored", async () => {
  const annotations = { "lockstep.dev/max-unavailable": "many", "lockstep.dev/paused": "yes" };
  const scenario = await statefulSetScenario({ replicas: 3, annotations, spec: parallel });
  await scenario.settled();
  const events = (await scenario.events("web")).filter((text) =>
    text.startsWith("AnnotationIgnored"),
  );
  expect(events.toSorted()).toEqual([
    expect.stringContaining("lockstep.dev/max-unavailable"),
    expect.stringContaining("lockstep.dev/paused"),
  ]);
});

test("ST23 a maxUnavailable that the server dropped is reported, and the annotation says the same", async () => {
  const applied = { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } } };
  const last = "kubectl.kubernetes.io/last-applied-configuration";
  const scenario = await statefulSetScenario({
    replicas: 4,
    annotations: { [last]: JSON.stringify(applied) },
    spec: { ...parallel, updateStrategy: { type: "RollingUpdate" } },
  });
  await scenario.settled();
  expect(
    (await scenario.events("web")).filter((text) => text.startsWith("FieldDropped")),
  ).toHaveLength(1);
  await scenario.patch({ metadata: { annotations: { "lockstep.dev/max-unavailable": "2" } } });
  const guarded = scenario.guard();
  await scenario.setImage("web:v2");
  await scenario.settled();
  expect(guarded.fewest).toBe(2);
});

test("what was made and deleted is reported in events, together where it happens together", async () => {
  const scenario = await statefulSetScenario({ replicas: 7, spec: { ...parallel, ...rolling(7) } });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  const reported = (await scenario.events("web")).filter((line) => line.startsWith("Successful"));
  expect(reported.toSorted()).toEqual([
    "SuccessfulCreate: created pods web-0, web-1, web-2, web-3, web-4 and 2 more",
    "SuccessfulCreate: created pods web-6, web-5, web-4, web-3, web-2 and 2 more",
    "SuccessfulDelete: deleted pods web-6, web-5, web-4, web-3, web-2 and 2 more",
  ]);
});

test("ST15 a pod that says it is ready before it runs is neither ready nor available", async () => {
  const scenario = await statefulSetScenario({ replicas: 1, image: "slow:v1" });
  await scenario.clock.runFor(500);
  const conditions = [{ type: "Ready", status: "True" }];
  await scenario.client.patch(
    podResource,
    { namespace: "default", name: "web-0" },
    { type: "strategic", body: { status: { conditions } } },
    { subresource: "status" },
  );
  await scenario.settled();
  expect((await scenario.set()).status).toMatchObject({ readyReplicas: 1, availableReplicas: 1 });
});
