/** Pods and their places: creation, scaling, failures, adoption and release, and the end of a set. */
import { expect, test } from "vitest";
import type { Pod } from "../../src/api/pod.ts";
import { podResource } from "../../src/api/pod.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import { rolling, statefulSetOf, statefulSetScenario } from "../builders/stateful-set-scenario.ts";

const parallel = { podManagementPolicy: "Parallel" } as const;
const namespace = "default";
const key = { namespace, name: "web" };

const uids = (pods: readonly Pod[]): (string | undefined)[] =>
  pods.map(({ metadata }) => metadata.uid);

test("ST11 a pod carries its identity in name, labels, hostname and owner", async () => {
  const scenario = await statefulSetScenario({ replicas: 2, spec: { serviceName: "governing" } });
  await scenario.settled();
  const revision = (await scenario.set()).status?.updateRevision ?? "";
  const pod = await scenario.pod("web-1");
  expect(pod.metadata).toMatchObject({
    generateName: "web-",
    labels: {
      app: "web",
      "statefulset.kubernetes.io/pod-name": "web-1",
      "apps.kubernetes.io/pod-index": "1",
      "controller-revision-hash": revision,
    },
  });
  expect(pod.metadata.ownerReferences).toEqual([
    {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      name: "web",
      uid: (await scenario.set()).metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ]);
  expect(pod.spec).toMatchObject({ hostname: "web-1", subdomain: "governing" });
});

test("ST11 a lost pod-name label is repaired, a lost revision label means replacement", async () => {
  const scenario = await statefulSetScenario({ replicas: 2, spec: parallel });
  await scenario.settled();
  const before = await scenario.pod("web-0");
  const labels = (changes: Record<string, null>) => ({
    type: "merge" as const,
    body: { metadata: { labels: changes } },
  });
  await scenario.client.patch(
    podResource,
    { namespace, name: "web-0" },
    labels({ "statefulset.kubernetes.io/pod-name": null }),
  );
  await scenario.client.patch(
    podResource,
    { namespace, name: "web-1" },
    labels({ "controller-revision-hash": null }),
  );
  await scenario.clock.runFor(30_000);
  const repaired = await scenario.pod("web-0");
  expect(repaired.metadata.uid).toBe(before.metadata.uid);
  expect(repaired.metadata.labels?.["statefulset.kubernetes.io/pod-name"]).toBe("web-0");
  const replaced = await scenario.pod("web-1");
  const { status } = await scenario.set();
  expect(replaced.metadata.labels?.["controller-revision-hash"]).toBe(status?.updateRevision);
});

test.each<[string, number | undefined, number, string[]]>([
  ["without ordinals", undefined, 3, ["web-0", "web-1", "web-2"]],
  ["from 4", 4, 4, ["web-4", "web-5", "web-6", "web-7"]],
  ["from 2", 2, 3, ["web-2", "web-3", "web-4"]],
  ["from 2", 2, 7, [2, 3, 4, 5, 6, 7, 8].map((ordinal) => `web-${ordinal}`)],
])(
  "ST8 %s (%s) %i replicas; scaled to one, the first stays",
  async (_text, start, replicas, want) => {
    const ordinals = start === undefined ? {} : { ordinals: { start } };
    const scenario = await statefulSetScenario({ replicas, spec: ordinals });
    await scenario.settled();
    const names = (): string[] => scenario.drawing().map((line) => line.split(" ")[0] ?? "");
    expect(names()).toEqual(want);
    await scenario.patch({ spec: { replicas: 1 } });
    await scenario.settled();
    expect(names()).toEqual(want.slice(0, 1));
  },
);

test("ST8 a start that moves makes the new places first and then takes the old ones from the top", async () => {
  const scenario = await statefulSetScenario({ replicas: 2 });
  await scenario.settled();
  scenario.timeline.take();
  await scenario.patch({ spec: { ordinals: { start: 2 } } });
  await scenario.settled();
  expect(scenario.timeline.lines().map((line) => line.split(" ")[1])).toEqual([
    "+web-2",
    "+web-3",
    "-web-1",
    "-web-0",
  ]);
});

test("ST14 ordered scaling goes up and down one by one and halts at an unready pod", async () => {
  const scenario = await statefulSetScenario({ replicas: 1, gated: true });
  await scenario.clock.runFor(5_000);
  await scenario.patch({ spec: { replicas: 3 } });
  await scenario.clock.runFor(30_000);
  expect(scenario.drawing()).toEqual(["web-0 web:v1!"]);
  for (const name of ["web-0", "web-1", "web-2"]) {
    await scenario.openGate(name);
    await scenario.clock.runFor(5_000);
  }
  expect(scenario.drawing()).toHaveLength(3);
  await scenario.closeGate("web-1");
  await scenario.patch({ spec: { replicas: 0 } });
  await scenario.clock.runFor(30_000);
  expect(scenario.drawing()).toEqual([]);
});

test("ST14 scaling in halts while a pod that stays is not ready", async () => {
  const scenario = await statefulSetScenario({ replicas: 3, gated: true, spec: rolling(1) });
  for (const name of ["web-0", "web-1", "web-2"]) {
    await scenario.clock.runFor(5_000);
    await scenario.openGate(name);
  }
  await scenario.settled();
  await scenario.closeGate("web-0");
  await scenario.patch({ spec: { replicas: 1 } });
  await scenario.clock.runFor(30_000);
  expect(scenario.drawing()).toHaveLength(3);
  scenario.timeline.take();
  await scenario.openGate("web-0");
  await scenario.settled();
  expect(scenario.timeline.lines().map((line) => line.split(" ")[1])).toEqual(["-web-2", "-web-1"]);
});

test("ST14 Parallel scaling does not wait for readiness, up or down", async () => {
  const scenario = await statefulSetScenario({ replicas: 1, gated: true, spec: parallel });
  await scenario.patch({ spec: { replicas: 5 } });
  await scenario.clock.runFor(5_000);
  expect(scenario.drawing()).toHaveLength(5);
  await scenario.patch({ spec: { replicas: 0 } });
  await scenario.settled();
  expect(scenario.drawing()).toEqual([]);
});

test("ST14 a condemned pod that is not ready goes without waiting for its recovery", async () => {
  const scenario = await statefulSetScenario({ replicas: 3, gated: true });
  for (const name of ["web-0", "web-1", "web-2"]) {
    await scenario.clock.runFor(5_000);
    await scenario.openGate(name);
  }
  await scenario.settled();
  await scenario.closeGate("web-1");
  await scenario.closeGate("web-2");
  await scenario.patch({ spec: { replicas: 1 } });
  await scenario.settled();
  expect(scenario.drawing()).toEqual(["web-0 web:v1"]);
});

test("ST14 a place whose pod still terminates is filled only after the pod is gone", async () => {
  const scenario = await statefulSetScenario({ replicas: 3, image: "stubborn:v1", spec: parallel });
  await scenario.settled();
  scenario.timeline.take();
  await scenario.deletePod("web-1");
  await scenario.clock.runFor(20_000);
  expect(scenario.timeline.lines()).toEqual([expect.stringMatching(/ -web-1$/)]);
  await scenario.clock.runFor(30_000);
  expect(scenario.timeline.lines()[1]).toMatch(/\+web-1 /);
});

test("ST14 a predecessor that is lost while a later pod is unhealthy comes back", async () => {
  const scenario = await statefulSetScenario({ replicas: 2, gated: true });
  for (const name of ["web-0", "web-1"]) {
    await scenario.clock.runFor(5_000);
    await scenario.openGate(name);
  }
  await scenario.closeGate("web-1");
  await scenario.deletePod("web-0");
  await scenario.clock.runFor(10_000);
  await scenario.openGate("web-0");
  await scenario.openGate("web-1");
  await scenario.settled();
  expect(scenario.drawing()).toEqual(["web-0 web:v1", "web-1 web:v1"]);
});

test.each(["Failed", "Succeeded"] as const)(
  "ST22 a pod that %s is deleted once and made again",
  async (phase) => {
    const scenario = await statefulSetScenario({ replicas: 3, spec: parallel });
    await scenario.settled();
    const before = await scenario.pod("web-1");
    scenario.timeline.take();
    const body = { status: { phase, reason: "Evicted" } };
    await scenario.client.patch(
      podResource,
      { namespace, name: "web-1" },
      { type: "merge", body },
      { subresource: "status" },
    );
    await scenario.clock.runFor(20_000);
    expect(scenario.timeline.lines().filter((line) => line.includes("+web-1"))).toHaveLength(1);
    const after = await scenario.pod("web-1");
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.status?.phase).toBe("Running");
  },
);

test("ST22 a pod held by a finalizer is not replaced before the finalizer goes", async () => {
  const scenario = await statefulSetScenario({
    replicas: 2,
    spec: { ...parallel, ...rolling(1, 1) },
  });
  await scenario.settled();
  const finalizers = {
    type: "merge",
    body: { metadata: { finalizers: ["test.dev/hold"] } },
  } as const;
  await scenario.client.patch(podResource, { namespace, name: "web-0" }, finalizers);
  await scenario.setImage("web:v2");
  await scenario.deletePod("web-0");
  await scenario.clock.runFor(30_000);
  expect(scenario.drawing()).toHaveLength(2);
  const open = { type: "merge", body: { metadata: { finalizers: [] } } } as const;
  await scenario.client.patch(podResource, { namespace, name: "web-0" }, open);
  await scenario.clock.runFor(60_000);
  expect(scenario.drawing()).toEqual(["web-0 web:v1", "web-1 web:v2"]);
});

test("ST13 a pod without its owner is adopted again, one without its labels released and replaced", async () => {
  // The name stays taken: the place is filled only when somebody takes the released pod away.
  const expected = [/Pod default\/web-1 exists already/];
  const scenario = await statefulSetScenario({ replicas: 2, spec: parallel, expected });
  await scenario.settled();
  const orphan = { type: "merge", body: { metadata: { ownerReferences: null } } } as const;
  const before = uids(await scenario.pods());
  await scenario.client.patch(podResource, { namespace, name: "web-0" }, orphan);
  await scenario.clock.runFor(5_000);
  expect((await scenario.pod("web-0")).metadata.ownerReferences?.[0]?.name).toBe("web");
  expect(uids(await scenario.pods())).toEqual(before);

  const relabel = { type: "merge", body: { metadata: { labels: { app: "debug" } } } } as const;
  await scenario.client.patch(podResource, { namespace, name: "web-1" }, relabel);
  await scenario.clock.runFor(5_000);
  const released = await scenario.pod("web-1");
  expect(released.metadata.ownerReferences ?? []).toEqual([]);
  expect((await scenario.events("web")).some((text) => text.startsWith("FailedStep"))).toBe(true);
  await scenario.deletePod("web-1");
  await scenario.settled();
  expect((await scenario.pod("web-1")).metadata.ownerReferences?.[0]?.name).toBe("web");
});

test("ST13 an orphan with the right name and labels is adopted, others are left alone", async () => {
  const scenario = await statefulSetScenario({ withoutSet: true });
  const metadata = { labels: { app: "web" } };
  await scenario.create("web-0", {}, metadata);
  await scenario.create("other-0", {}, metadata);
  await scenario.create("web-1", {}, { labels: { app: "else" } });
  await scenario.clock.runFor(10_000);
  await scenario.client.create(
    statefulSetResource,
    statefulSetOf({ replicas: 1, spec: { updateStrategy: { type: "OnDelete" } } }),
  );
  await scenario.clock.runFor(10_000);
  const owners = (await scenario.pods()).map(
    ({ metadata: { name, ownerReferences = [] } }) => `${name} ${ownerReferences.length}`,
  );
  expect(owners.toSorted()).toEqual(["other-0 0", "web-0 1", "web-1 0"]);
});

test.each(["Background", "Foreground"] as const)(
  "ST24 a set deleted in the %s makes no more pods, and they go with it",
  async (propagationPolicy) => {
    const scenario = await statefulSetScenario({ replicas: 3, spec: parallel });
    await scenario.settled();
    scenario.timeline.take();
    await scenario.client.delete(statefulSetResource, key, { propagationPolicy });
    await scenario.clock.runFor(60_000);
    expect(scenario.drawing()).toEqual([]);
    expect(scenario.timeline.lines().filter((line) => line.includes("+"))).toEqual([]);
  },
);

test("ST24 orphaned pods keep running and are taken over by the next set of that name", async () => {
  const scenario = await statefulSetScenario({ replicas: 3, spec: parallel });
  await scenario.settled();
  const before = uids(await scenario.pods());
  await scenario.client.delete(statefulSetResource, key, { propagationPolicy: "Orphan" });
  await scenario.clock.runFor(30_000);
  expect(uids(await scenario.pods())).toEqual(before);
  await scenario.client.create(statefulSetResource, statefulSetOf({ replicas: 3, spec: parallel }));
  await scenario.settled();
  expect(uids(await scenario.pods())).toEqual(before);
});

test("ST14 a node that is lost uses up the budget, and the rollout goes on when it is replaced", async () => {
  const scenario = await statefulSetScenario({
    replicas: 6,
    nodes: 3,
    spec: { ...parallel, ...rolling(3) },
  });
  await scenario.settled();
  const lost = (await scenario.pod("web-0")).spec.nodeName ?? "";
  scenario.cluster.failNode(lost);
  await scenario.clock.runFor(60_000);
  const guarded = scenario.guard();
  const down = 6 - guarded.fewest;
  expect(down).toBeGreaterThan(0);
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(120_000);
  expect(guarded.fewest).toBe(3);
  await scenario.cluster.removeNode(lost);
  await scenario.settled();
  expect(guarded.fewest).toBe(3);
  expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
});

test("ST14 scaling out waits under OrderedReady while a pod terminates, and its place is filled first", async () => {
  const scenario = await statefulSetScenario({ replicas: 3, image: "stubborn:v1" });
  await scenario.settled();
  scenario.timeline.take();
  await scenario.deletePod("web-0");
  await scenario.patch({ spec: { replicas: 5 } });
  await scenario.clock.runFor(20_000);
  expect(scenario.timeline.lines().filter((line) => line.includes("+"))).toEqual([]);
  await scenario.settled();
  const made = scenario.timeline.lines().filter((line) => line.includes("+"));
  expect(made.map((line) => line.split(" ")[1])).toEqual(["+web-0", "+web-3", "+web-4"]);
});
