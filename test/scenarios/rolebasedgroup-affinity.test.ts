/** Roles that are placed together: batches on nodes, in virtual time on the embedded scheduler. */
import { expect, test } from "vitest";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import { batchKey, coordinationKey } from "../../src/api/rbg/labels.ts";
import type { RoleBasedGroup, RoleSpec } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import { follow } from "../../src/simulation/follow.ts";
import type { GroupScenario, GroupScenarioOptions } from "../builders/role-based-group-scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";
import { namespace } from "../builders/scenario.ts";
import { atLeastOne } from "../builders/must.ts";

const modes = ["Sequential", "Parallel"] as const;
type Mode = (typeof modes)[number];

const withGpus = (gpus: number, image = "web:v1"): Pick<RoleSpec, "template"> => ({
  template: {
    spec: {
      containers: [{ name: "app", image, resources: { limits: { "nvidia.com/gpu": gpus } } }],
    },
  },
});

/** Three batches of 2 prefill and 1 decode, which fill a node of 8 GPUs. */
const placed = (batchMode: Mode, options: GroupScenarioOptions = {}) =>
  groupScenario({
    sizes: { prefill: 6, decode: 3 },
    roles: { prefill: withGpus(2), decode: withGpus(4) },
    nodes: 4,
    ...options,
    spec: {
      ...options.spec,
      coordination: [
        {
          name: "near",
          type: "AffinityScheduling",
          roles: ["prefill", "decode"],
          strategy: { affinityScheduling: { ratios: { prefill: 2, decode: 1 }, batchMode } },
        },
        ...(options.spec?.coordination ?? []),
      ],
    },
  });

const nameOf = ({ metadata }: Pod): string => (metadata.name ?? "").replace(/^chat-/, "");

/** `1: decode-0 prefill-0 prefill-1` by batch, and the nodes of each. */
async function batchesOf({ pods }: GroupScenario) {
  const batches = new Map<string, { names: string[]; nodes: Set<string> }>();
  for (const pod of atLeastOne(await pods())) {
    const { labels } = pod.metadata;
    expect(labels?.[coordinationKey("near")]).toBe("member");
    const batch = labels?.[batchKey("near")] ?? "";
    const known = batches.get(batch) ?? { names: [], nodes: new Set<string>() };
    known.names.push(nameOf(pod));
    known.nodes.add(pod.spec.nodeName ?? "");
    batches.set(batch, known);
  }
  const sorted = [...batches].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    names: sorted.map(([batch, { names }]) => `${batch}: ${names.toSorted().join(" ")}`),
    nodes: sorted.map(([, { nodes }]) => [...nodes].join("+")),
  };
}

const threeBatches = [
  "1: decode-0 prefill-0 prefill-1",
  "2: decode-1 prefill-2 prefill-3",
  "3: decode-2 prefill-4 prefill-5",
];

async function expectThreeBatches(world: GroupScenario): Promise<readonly string[]> {
  const { names, nodes } = await batchesOf(world);
  expect(names).toEqual(threeBatches);
  expect(new Set(nodes).size).toBe(3);
  expect(nodes.join(" ")).not.toContain("+");
  return nodes;
}

test.each(modes)(
  "AF8 6 prefill and 3 decode are three batches on three nodes: %s",
  async (mode) => {
    const world = await placed(mode);
    await world.settled();
    await expectThreeBatches(world);
    const { status } = await world.group();
    expect(status?.roleStatuses).toMatchObject([
      { name: "prefill", replicas: 6, readyReplicas: 6 },
      { name: "decode", replicas: 3, readyReplicas: 3 },
    ]);
  },
);

test("RW1 pods have the identity that a StatefulSet would give them", async () => {
  const world = await placed("Parallel");
  await world.settled();
  const pod = (await world.pods()).find((each) => nameOf(each) === "prefill-3");
  expect(pod).toMatchObject({
    metadata: {
      labels: {
        "apps.kubernetes.io/pod-index": "3",
        "rolebasedgroup.workloads.x-k8s.io/name": "chat",
        "rolebasedgroup.workloads.x-k8s.io/role": "prefill",
      },
      ownerReferences: [{ kind: "RoleBasedGroup", name: "chat", controller: true }],
    },
    spec: { hostname: "chat-prefill-3", subdomain: "s-chat-prefill" },
  });
  expect(await world.sets()).toEqual([]);
});

test("AF3 in sequence, a batch is made when all before it are ready", async () => {
  const world = await placed("Sequential");
  const seen = new Set<string>();
  for (let at = 0; at < 60_000; at += 100) {
    await world.clock.runFor(100);
    const pods = await world.pods();
    const batch = (pod: Pod): number => Number(pod.metadata.labels?.[batchKey("near")]);
    const highest = Math.max(0, ...pods.map(batch));
    seen.add(String(highest));
    expect(pods.filter((pod) => batch(pod) < highest && !isReady(pod))).toEqual([]);
  }
  expect([...seen]).toEqual(["1", "2", "3"]);
});

test.each(modes)("AF9 a batch without a node says what it needs: %s", async (mode) => {
  const world = await placed(mode, { nodes: 2 });
  await world.until(async () =>
    ((await world.condition("Progressing"))?.message ?? "").includes("batch 3"),
  );
  const message = (await world.condition("Progressing"))?.message ?? "";
  expect(message).toContain("batch 3 needs a node with 1 x 4 and 2 x 2 GPUs (nvidia.com/gpu) free");
  expect(message).toMatch(/chat-(prefill|decode)-\d: not scheduled: 0\/2 nodes are available/);
  await world.cluster.addNode();
  await world.settled();
  await expectThreeBatches(world);
});

test.each(modes)("AF9 the status says of each batch and role where it stands: %s", async (mode) => {
  const world = await placed(mode, { nodes: 2 });
  await world.until(async () =>
    ((await world.coordination())?.message ?? "").startsWith("near: 2 of 3 batches ready; "),
  );
  expect(await world.coordination()).toMatchObject({
    name: "near",
    state: "Progressing",
    message:
      "near: 2 of 3 batches ready; batch 3 needs a node with 1 x 4 and 2 x 2 GPUs (nvidia.com/gpu) free",
    progress: {
      prefill: { strategy: "AffinityScheduling", state: "Progressing", replicas: 6 },
      decode: { strategy: "AffinityScheduling", state: "Progressing", availableReplicas: 2 },
    },
  });
  await world.cluster.addNode();
  await world.settled();
  await world.atRest();
  const done = await world.coordination();
  expect(done).toMatchObject({
    state: "Completed",
    message: "near: 3 of 3 batches ready",
    progress: {
      prefill: { state: "Completed", replicas: 6, availableReplicas: 6 },
      decode: { state: "Completed", replicas: 3, availableReplicas: 3 },
    },
  });
  expect(await world.events("chat")).toContain("BatchesReady: near: 3 of 3 batches ready");
  await world.clock.runFor(60_000);
  expect((await world.coordination())?.lastUpdateTime).toBe(done?.lastUpdateTime);
});

test("AF6 batches are complete again once a rollout of their roles is over, and not between two pods", async () => {
  const world = await placed("Parallel", { sizes: { prefill: 4, decode: 2 } });
  const states: string[] = [];
  follow<RoleBasedGroup>(
    { client: world.client, resource: roleBasedGroupResource },
    (_type, group) => {
      const [state] = group.status?.coordinationState ?? [];
      if (state !== undefined && state.state !== states.at(-1)) states.push(state.state);
    },
  );
  await world.settled();
  await world.atRest();
  await world.setImage("web:v2", "prefill");
  await world.settled();
  await world.atRest();
  expect(world.counts("web:v2")).toBe("decode 0/2 prefill 4/4");
  expect(states).toEqual(["Progressing", "Completed", "Progressing", "Completed"]);
});

test.each(modes)("a pod that is lost comes back to its batch: %s", async (mode) => {
  const world = await placed(mode);
  await world.settled();
  const before = await expectThreeBatches(world);
  await world.client.delete(podResource, { namespace, name: "chat-prefill-2" });
  await world.atRest();
  await world.settled();
  expect(await expectThreeBatches(world)).toEqual(before);
});

test.each(modes)("a new image reaches every batch under the role's budget: %s", async (mode) => {
  const rolloutStrategy = { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } } as const;
  const world = await placed(mode, {
    roles: { prefill: { ...withGpus(2), rolloutStrategy }, decode: withGpus(4) },
  });
  await world.settled();
  await world.change((spec) => ({
    ...spec,
    roles: spec.roles.map((role) => ({
      ...role,
      ...withGpus(role.name === "prefill" ? 2 : 4, "web:v2"),
    })),
  }));
  await world.settled();
  expect(world.counts("web:v2")).toBe("decode 3/3 prefill 6/6");
  await expectThreeBatches(world);
});

test("AF7 whole batches are added and taken away", async () => {
  const world = await placed("Sequential");
  await world.settled();
  const resize = (prefill: number, decode: number) =>
    world.change((spec) => ({
      ...spec,
      roles: spec.roles.map((role) => ({
        ...role,
        replicas: role.name === "prefill" ? prefill : decode,
      })),
    }));
  await resize(8, 4);
  await world.settled();
  expect((await batchesOf(world)).names).toEqual([
    ...threeBatches,
    "4: decode-3 prefill-6 prefill-7",
  ]);
  await resize(4, 2);
  await world.settled();
  await world.atRest();
  expect((await batchesOf(world)).names).toEqual(threeBatches.slice(0, 2));
});
