/** PodCliques from end to end, in virtual time on the embedded cluster. */
import { expect, test } from "vitest";
import { podGangGate } from "../../src/api/grove/labels.ts";
import type { Pod } from "../../src/api/pod.ts";
import { podResource } from "../../src/api/pod.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import { crashAfter } from "../../src/sim/faults.ts";
import { podCliqueOf, podCliqueScenario } from "../builders/pod-clique-scenario.ts";

/** Creations and deletions by index, without times. */
const untimed = (lines: readonly string[]): string[] =>
  lines
    .filter((line) => !line.endsWith(" up"))
    .map((line) => line.replace(/^\d+s /, "").replace(/ in chat-0$/, ""))
    .map((line) => line.replaceAll("chat-0-web-", ""));

/** In the middle of an update of a clique that was at rest: lines and the guard begin with it. */
async function updating(options: Parameters<typeof podCliqueScenario>[0] = {}) {
  const scenario = await podCliqueScenario(options);
  await scenario.settled();
  const guarded = scenario.guard();
  scenario.timeline.take();
  await scenario.setImage("web:v2");
  return { scenario, guarded };
}

const oneByOne = ["-0 web:v1", "+0 web:v2", "-1 web:v1", "+1 web:v2", "-2 web:v1", "+2 web:v2"];

test("a clique gets its pods with hostnames from 0, listed in their gang and let go", async () => {
  const scenario = await podCliqueScenario();
  await scenario.settled();
  expect(scenario.drawing()).toEqual([
    "chat-0-web-0 web:v1",
    "chat-0-web-1 web:v1",
    "chat-0-web-2 web:v1",
  ]);
  expect((await scenario.clique()).status).toMatchObject({
    replicas: 3,
    readyReplicas: 3,
    scheduledReplicas: 3,
    updatedReplicas: 3,
    scheduleGatedReplicas: 0,
    hpaPodSelector:
      "app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=chat,grove.io/podclique=chat-0-web",
    currentPodTemplateHash: "web-v1",
  });
  expect(await scenario.condition("MinAvailableBreached")).toMatchObject({ status: "False" });
  await scenario.clock.runFor(5_000);
  expect((await scenario.gang()).status).toMatchObject({ phase: "Running" });
  const [pod] = scenario.timeline.pods();
  expect(pod?.spec).toMatchObject({ subdomain: "chat-0" });
});

test("by default the oldest pod goes first, one by one, and its successor waits for the hostname", async () => {
  const { scenario, guarded } = await updating();
  await scenario.clock.runFor(4_000);
  expect(await scenario.condition("MinAvailableBreached")).toMatchObject({
    status: "Unknown",
    reason: "UpdateInProgress",
  });
  await scenario.settled();
  expect(untimed(scenario.timeline.lines())).toEqual(oneByOne);
  expect(guarded).toEqual({ fewest: 2, most: 3 });
  await scenario.clock.runFor(5_000);
  const { status } = await scenario.clique();
  expect(status).toMatchObject({ currentPodTemplateHash: "web-v2", updatedReplicas: 3 });
  expect(status?.updateProgress?.updateEndedAt).toBeDefined();
});

test("with surge a pod above the count comes first and leaves last", async () => {
  const updateStrategy = { maxUnavailable: 0, maxSurge: 1 };
  const { scenario, guarded } = await updating({ cliques: [{ spec: { updateStrategy } }] });
  await scenario.settled();
  expect(untimed(scenario.timeline.lines())).toEqual(["+3 web:v2", ...oneByOne, "-3 web:v2"]);
  expect(guarded).toEqual({ fewest: 3, most: 4 });
});

test("RU10 a replacement without a node stops the update, and it goes on when there is room", async () => {
  const scenario = await podCliqueScenario({ nodes: 1, gpus: 3 });
  await scenario.settled();
  const blocker = { limits: { "nvidia.com/gpu": 1 } };
  await scenario.setImage("web:v2");
  await scenario.create("thief", {
    priority: 0,
    containers: [{ name: "app", image: "app:v1", resources: blocker }],
  });
  await scenario.clock.runFor(120_000);
  expect(scenario.drawing().filter((line) => line.startsWith("chat"))).toEqual([
    "chat-0-web-0 web:v2!",
    "chat-0-web-1 web:v1",
    "chat-0-web-2 web:v1",
  ]);
  expect(await scenario.condition("UpdateInProgress")).toMatchObject({
    status: "True",
    message: expect.stringContaining("chat-0-web-") as string,
  });
  await scenario.deletePod("thief");
  await scenario.settled();
  expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
});

test("RO3 RO6 a broken image stops at the budget; the next one gets past it without waiting", async () => {
  const updateStrategy = { maxUnavailable: 2 };
  const spec = { replicas: 5, minAvailable: 3, updateStrategy };
  const scenario = await podCliqueScenario({ cliques: [{ spec }] });
  await scenario.settled();
  const guarded = scenario.guard();
  await scenario.setImage("web:broken");
  await scenario.clock.runFor(120_000);
  expect(guarded.fewest).toBe(3);
  expect(await scenario.condition("UpdateInProgress")).toMatchObject({
    message: expect.stringContaining("ImagePullBackOff") as string,
  });
  await scenario.setImage("web:v3");
  await scenario.settled();
  expect(guarded.fewest).toBe(3);
});

test("RU18 RU20 scaling in the middle of an update ends with the right pods on the new template", async () => {
  const { scenario } = await updating();
  await scenario.clock.runFor(1_000);
  await scenario.scale(5);
  await scenario.clock.runFor(2_000);
  await scenario.scale(2);
  await scenario.settled();
  expect(scenario.drawing()).toEqual(["chat-0-web-0 web:v2", "chat-0-web-1 web:v2"]);
});

test("OD1 OD2 under OnDelete nothing moves until somebody deletes a pod, which comes back at its place", async () => {
  const updateStrategy = { type: "OnDelete" } as const;
  const { scenario } = await updating({ cliques: [{ spec: { updateStrategy } }] });
  await scenario.clock.runFor(60_000);
  expect(scenario.timeline.lines()).toEqual([]);
  const { status } = await scenario.clique();
  expect(status?.updateProgress?.updateEndedAt).toBe(status?.updateProgress?.updateStartedAt);
  expect(status).toMatchObject({ updatedReplicas: 0, currentPodTemplateHash: "web-v1" });
  expect(await scenario.condition("MinAvailableBreached")).toMatchObject({ status: "False" });
  const victim = scenario.timeline.pods().find((pod) => pod.spec.hostname === "chat-0-web-1");
  await scenario.deletePod(victim?.metadata.name ?? "");
  await scenario.settled();
  expect(scenario.drawing()).toEqual([
    "chat-0-web-0 web:v1",
    "chat-0-web-1 web:v2",
    "chat-0-web-2 web:v1",
  ]);
  await scenario.clock.runFor(5_000);
  expect((await scenario.clique()).status?.updatedReplicas).toBe(1);
});

test("OD3 under OnDelete scale-in takes outdated pods first", async () => {
  const updateStrategy = { type: "OnDelete" } as const;
  const { scenario } = await updating({ cliques: [{ spec: { updateStrategy } }] });
  const victim = scenario.timeline.pods().find((pod) => pod.spec.hostname === "chat-0-web-2");
  await scenario.deletePod(victim?.metadata.name ?? "");
  await scenario.settled();
  await scenario.scale(1);
  await scenario.settled();
  expect(scenario.drawing()).toEqual(["chat-0-web-2 web:v2"]);
});

test("a paused clique waits, and one that waits for its turn has not begun", async () => {
  const updateStrategy = { paused: true };
  const { scenario } = await updating({ cliques: [{ spec: { updateStrategy } }] });
  await scenario.clock.runFor(60_000);
  expect(scenario.timeline.lines()).toEqual([]);
  expect((await scenario.clique()).status?.updateProgress).toBeUndefined();
  await scenario.patch({ spec: { updateStrategy: { paused: false } } });
  await scenario.settled();
  expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
});

test("CQ2 members of a scaling group never roll by themselves", async () => {
  const labels = {
    "grove.io/podcliquescalinggroup": "chat-0-sg",
    "grove.io/podcliquescalinggroup-replica-index": "0",
  };
  const { scenario } = await updating({ cliques: [{ labels }] });
  await scenario.clock.runFor(60_000);
  expect(scenario.timeline.lines()).toEqual([]);
  expect((await scenario.clique()).status?.hpaPodSelector).toBeUndefined();
});

test("CQ1 P2 a clique made anew under the same name waits until the pods of the old one are gone", async () => {
  const scenario = await podCliqueScenario({ cliques: [{ image: "web:stubborn" }] });
  await scenario.settled();
  await scenario.client.delete(podCliqueResource, { namespace: "default", name: "chat-0-web" });
  await scenario.client.create(podCliqueResource, podCliqueOf({ image: "web:v2" }));
  await scenario.settled();
  expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
});

test("a pod that ended for good is replaced whatever the strategy", async () => {
  const updateStrategy = { type: "OnDelete" } as const;
  const scenario = await podCliqueScenario({ cliques: [{ spec: { updateStrategy } }] });
  await scenario.settled();
  const [pod] = scenario.timeline.pods();
  const body = { status: { phase: "Failed", reason: "Evicted" } };
  const key = { namespace: "default", name: pod?.metadata.name ?? "" };
  await scenario.client.patch(podResource, key, { type: "merge", body }, { subresource: "status" });
  await scenario.settled();
  expect(scenario.timeline.pods().some(({ metadata }) => metadata.uid === pod?.metadata.uid)).toBe(
    false,
  );
});

test("creating a clique takes two writes per pod and a few more; replacing a pod at most five", async () => {
  const spec = { replicas: 20, minAvailable: 20, updateStrategy: { maxUnavailable: 4 } };
  const gangs = { "chat-0": { "chat-0-web": 20 } };
  const scenario = await podCliqueScenario({ nodes: 4, cliques: [{ spec }], gangs });
  await scenario.settled();
  await scenario.clock.runFor(30_000);
  const total = (): number =>
    Object.entries(scenario.writes)
      .filter(([what]) => !what.endsWith("events"))
      .reduce((sum, [, count]) => sum + count, 0);
  expect(scenario.writes["create pods"]).toBe(20);
  expect(scenario.writes["patch pods"]).toBe(20);
  expect(total()).toBeLessThanOrEqual(20 * 2 + 6);
  for (const key of Object.keys(scenario.writes)) delete scenario.writes[key];
  await scenario.setImage("web:v2");
  await scenario.settled();
  await scenario.clock.runFor(30_000);
  expect(total() / 20).toBeLessThanOrEqual(5);
});

test("a gate of somebody else stays when ours goes", async () => {
  const spec = { replicas: 1, minAvailable: 1 };
  const scenario = await podCliqueScenario({ cliques: [{ spec }] });
  await scenario.settled();
  // Nobody is there while the pod is made.
  await scenario.restart((transport) => crashAfter(transport, 0));
  const [first] = scenario.timeline.pods();
  const gates = [{ name: "kueue.x-k8s.io/admission" }, { name: podGangGate }];
  const { labels, ownerReferences, namespace } = first!.metadata;
  await scenario.client.create<Pod>(podResource, {
    metadata: { name: "chat-0-web-admit", namespace, labels, ownerReferences },
    spec: {
      containers: [{ name: "app", image: "web:v1" }],
      hostname: "chat-0-web-1",
      schedulingGates: gates,
    },
  });
  await scenario.scale(2);
  await scenario.restart();
  await scenario.clock.runFor(10_000);
  const held = await scenario.pod("chat-0-web-admit");
  expect(held.spec.schedulingGates).toEqual([{ name: "kueue.x-k8s.io/admission" }]);
});

test("RO13 below a partition pods keep their template, also when they are lost", async () => {
  const updateStrategy = { partition: 2, maxUnavailable: 3 };
  const scenario = await podCliqueScenario({ cliques: [{ spec: { updateStrategy } }] });
  await scenario.recordRevision("web:v1");
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(60_000);
  const kept = ["chat-0-web-0 web:v1", "chat-0-web-1 web:v1", "chat-0-web-2 web:v2"];
  expect(scenario.drawing()).toEqual(kept);
  expect((await scenario.clique()).status?.updateProgress?.updateEndedAt).toBeDefined();
  const lost = scenario.timeline.pods().find((pod) => pod.spec.hostname === "chat-0-web-0");
  await scenario.deletePod(lost?.metadata.name ?? "");
  await scenario.clock.runFor(60_000);
  expect(scenario.drawing()).toEqual(kept);
  expect((await scenario.clique()).status?.currentPodTemplateHash).toBe("web-v1");
  await scenario.patch({ spec: { updateStrategy: { partition: 0 } } });
  await scenario.settled();
  expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
});

test("RO15 past the deadline the update says so, and a surge that does not come up is given up", async () => {
  const updateStrategy = {
    maxUnavailable: 0,
    maxSurge: 1,
    progressDeadlineSeconds: 60,
    onStuck: "ReleaseSurge",
  } as const;
  const scenario = await podCliqueScenario({ cliques: [{ spec: { updateStrategy } }] });
  await scenario.settled();
  const guarded = scenario.guard();
  await scenario.setImage("web:broken");
  await scenario.clock.runFor(30_000);
  expect(scenario.drawing()).toContain("chat-0-web-3 web:broken!");
  await scenario.clock.runFor(60_000);
  expect(scenario.drawing()).toHaveLength(3);
  for (const [type, status] of [
    ["UpdateInProgress", "True"],
    ["Progressing", "False"],
    ["Stalled", "True"],
  ] as const) {
    expect(await scenario.condition(type)).toMatchObject({
      status,
      reason: "ProgressDeadlineExceeded",
    });
  }
  await scenario.setImage("web:v2");
  await scenario.settled();
  expect(guarded.fewest).toBe(3);
});

test("RO6 going back keeps every pod that is still on the old template", async () => {
  const spec = { replicas: 4, updateStrategy: { maxUnavailable: 2 } };
  const scenario = await podCliqueScenario({ cliques: [{ spec }] });
  await scenario.settled();
  const before = new Set(scenario.timeline.pods().map(({ metadata }) => metadata.uid));
  await scenario.setImage("web:broken");
  await scenario.clock.runFor(30_000);
  await scenario.setImage("web:v1");
  await scenario.settled();
  const kept = scenario.timeline.pods().filter(({ metadata }) => before.has(metadata.uid));
  expect(kept).toHaveLength(2);
});

test("scaled out after an update, a clique has nothing to roll", async () => {
  const scenario = await podCliqueScenario();
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.settled();
  scenario.timeline.take();
  await scenario.scale(5);
  await scenario.settled();
  expect(untimed(scenario.timeline.lines())).toEqual(["+3 web:v2", "+4 web:v2"]);
});

test("CQ3 a pod that crashed once and is Ready breaches nothing; one that lost its readiness does", async () => {
  const spec = { replicas: 1, minAvailable: 1 };
  const scenario = await podCliqueScenario({ cliques: [{ image: "web:crash", spec }] });
  await scenario.clock.runFor(20_000);
  expect(await scenario.condition("MinAvailableBreached")).toMatchObject({
    status: "True",
    reason: "InsufficientReadyPods",
  });
});

test("CQ3 losing the node of a needed pod is a breach, with its time", async () => {
  const spec = { replicas: 2, minAvailable: 2 };
  const scenario = await podCliqueScenario({ nodes: 2, gpus: 1, cliques: [{ spec }] });
  await scenario.settled();
  const [pod] = scenario.timeline.pods();
  scenario.cluster.failNode(pod?.spec.nodeName ?? "");
  await scenario.clock.runFor(120_000);
  expect(await scenario.condition("MinAvailableBreached")).toMatchObject({ status: "True" });
});

test("a pod that is lost after an update is no update", async () => {
  const scenario = await podCliqueScenario();
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.settled();
  await scenario.clock.runFor(5_000);
  const { updateProgress } = (await scenario.clique()).status ?? {};
  await scenario.deletePod(scenario.timeline.pods()[0]?.metadata.name ?? "");
  await scenario.clock.runFor(2_000);
  expect((await scenario.clique()).status?.updateProgress).toEqual(updateProgress);
  expect(await scenario.condition("MinAvailableBreached")).toMatchObject({ status: "False" });
});
