/** Whether what a set says of itself is so: canaries, stalls, first starts, and settings that do nothing. */
import { expect, test } from "vitest";
import type { Condition } from "../../src/api/apps.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import type { PodCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";

const conditionIn = (
  object: { readonly status?: { readonly conditions?: readonly Condition[] } } | undefined,
  wanted: string,
) => object?.status?.conditions?.find(({ type }) => type === wanted);

const group = (updateStrategy: Record<string, unknown> = {}) => ({
  cliques: { lead: {}, work: {} },
  groups: { decode: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1, updateStrategy } },
});

const images = (version: string) => ({ lead: `lead:${version}`, work: `work:${version}` });

async function canary(strategy: Record<string, unknown>): Promise<PodCliqueSetScenario> {
  const scenario = await podCliqueSetScenario({ ...group({ partition: 1 }), strategy });
  await scenario.settled();
  await scenario.setImages(images("v2"));
  await scenario.settled();
  return scenario;
}

test("PS21 a canary by a group's partition rests, says how far it is, and is not rolled out", async () => {
  const scenario = await canary({});
  const { status } = await scenario.set();
  expect(status).toMatchObject({ updatedReplicas: 0, availableReplicas: 1 });
  expect(status?.currentRevision).not.toBe(status?.updateRevision);
  expect(status?.updateProgress?.updatedPodCliqueScalingGroupsCount).toBe(0);
  expect(conditionIn({ status }, "Progressing")).toMatchObject({
    status: "False",
    reason: "AtPartition",
    message: "chat-0-decode 1 of 2 updated, partition 1",
  });
  const [decode] = await scenario.groups();
  expect(conditionIn(decode, "Progressing")).toMatchObject({
    status: "False",
    reason: "AtPartition",
    message: "1 of 2 updated, partition 1",
  });
});

test("PS21 a canary by a clique's partition says so too, and promoting it ends the rollout", async () => {
  const cliques = { front: { replicas: 2, updateStrategy: { partition: 1 } } };
  const scenario = await podCliqueSetScenario({ cliques });
  await scenario.settled();
  await scenario.setImages({ front: "front:v2" });
  await scenario.settled();
  expect(await scenario.condition("Progressing")).toMatchObject({
    reason: "AtPartition",
    message: "chat-0-front 1 of 2 updated, partition 1",
  });
  const { spec } = await scenario.set();
  const promoted = spec.template.cliques.map((clique) => ({
    ...clique,
    updateStrategy: { partition: 0 },
  }));
  await scenario.patch({ spec: { template: { cliques: promoted } } });
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  const { status } = await scenario.set();
  expect(status).toMatchObject({ updatedReplicas: 1, currentRevision: status?.updateRevision });
  expect(await scenario.condition("Progressing")).toMatchObject({ reason: "RolledOut" });
});

test("PS10 a promoted canary that gets stuck is rolled back to the revision before it", async () => {
  const stuck = { progressDeadlineSeconds: 60, onStuck: "Rollback" };
  const scenario = await canary(stuck);
  const before = (await scenario.set()).status?.currentRevision;
  await scenario.setImages(images("broken"));
  await scenario.clock.runFor(300_000);
  const { status } = await scenario.set();
  expect(status?.updateRevision).toBe(before);
  const [event] = (await scenario.events("chat")).filter((line) => line.startsWith("RolledBack"));
  expect(event).toMatch(/lead app image broken -> v1.*no progress since .*ImagePull/);
});

test("PS21 UpdateInProgress and Progressing are True until a new set is there for the first time", async () => {
  const slow = { annotations: { "sim.lockstep.dev/ready-seconds": "60" } };
  const scenario = await podCliqueSetScenario({ cliques: { front: slow } });
  await scenario.clock.runFor(40_000);
  for (const type of ["UpdateInProgress", "Progressing", "Reconciling"]) {
    expect(await scenario.condition(type)).toMatchObject({ status: "True" });
  }
  expect(await scenario.condition("Available")).toMatchObject({
    status: "False",
    message: "0 of 1 replica available, 1 needed",
  });
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "False" });
  await scenario.settled();
  for (const type of ["UpdateInProgress", "Progressing", "Reconciling", "Stalled"]) {
    expect(await scenario.condition(type)).toMatchObject({ status: "False" });
  }
  expect(await scenario.condition("Available")).toMatchObject({ status: "True" });
});

test("PS21 a set whose minimum serves is not rolled out before its last pod is there, and stalls with it", async () => {
  const taker = { resources: { limits: { "nvidia.com/gpu": "8" } } };
  const podSpec = { containers: [{ name: "app", image: "front:v1", ...taker }] };
  const scenario = await podCliqueSetScenario({
    nodes: 1,
    strategy: { progressDeadlineSeconds: 60 },
    cliques: { front: { replicas: 2, minAvailable: 1, podSpec } },
  });
  await scenario.clock.runFor(30_000);
  expect(await scenario.condition("Available")).toMatchObject({ status: "True" });
  expect(await scenario.condition("UpdateInProgress")).toMatchObject({ status: "True" });
  const moving = await scenario.condition("Progressing");
  expect(moving).toMatchObject({ status: "True", reason: "UnitNotComplete" });
  expect(moving?.message).toMatch(
    /^waiting for chat-0 to be complete; chat-0-front-1: not scheduled: .*Insufficient nvidia.com\/gpu/,
  );
  await scenario.clock.runFor(120_000);
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "True" });
});

test("PS21 a set that never starts is Stalled after the default deadline, with the cause up to the top", async () => {
  const scenario = await podCliqueSetScenario({ cliques: { front: { image: "front:broken" } } });
  await scenario.clock.runFor(1_700_000);
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "False" });
  await scenario.clock.runFor(200_000);
  const [clique] = await scenario.cliques();
  const cause = /chat-0-front-0: ImagePullBackOff/;
  for (const condition of [await scenario.condition("Stalled"), conditionIn(clique, "Stalled")]) {
    expect(condition).toMatchObject({ status: "True", reason: "ProgressDeadlineExceeded" });
    expect(condition?.message).toMatch(cause);
  }
  expect(await scenario.events("chat")).toContainEqual(
    expect.stringMatching(/^Stalled: .*ImagePull/),
  );
  await scenario.setImages({ front: "front:v1" });
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "False" });
  expect(await scenario.events("chat")).toContainEqual(expect.stringMatching(/^Resumed: /));
});

test("PS21 a pod that fails long after the rollout is no stall at once", async () => {
  const scenario = await podCliqueSetScenario({ cliques: { front: {} } });
  await scenario.settled();
  await scenario.clock.runFor(7_200_000);
  await scenario.cordon(true);
  await scenario.deletePod("chat-0-front-0");
  await scenario.clock.runFor(60_000);
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "False" });
  expect((await scenario.condition("Progressing"))?.message).toMatch(
    /chat-0-front-0: not scheduled: .*unschedulable/,
  );
});

test("PS21 what the scheduler says is quoted by clique, group, gang and set", async () => {
  const gpus = {
    containers: [
      { name: "app", image: "work:v1", resources: { limits: { "nvidia.com/gpu": "64" } } },
    ],
  };
  const scenario = await podCliqueSetScenario({
    cliques: { lead: {}, work: { podSpec: gpus } },
    groups: { decode: { cliques: ["lead", "work"] } },
  });
  await scenario.clock.runFor(120_000);
  const cause = /chat-0-decode-0-work-0: not scheduled: .*Insufficient nvidia\.com\/gpu/;
  const clique = (await scenario.cliques()).find(({ metadata }) => metadata.name?.endsWith("work"));
  const [decode] = await scenario.groups();
  const [gang] = await scenario.gangs();
  expect((await scenario.condition("Progressing"))?.message).toMatch(cause);
  expect((await scenario.condition("Available"))?.message).toMatch(cause);
  expect(conditionIn(decode, "Progressing")?.message).toMatch(cause);
  expect(conditionIn(clique, "Progressing")?.message).toMatch(cause);
  expect(conditionIn(gang, "Scheduled")?.message).toMatch(
    /^chat-0-decode-0-lead has 0 of 1 pod on nodes, .*not scheduled: .*Insufficient nvidia\.com\/gpu/,
  );
});

test("PS21 a number edited in the template of what runs is named, with the command for it", async () => {
  const scenario = await podCliqueSetScenario({ ...group(), replicas: 2 });
  await scenario.settled();
  await scenario.scaleGroup("chat-1-decode", 3);
  await scenario.settled();
  expect(await scenario.condition("SpecAccepted")).toMatchObject({ reason: "Accepted" });
  const { spec } = await scenario.set();
  const podCliqueScalingGroups = (spec.template.podCliqueScalingGroups ?? []).map((each) => ({
    ...each,
    replicas: 4,
  }));
  await scenario.patch({ spec: { template: { podCliqueScalingGroups } } });
  await scenario.clock.runFor(10_000);
  expect(await scenario.condition("SpecAccepted")).toMatchObject({
    status: "True",
    reason: "SettingsWithoutEffect",
    message:
      "spec.template.podCliqueScalingGroups[decode].replicas of 4 has no effect on chat-0-decode, chat-1-decode: " +
      "kubectl scale pcsg chat-0-decode chat-1-decode --replicas=4",
  });
  await scenario.scaleGroup("chat-0-decode", 4);
  await scenario.scaleGroup("chat-1-decode", 4);
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  expect(await scenario.condition("SpecAccepted")).toMatchObject({ reason: "Accepted" });
});

test("PS21 a surge that is given up is an event with the cause, because its pod is gone afterwards", async () => {
  const updateStrategy = { maxUnavailable: 0, maxSurge: 1 };
  const strategy = { progressDeadlineSeconds: 60, onStuck: "ReleaseSurge" };
  const scenario = await podCliqueSetScenario({
    cliques: { front: { replicas: 2, updateStrategy } },
    strategy,
    nodes: 1,
    shape: { pods: 2 },
  });
  await scenario.settled();
  await scenario.setImages({ front: "front:v2" });
  await scenario.clock.runFor(200_000);
  expect(await scenario.events("chat")).toContainEqual(
    expect.stringMatching(
      /^SurgeReleased: gave up surge chat-0-front-2, .*not scheduled: .*Too many pods.*raise maxUnavailable$/,
    ),
  );
  const [clique] = await scenario.cliques();
  expect(conditionIn(clique, "Progressing")?.message).toMatch(/the surge was released because/);
});

test("PS21 replicas of a group that are replaced are reported as deleted", async () => {
  const scenario = await podCliqueSetScenario(group());
  await scenario.settled();
  await scenario.setImages(images("v2"));
  await scenario.settled();
  await scenario.clock.runFor(120_000);
  const deleted = (await scenario.events("chat")).filter((line) =>
    line.startsWith("PodCliqueScalingGroupReplicaDeleteSuccessful"),
  );
  expect(deleted.join(" ")).toMatch(/deleted replica chat-0-decode-0.*chat-0-decode-1/);
});

test("PS21 a clique that waits for its turn has no updated pods", async () => {
  const slow = { annotations: { "sim.lockstep.dev/ready-seconds": "60" } };
  const scenario = await podCliqueSetScenario({ replicas: 2, cliques: { front: slow } });
  await scenario.settled();
  await scenario.setImages({ front: "front:v2" });
  await scenario.clock.runFor(30_000);
  const counts = (await scenario.cliques()).map(
    ({ metadata, status }) => `${metadata.name} ${status?.updatedReplicas}`,
  );
  expect(counts).toEqual(["chat-0-front 1", "chat-1-front 0"]);
});

/** Every clique and gang that says something is broken, and how soon it has to. */
async function quoting(scenario: PodCliqueSetScenario, cause: string): Promise<string[]> {
  const parts = [...(await scenario.cliques()), ...(await scenario.gangs())];
  return parts
    .filter((part) => JSON.stringify(part.status?.conditions ?? []).includes(cause))
    .map(({ metadata }) => metadata.name ?? "");
}

test("a new clique and its gang say at once that an image cannot be pulled", async () => {
  const scenario = await podCliqueSetScenario({ cliques: { front: { image: "front:broken" } } });
  await scenario.clock.runFor(6_000);
  expect(await quoting(scenario, "ErrImagePull")).toEqual(["chat-0-front", "chat-0"]);
});

test("a gang that runs says so of a pod that is replaced", async () => {
  const scenario = await podCliqueSetScenario({ cliques: { front: { replicas: 1 } } });
  await scenario.settled();
  await scenario.setImages({ front: "front:broken" });
  await scenario.clock.runFor(15_000);
  expect(await quoting(scenario, "ErrImagePull")).toEqual(["chat-0-front", "chat-0"]);
});
