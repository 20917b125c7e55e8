import { expect, test } from "vitest";
import { simulation } from "../../test/builders/simulation.ts";
import type { Node } from "../api/node.ts";
import { nodeResource } from "../api/node.ts";
import type { PodSpec } from "../api/pod.ts";
import { podCondition, podResource } from "../api/pod.ts";
import { isNotFound } from "../api/status.ts";

const gpus = (count: number, image = "app:v1"): Partial<PodSpec> => ({
  containers: [{ name: "app", image, resources: { limits: { "nvidia.com/gpu": count } } }],
});
const priorityClassResource = {
  group: "scheduling.k8s.io",
  version: "v1",
  plural: "priorityclasses",
  kind: "PriorityClass",
  namespaced: false,
};
const key = (name: string) => ({ namespace: "default", name });
const minutes = (count: number): number => count * 60_000;

test("eight nodes with eight gpus each are ready", async () => {
  const { client } = await simulation();
  const { items } = await client.list<Node>(nodeResource);
  expect(items.map((node) => node.metadata.name)).toEqual(
    Array.from({ length: 8 }, (_, index) => `node-${index}`),
  );
  expect(items[5]).toMatchObject({
    metadata: {
      labels: {
        "kubernetes.io/hostname": "node-5",
        "topology.kubernetes.io/zone": "zone-0",
        "lockstep.dev/rack": "rack-2",
      },
    },
    status: { allocatable: { "nvidia.com/gpu": "8" } },
  });
});

test("a pod gets a node, runs and becomes ready, and its events show that", async () => {
  const { clock, create, state, pod, events, problems } = await simulation();
  await create("web-0");
  await clock.runFor(2500);
  expect(await state("web-0")).toBe("node-0 Running");
  await clock.runFor(1000);
  expect(await state("web-0")).toBe("node-0 Running Ready");
  expect((await pod("web-0")).status).toMatchObject({
    podIP: "10.128.0.1",
    hostIP: "172.18.0.2",
    startTime: "2026-01-01T00:00:00Z",
  });
  expect(await events("web-0")).toEqual([
    "Scheduled: Successfully assigned default/web-0 to node-0",
    'Pulling: Pulling image "app:v1"',
    'Pulled: Successfully pulled image "app:v1" in 1s (1s including waiting)',
    "Created: Created container: app",
    "Started: Started container app",
  ]);
  expect(problems).toEqual([]);
});

test("a status is written once for every change", async () => {
  const { clock, create, stream } = await simulation();
  await create("web-0");
  await clock.runFor(minutes(5));
  const changes = stream.filter((line) => /"type":"MODIFIED".*"kind":"Pod"/.test(line));
  // Bound, containers creating, running, ready.
  expect(changes).toHaveLength(4);
});

test("an unschedulable pod says why and is placed as soon as there is room", async () => {
  const { clock, client, create, state, pod, events } = await simulation({ nodes: 2 });
  for (const name of ["a", "b", "c", "d"]) await create(name, gpus(8));
  await clock.runFor(minutes(1));
  expect(await state("c")).toBe("(no node) Pending");
  const message =
    "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. preemption: 0/2 nodes are available: " +
    "2 No preemption victims found for incoming pod.";
  expect(podCondition(await pod("c"), "PodScheduled")).toMatchObject({
    status: "False",
    reason: "Unschedulable",
    message,
  });
  expect(await events("d")).toEqual([`FailedScheduling: ${message}`]);
  await client.delete(podResource, key("b"));
  await clock.runFor(minutes(1));
  expect([await state("c"), await state("d")]).toEqual([
    "node-1 Running Ready",
    "(no node) Pending",
  ]);
});

test("pods with a higher priority go first", async () => {
  const { client, clock, create, state } = await simulation({ nodes: 1 });
  for (const [name, value] of Object.entries({ minor: 1, major: 100 })) {
    await client.create(priorityClassResource, { metadata: { name }, value });
  }
  await Promise.all([
    create("low", { ...gpus(8), priorityClassName: "minor" }),
    create("high", { ...gpus(8), priorityClassName: "major" }),
  ]);
  await clock.runFor(minutes(1));
  expect([await state("low"), await state("high")]).toEqual([
    "(no node) Pending",
    "node-0 Running Ready",
  ]);
});

test("a gated pod waits until its gates are gone", async () => {
  const { clock, client, create, state, pod } = await simulation();
  const created = await create("web-0", { schedulingGates: [{ name: "example.com/wait" }] });
  await clock.runFor(minutes(1));
  expect(await state("web-0")).toBe("(no node) Pending");
  expect(podCondition(await pod("web-0"), "PodScheduled")?.reason).toBe("SchedulingGated");
  const { schedulingGates: _gates, ...open } = created.spec;
  await client.update(podResource, { ...(await pod("web-0")), spec: open });
  await clock.runFor(minutes(1));
  expect(await state("web-0")).toBe("node-0 Running Ready");
});

test("a broken image ends in ImagePullBackOff, a crashing one in CrashLoopBackOff", async () => {
  const { clock, create, state, pod } = await simulation();
  await create("broken", gpus(1, "app:broken"));
  await create("crash", gpus(1, "app:crash"));
  await clock.runFor(minutes(10) + 10_000);
  expect(await state("broken")).toBe("node-0 Pending ImagePullBackOff");
  expect(await state("crash")).toBe("node-1 Running CrashLoopBackOff");
  const [status] = (await pod("crash")).status?.containerStatuses ?? [];
  expect(status).toMatchObject({ restartCount: 6, lastState: { terminated: { exitCode: 1 } } });
});

test("a running pod with a broken new image reports that and recovers with a good one", async () => {
  const { clock, client, create, state, events } = await simulation();
  await create("web-0");
  await clock.runFor(minutes(1));
  const setImage = (image: string) => {
    const body = { spec: { containers: [{ name: "app", image }] } };
    return client.patch(podResource, key("web-0"), { type: "strategic", body });
  };
  await setImage("app:broken");
  await clock.runFor(minutes(1));
  expect(await state("web-0")).toBe("node-0 Running ImagePullBackOff");
  expect(await events("web-0")).toContain(
    'Failed: Failed to pull image "app:broken": manifest unknown: manifest tagged by this name is not found',
  );
  await setImage("app:v2");
  await clock.runFor(minutes(1));
  expect(await state("web-0")).toBe("node-0 Running Ready");
});

test("a deleted pod terminates for as long as its image takes, then it is gone", async () => {
  const { clock, client, create, state, pod } = await simulation();
  await create("web-0", {}, { annotations: { "sim.lockstep.dev/termination-seconds": "20" } });
  await clock.runFor(minutes(1));
  await client.delete(podResource, key("web-0"));
  await clock.runFor(19_000);
  expect(await state("web-0")).toBe("node-0 Terminating Ready");
  await clock.runFor(2_000);
  await expect(pod("web-0")).rejects.toSatisfy(isNotFound);
});

test("a pod that does not stop is killed at the end of its grace period, or at once by force", async () => {
  const { clock, client, create, state, pod } = await simulation();
  for (const name of ["patient", "forced"])
    await create(name, { ...gpus(1, "app:stubborn"), terminationGracePeriodSeconds: 60 });
  await clock.runFor(minutes(1));
  await client.delete(podResource, key("patient"));
  await client.delete(podResource, key("forced"), { gracePeriodSeconds: 0 });
  await clock.runFor(59_000);
  expect(await state("patient")).toBe("node-0 Terminating Ready");
  await expect(pod("forced")).rejects.toSatisfy(isNotFound);
  await clock.runFor(2_000);
  await expect(pod("patient")).rejects.toSatisfy(isNotFound);
});

test("pods of a failed node become unready, are evicted, and are gone when it recovers", async () => {
  const { clock, cluster, create, state, pod } = await simulation({ nodes: 1 });
  await create("web-0");
  await clock.runFor(minutes(1));
  cluster.failNode("node-0");
  await clock.runFor(minutes(1));
  expect(await state("web-0")).toBe("node-0 Running");
  expect(cluster.nodes.get("node-0")?.status?.conditions?.at(-1)?.status).toBe("Unknown");
  await clock.runFor(minutes(5));
  expect(await state("web-0")).toBe("node-0 Terminating");
  cluster.recoverNode("node-0");
  await clock.runFor(minutes(1));
  await expect(pod("web-0")).rejects.toSatisfy(isNotFound);
  await create("web-1");
  await clock.runFor(minutes(1));
  expect(await state("web-1")).toBe("node-0 Running Ready");
});

test("a node that recovers in time keeps its pods", async () => {
  const { clock, cluster, create, state } = await simulation({ nodes: 1 });
  await create("web-0");
  await clock.runFor(minutes(1));
  cluster.failNode("node-0");
  await clock.runFor(minutes(3));
  cluster.recoverNode("node-0");
  await clock.runFor(minutes(10));
  expect(await state("web-0")).toBe("node-0 Running Ready");
});

test("pods of a removed node are deleted, and a new node gets the waiting ones", async () => {
  const { clock, cluster, create, state, pod } = await simulation({ nodes: 1 });
  await create("web-0", gpus(8));
  await create("web-1", gpus(8));
  await clock.runFor(minutes(1));
  await cluster.removeNode("node-0");
  await clock.runFor(minutes(1));
  await expect(pod("web-0")).rejects.toSatisfy(isNotFound);
  expect(await cluster.addNode()).toBe("node-1");
  await clock.runFor(minutes(1));
  expect(await state("web-1")).toBe("node-1 Running Ready");
});

async function busyHour(): Promise<readonly string[]> {
  const { clock, client, cluster, create, stream, problems } = await simulation({
    nodes: 2,
    shape: { gpus: 16 },
  });
  const images = ["app:v1", "app:crash", "app:broken", "app:slow", "app:completes"];
  await Promise.all(
    Array.from({ length: 15 }, (_, index) =>
      create(`pod-${index}`, gpus(1 + (index % 4), images[index % images.length])),
    ),
  );
  await clock.runFor(minutes(5));
  cluster.failNode("node-1");
  await client.delete(podResource, key("pod-0"));
  await clock.runFor(minutes(20));
  cluster.recoverNode("node-1");
  await cluster.addNode();
  await clock.runFor(minutes(35));
  await cluster.stop();
  expect(problems).toEqual([]);
  return stream;
}

test("two equal runs produce the same events, to the byte", async () => {
  const first = await busyHour();
  expect(first.length).toBeGreaterThan(300);
  const second = await busyHour();
  expect(second.find((line, index) => line !== first[index])).toBeUndefined();
  expect(second).toHaveLength(first.length);
}, 60_000);

test("many pods created at once all get a node", async () => {
  const { clock, create, cluster } = await simulation({ nodes: 16 });
  await Promise.all(Array.from({ length: 120 }, (_, index) => create(`pod-${index}`, gpus(1))));
  await clock.runFor(minutes(1));
  const ready = cluster.pods.list().filter((pod) => podCondition(pod, "Ready")?.status === "True");
  expect(ready).toHaveLength(120);
}, 60_000);
