/** Updates, rollbacks and OnDelete together with scaling, under both pod management policies. */
import { describe, expect, test } from "vitest";
import type { ControllerRevision, StatefulSetSpec } from "../../src/api/apps.ts";
import { controllerRevisionResource } from "../../src/api/apps.ts";
import { rolling, statefulSetScenario } from "../builders/stateful-set-scenario.ts";
import { atLeastOne } from "../builders/must.ts";

type Policy = "OrderedReady" | "Parallel";
const policies: readonly Policy[] = ["OrderedReady", "Parallel"];
const scalings: readonly [from: number, to: number][] = [
  [3, 3],
  [3, 5],
  [5, 3],
];
const cases = policies.flatMap((policy) =>
  scalings.map(([from, to]) => [policy, from, to] as const),
);

const change = (image: string, replicas: number): unknown => ({
  spec: { replicas, template: { spec: { containers: [{ name: "app", image }] } } },
});

const withPolicy = (policy: Policy, spec: Partial<StatefulSetSpec> = {}) => ({
  podManagementPolicy: policy,
  ...spec,
});

const pods = (count: number, image: string): string[] =>
  Array.from({ length: count }, (_, ordinal) => `web-${ordinal} ${image}`);

describe.each(cases)("%s, %i to %i replicas", (podManagementPolicy, from, to) => {
  test("ST14 an image change reaches every pod and the set completes", async () => {
    const scenario = await statefulSetScenario({ replicas: from, spec: { podManagementPolicy } });
    await scenario.settled();
    await scenario.patch(change("web:v2", to));
    await scenario.settled();
    expect(scenario.drawing()).toEqual(pods(to, "web:v2"));
    const { status } = await scenario.set();
    expect(status?.currentRevision).toBe(status?.updateRevision);
    expect(status).toMatchObject({ replicas: to, updatedReplicas: to, currentReplicas: to });
  });

  test("ST17 OnDelete keeps what runs, gives what is added the new template, and ends after zero", async () => {
    const updateStrategy = { type: "OnDelete" } as const;
    const spec = { podManagementPolicy, updateStrategy };
    const scenario = await statefulSetScenario({ replicas: from, spec });
    await scenario.settled();
    await scenario.patch(change("web:v2", to));
    await scenario.clock.runFor(60_000);
    const kept = pods(Math.min(from, to), "web:v1");
    expect(scenario.drawing()).toEqual([...kept, ...pods(to, "web:v2").slice(kept.length)]);
    expect((await scenario.condition("Progressing"))?.reason).toBe("OutdatedLeftToDelete");
    await scenario.patch({ spec: { replicas: 0 } });
    await scenario.settled();
    await scenario.patch({ spec: { replicas: to } });
    await scenario.settled();
    expect(scenario.drawing()).toEqual(pods(to, "web:v2"));
    const { status } = await scenario.set();
    expect(status?.currentRevision).toBe(status?.updateRevision);
  });

  test("ST19 going back to the first revision restores it under its name", async () => {
    const scenario = await statefulSetScenario({ replicas: from, spec: { podManagementPolicy } });
    await scenario.settled();
    const first = (await scenario.set()).status?.updateRevision;
    await scenario.patch(change("web:v2", to));
    await scenario.settled();
    await scenario.setImage("web:v1");
    await scenario.settled();
    expect(scenario.drawing()).toEqual(pods(to, "web:v1"));
    const { status } = await scenario.set();
    expect(status).toMatchObject({ currentRevision: first, updateRevision: first });
    const { items } = await scenario.client.list<ControllerRevision>(controllerRevisionResource);
    const reported = items.map(
      ({ metadata, revision }) => `${revision} ${metadata.name === first}`,
    );
    expect(reported.toSorted()).toEqual(["2 false", "3 true"]);
  });
});

test.each(policies.flatMap((policy) => [[policy, 3, 3] as const, [policy, 3, 5] as const]))(
  "ST18 %s, partition 2, %i to %i replicas: below 2 old, from 2 on new",
  async (policy, from, to) => {
    const scenario = await statefulSetScenario({
      replicas: from,
      spec: withPolicy(policy, rolling(1, 2)),
    });
    await scenario.settled();
    await scenario.patch(change("web:v2", to));
    await scenario.clock.runFor(120_000);
    expect(scenario.drawing()).toEqual([...pods(2, "web:v1"), ...pods(to, "web:v2").slice(2)]);
    const { status } = await scenario.set();
    expect(status?.currentRevision).not.toBe(status?.updateRevision);
    expect(status).toMatchObject({
      currentReplicas: 2,
      updatedReplicas: to - 2,
      readyReplicas: to,
    });
  },
);

test("ST18 the partition is lowered step by step until the update is complete", async () => {
  const scenario = await statefulSetScenario({ replicas: 3, spec: rolling(1, 3) });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(60_000);
  expect(scenario.drawing()).toEqual(pods(3, "web:v1"));
  const before = (await scenario.set()).status;
  expect(before?.currentRevision).not.toBe(before?.updateRevision);
  const wanted = [
    [2, ["web:v1", "web:v1", "web:v2"]],
    [1, ["web:v1", "web:v2", "web:v2"]],
    [0, ["web:v2", "web:v2", "web:v2"]],
  ] as const;
  for (const [partition, images] of atLeastOne(wanted)) {
    await scenario.patch({ spec: { updateStrategy: { rollingUpdate: { partition } } } });
    await scenario.clock.runFor(60_000);
    expect(scenario.drawing()).toEqual(images.map((image, index) => `web-${index} ${image}`));
  }
  const { status } = await scenario.set();
  expect(status?.currentRevision).toBe(status?.updateRevision);
});

test("ST18 pods that scaling adds below a partition above replicas are made from the old template", async () => {
  const scenario = await statefulSetScenario({ replicas: 2, spec: rolling(1, 10) });
  await scenario.settled();
  await scenario.patch(change("web:v2", 4));
  await scenario.clock.runFor(60_000);
  expect(scenario.drawing()).toEqual(pods(4, "web:v1"));
});

test("ST17 a pod deleted by hand under OnDelete returns new; under RollingUpdate it does so out of turn", async () => {
  const onDelete = { updateStrategy: { type: "OnDelete" } } as const;
  const scenario = await statefulSetScenario({ replicas: 3, spec: onDelete });
  await scenario.settled();
  await scenario.deletePod("web-1");
  await scenario.clock.runFor(30_000);
  expect(scenario.drawing()).toEqual(pods(3, "web:v1"));
  await scenario.setImage("web:v2");
  await scenario.deletePod("web-1");
  await scenario.clock.runFor(30_000);
  expect(scenario.drawing()).toEqual(["web-0 web:v1", "web-1 web:v2", "web-2 web:v1"]);
});

test("ST14 a set without a rollingUpdate block brings a deleted pod back new in mid-rollout", async () => {
  const scenario = await statefulSetScenario({
    replicas: 4,
    spec: { podManagementPolicy: "Parallel", updateStrategy: { type: "RollingUpdate" } },
  });
  await scenario.settled();
  await scenario.patch({ metadata: { annotations: { "lockstep.dev/paused": "true" } } });
  await scenario.setImage("web:v2");
  await scenario.deletePod("web-0");
  await scenario.clock.runFor(30_000);
  expect(scenario.drawing()[0]).toBe("web-0 web:v2");
});

test("ST15 A to B to C counts only pods of the two named revisions, and never below zero", async () => {
  const scenario = await statefulSetScenario({
    replicas: 6,
    spec: withPolicy("Parallel", rolling(2)),
  });
  await scenario.settled();
  const counts: (number | undefined)[] = [];
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(3_000);
  await scenario.setImage("web:v3");
  for (let step = 0; step < 40 && !(await scenario.isSettled()); step++) {
    counts.push((await scenario.set()).status?.currentReplicas);
    await scenario.clock.runFor(1_000);
  }
  await scenario.settled();
  expect(counts.every((count) => (count ?? 0) >= 0)).toBe(true);
  expect(scenario.drawing()).toEqual(pods(6, "web:v3"));
});

test.each<[string | number, number, number]>([
  [1, 5, 4],
  ["40%", 5, 3],
  ["10%", 5, 4],
  ["100%", 4, 0],
  [9, 4, 0],
])("ST1 maxUnavailable %s of %i leaves at least %i available", async (amount, replicas, fewest) => {
  const scenario = await statefulSetScenario({
    replicas,
    spec: withPolicy("Parallel", rolling(amount)),
  });
  await scenario.settled();
  const guarded = scenario.guard();
  await scenario.setImage("web:v2");
  await scenario.settled();
  expect(guarded.fewest).toBe(fewest);
  expect(guarded.most).toBe(replicas);
});

test("ST1 a percentage follows replicas that change in mid-rollout", async () => {
  const scenario = await statefulSetScenario({
    replicas: 4,
    spec: withPolicy("Parallel", rolling("25%")),
  });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(1_000);
  await scenario.patch({ spec: { replicas: 12 } });
  await scenario.settled();
  expect(scenario.drawing()).toEqual(pods(12, "web:v2").toSorted());
});

test("ST1 a budget raised in mid-rollout is used at once under Parallel, lowered it holds back", async () => {
  const scenario = await statefulSetScenario({
    replicas: 8,
    image: "slow:v1",
    spec: withPolicy("Parallel", rolling(1)),
  });
  await scenario.settled();
  const guarded = scenario.guard();
  await scenario.setImage("slow:v2");
  await scenario.clock.runFor(5_000);
  expect(guarded.fewest).toBe(7);
  await scenario.patch({ spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 4 } } } });
  await scenario.clock.runFor(5_000);
  expect(guarded.fewest).toBe(4);
  await scenario.patch({ spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 1 } } } });
  await scenario.clock.runFor(80_000);
  const late = scenario.guard();
  await scenario.settled();
  expect(late.fewest).toBe(7);
});

test("ST8 partition counts places when ordinals do not start at zero", async () => {
  const scenario = await statefulSetScenario({
    replicas: 3,
    spec: withPolicy("Parallel", { ...rolling(2, 1), ordinals: { start: 5 } }),
  });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(60_000);
  expect(scenario.drawing()).toEqual(["web-5 web:v1", "web-6 web:v2", "web-7 web:v2"]);
});

test("ST3 Strict replaces the next as soon as all above it are back", async () => {
  const scenario = await statefulSetScenario({
    replicas: 4,
    gated: true,
    annotations: { "lockstep.dev/ordered-ready": "Strict" },
    spec: rolling(2),
  });
  for (const name of ["web-0", "web-1", "web-2", "web-3"]) {
    await scenario.clock.runFor(5_000);
    await scenario.openGate(name);
  }
  await scenario.settled();
  scenario.timeline.take();
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(10_000);
  await scenario.openGate("web-2");
  await scenario.clock.runFor(10_000);
  const names = (): string[] => scenario.timeline.lines().map((line) => line.split(" ")[1] ?? "");
  expect(names().filter((name) => name.startsWith("-"))).toEqual(["-web-3", "-web-2"]);
  await scenario.openGate("web-3");
  await scenario.clock.runFor(10_000);
  expect(names().filter((name) => name.startsWith("-"))).toEqual([
    "-web-3",
    "-web-2",
    "-web-1",
    "-web-0",
  ]);
});

test("ST5 with broken-pods: Wait an unready outdated pod holds an ordered update", async () => {
  const scenario = await statefulSetScenario({
    replicas: 3,
    annotations: { "lockstep.dev/broken-pods": "Wait" },
    spec: rolling(1),
  });
  await scenario.settled();
  await scenario.setImage("web:broken");
  await scenario.clock.runFor(60_000);
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(120_000);
  expect(scenario.drawing()).toEqual(["web-0 web:v1", "web-1 web:v1", "web-2 web:broken!"]);
  await scenario.patch({ metadata: { annotations: { "lockstep.dev/broken-pods": null } } });
  await scenario.settled();
  expect(scenario.drawing()).toEqual(pods(3, "web:v2"));
});
