/** Batches of an AffinityScheduling coordination, placed by a real kube-scheduler. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeResource } from "../../src/api/node.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import { batchKey, labelKeys } from "../../src/api/rbg/labels.ts";
import type { RoleBasedGroup } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import { chooseKinds } from "../../src/cli/controllers.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import type { ControlledKind } from "../../src/controllers/engine/controlled-kind.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { groupOf } from "../builders/role-based-group-scenario.ts";
import type { Child } from "../control-plane/child.ts";
import { fakeNode } from "../control-plane/control-plane.ts";
import { startGarbageCollector } from "../control-plane/stateful-set-manager.ts";
import type { RealCluster } from "./real-cluster.ts";
import { namespace, startRealCluster, until } from "./real-cluster.ts";

let cluster: RealCluster;
let collector: Child | undefined;
let controllers: readonly ControlledKind[] = [];

beforeAll(async () => {
  cluster = await startRealCluster({ without: ["garbage-collector-controller"] });
  await installDefinitions(cluster.client);
  collector = await startGarbageCollector(cluster.plane, { qps: 500 });
  controllers = await startKinds(chooseKinds("rolebasedgroup"), {
    client: await cluster.operatorClient(),
    clock: systemClock(),
  });
});

afterAll(async () => {
  for (const controller of controllers) await controller.stop();
  await collector?.stop();
  await cluster.stop();
});

const template = (gpus: number) => ({
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [
      { name: "app", image: "web:v1", resources: { limits: { "nvidia.com/gpu": gpus } } },
    ],
  },
});

const placed = (name: string, batchMode: "Sequential" | "Parallel"): RoleBasedGroup =>
  groupOf({
    name,
    sizes: { prefill: 6, decode: 3 },
    roles: { prefill: { template: template(2) }, decode: { template: template(4) } },
    spec: {
      coordination: [
        {
          name: "near",
          type: "AffinityScheduling",
          roles: ["prefill", "decode"],
          strategy: { affinityScheduling: { ratios: { prefill: 2, decode: 1 }, batchMode } },
        },
      ],
    },
  });

const podsOf = async (group: string): Promise<Pod[]> => {
  const labelSelector = `${labelKeys.groupName}=${group}`;
  return (await cluster.client.list<Pod>(podResource, { namespace, labelSelector })).items;
};

/** Nodes by batch. */
function nodesOf(pods: readonly Pod[]): Record<string, string[]> {
  const nodes: Record<string, string[]> = {};
  for (const { metadata, spec } of pods) {
    const batch = metadata.labels?.[batchKey("near")] ?? "none";
    nodes[batch] = [...new Set([...(nodes[batch] ?? []), spec.nodeName ?? ""])];
  }
  return nodes;
}

test("AF9 with two nodes the third batch waits and says what it needs, and a third node ends that", async () => {
  const name = "waits";
  await cluster.client.create(roleBasedGroupResource, placed(name, "Sequential"));
  const message = await until("batch 3 waits", async () => {
    const { status } = await cluster.client.get<RoleBasedGroup>(roleBasedGroupResource, {
      namespace,
      name,
    });
    const text = status?.conditions?.find(({ type }) => type === "Progressing")?.message ?? "";
    return text.includes("batch 3") && text.includes("not scheduled") && text;
  });
  expect(message).toContain("batch 3 needs a node with 1 x 4 and 2 x 2 GPUs (nvidia.com/gpu) free");
  expect(message).toMatch(/not scheduled: 0\/2 nodes are available/);
  await cluster.client.create(nodeResource, fakeNode("node-c") as never);
  expect(await placedOn(name)).toEqual(oneEach);
  await cluster.client.delete(roleBasedGroupResource, { namespace, name });
  await until("its pods are gone", async () => (await podsOf(name)).length === 0);
});

/** The nodes of each batch, once all of them are ready. */
async function placedOn(name: string): Promise<readonly (readonly string[])[]> {
  const pods = await until(`${name} is placed`, async () => {
    const found = await podsOf(name);
    return found.length === 9 && found.every(isReady) && found;
  });
  return Object.values(nodesOf(pods)).toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1));
}

const oneEach = [["node-a"], ["node-b"], ["node-c"]];

test.each(["Sequential", "Parallel"] as const)(
  "AF8 6 prefill and 3 decode are three batches on three nodes: %s",
  async (mode) => {
    const name = mode.toLowerCase();
    await cluster.client.create(roleBasedGroupResource, placed(name, mode));
    expect(await placedOn(name)).toEqual(oneEach);
    await cluster.client.delete(roleBasedGroupResource, { namespace, name });
    await until("its pods are gone", async () => (await podsOf(name)).length === 0);
  },
);
