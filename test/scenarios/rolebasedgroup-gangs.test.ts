/** PodGroups of gang schedulers: how many pods they wait for, and when they come and go. */
import { expect, test } from "vitest";
import { configMapResource } from "../../src/api/config-map.ts";
import { customResourceDefinitionResource } from "../../src/api/definition/custom-kind.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { isTerminating } from "../../src/api/object.ts";
import type { Pod } from "../../src/api/pod.ts";
import { nodeResource } from "../../src/api/node.ts";
import { podResource } from "../../src/api/pod.ts";
import { annotationKeys } from "../../src/api/rbg/labels.ts";
import type { RoleSpec } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import { podGroupResources } from "../../src/controllers/rolebasedgroup/pod-group.ts";
import { podGroupDefinition } from "../builders/pod-group-definition.ts";
import type {
  RoleBasedGroupOptions,
  GroupScenario,
} from "../builders/role-based-group-scenario.ts";
import { groupOf, groupScenario } from "../builders/role-based-group-scenario.ts";
import { namespace } from "../builders/scenario.ts";

const gang = { podGroupPolicy: { kubeScheduling: {} } };
const key = { namespace, name: "chat" };

/** The cluster has a gang scheduler before the group asks for one. */
async function gangScenario(options: RoleBasedGroupOptions, expected: readonly RegExp[] = []) {
  const scenario = await groupScenario({ sizes: { earlier: 0 }, expected });
  await scenario.client.create(customResourceDefinitionResource, podGroupDefinition);
  await scenario.change(() => groupOf({ ...options, spec: { ...gang, ...options.spec } }).spec);
  return scenario;
}

const podGroups = async ({ client }: GroupScenario) =>
  (await client.list(podGroupResources.kubeScheduling, { namespace })).items;

const minMemberOf = (podGroup: KubeObject): number =>
  (podGroup["spec"] as { minMember: number }).minMember;

/** A role whose pods are left to the gang scheduler of the test. */
const gangedWith = (image: string): Pick<RoleSpec, "template"> => ({
  template: { spec: { schedulerName: "gangs", containers: [{ name: "app", image }] } },
});

const ganged = gangedWith("web:v1");

/** As the coscheduling plugin does: no pod of a gang gets a node before the gang is complete. */
async function placeGang(scenario: GroupScenario): Promise<number | undefined> {
  const [podGroup] = await podGroups(scenario);
  const pods = (await scenario.pods()).filter(
    (pod) =>
      pod.metadata.labels?.["scheduling.x-k8s.io/pod-group"] === "chat" && !isTerminating(pod),
  );
  if (podGroup === undefined) return undefined;
  if (pods.length >= minMemberOf(podGroup)) await bindAll(scenario, pods);
  return minMemberOf(podGroup);
}

async function bindAll({ client }: GroupScenario, pods: readonly Pod[]): Promise<void> {
  const [node] = (await client.list(nodeResource)).items;
  const target = { apiVersion: "v1", kind: "Node", name: node?.metadata.name };
  for (const { metadata, spec } of pods) {
    if (spec.nodeName !== undefined) continue;
    const { name, uid } = metadata;
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { ...key, name, uid }, target };
    await client.create(podResource, binding, { subresource: "binding" });
  }
}

/** The sizes of the gang, in the order in which they were seen, until the group is complete. */
async function gangsUntilSettled(scenario: GroupScenario): Promise<readonly number[]> {
  const seen: number[] = [];
  await scenario.until(async () => {
    const now = await placeGang(scenario);
    if (now !== undefined && now !== seen.at(-1)) seen.push(now);
    return scenario.isSettled();
  });
  return seen;
}

test("RG12 a gang scheduler gets a PodGroup that follows the sizes", async () => {
  const scenario = await gangScenario({ sizes: { prefill: 4, decode: 2 } });
  await scenario.settled();
  const [podGroup] = await podGroups(scenario);
  expect(podGroup).toMatchObject({
    metadata: { name: "chat" },
    spec: { minMember: 6, scheduleTimeoutSeconds: 60 },
  });
  expect(scenario.timeline.pods()[0]?.metadata.labels).toMatchObject({
    "scheduling.x-k8s.io/pod-group": "chat",
    "pod-group.scheduling.sigs.k8s.io/name": "chat",
  });
  await scenario.scale("decode", 3);
  await scenario.settled();
  expect((await podGroups(scenario)).map(minMemberOf)).toEqual([7]);
});

test("RG12 a group of nothing is no gang that a scheduler refuses", async () => {
  const scenario = await gangScenario({ sizes: { web: 2 } });
  await scenario.settled();
  await scenario.scale("web", 0);
  await scenario.settled();
  expect(scenario.timeline.pods()).toEqual([]);
  expect((await podGroups(scenario)).map(minMemberOf)).toEqual([1]);
});

const near = (batchMode: "Sequential" | "Parallel"): RoleBasedGroupOptions => ({
  sizes: { prefill: 6, decode: 3 },
  roles: { prefill: ganged, decode: ganged },
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

const starts: Record<string, { given: RoleBasedGroupOptions; want: readonly number[] }> = {
  "a role that waits for another joins the gang when it is started": {
    given: {
      sizes: { prefill: 2, decode: 2, router: 1 },
      roles: {
        prefill: ganged,
        decode: { ...ganged, dependencies: ["prefill"] },
        router: { ...ganged, dependencies: ["decode"] },
      },
    },
    want: [2, 4, 5],
  },
  "in sequence, a batch joins the gang when it is opened": {
    given: near("Sequential"),
    want: [3, 6, 9],
  },
  "in parallel, all batches are one gang": { given: near("Parallel"), want: [9] },
  "a role in batches that waits for another is in no gang before": {
    given: {
      ...near("Sequential"),
      roles: { prefill: ganged, decode: { ...ganged, dependencies: ["prefill"] } },
    },
    want: [2, 4, 6, 9],
  },
  "roles that grow in step are gangs of each step": {
    given: {
      sizes: { prefill: 4, decode: 2 },
      roles: { prefill: ganged, decode: ganged },
      strategy: { scaling: { maxSkew: "25%", progression: "OrderScheduled" } },
    },
    want: [2, 3, 5, 6],
  },
};

test.each(Object.entries(starts))("RG12 %s", async (_name, { given, want }) => {
  const scenario = await gangScenario(given);
  expect(await gangsUntilSettled(scenario)).toEqual(want);
  expect(await scenario.condition("Ready")).toMatchObject({ status: "True" });
  // What is replaced later finds its gang complete.
  const whole = want.at(-1);
  await scenario.change((spec) => ({
    ...spec,
    roles: spec.roles.map((role) => ({ ...role, ...gangedWith("web:v2") })),
  }));
  expect(await gangsUntilSettled(scenario)).toEqual([whole]);
  await scenario.atRest();
});

test("RG12 a role that the cluster cannot run is in no gang, and the others start", async () => {
  const workload = { apiVersion: "leaderworkerset.x-k8s.io/v1", kind: "LeaderWorkerSet" };
  const scenario = await gangScenario(
    {
      sizes: { prefill: 2, decode: 1 },
      roles: { prefill: ganged, decode: { ...ganged, workload, leaderWorkerSet: { size: 4 } } },
    },
    [/404 page not found/],
  );
  await scenario.until(async () => {
    await placeGang(scenario);
    return scenario.counts("web:v1") === "prefill 2/2";
  });
  expect((await podGroups(scenario)).map(minMemberOf)).toEqual([2]);
});

test("RG12 a PodGroup that the group asks for no more goes once no pod is marked for it", async () => {
  const scenario = await groupScenario({ sizes: { prefill: 2 }, spec: gang });
  const { client } = scenario;
  await client.create(customResourceDefinitionResource, podGroupDefinition);
  // Whether the kind is served is asked every ten minutes.
  await scenario.clock.runFor(700_000);
  const names = async () => (await podGroups(scenario)).map(({ metadata }) => metadata.name);
  expect(await names()).toEqual(["chat"]);
  const body = { spec: { podGroupPolicy: null } };
  await client.patch(roleBasedGroupResource, key, { type: "merge", body });
  await scenario.clock.runFor(120_000);
  // A pod that is made again from the same template is still marked for it.
  expect(await names()).toEqual(["chat"]);
  await scenario.setImage("web:v2");
  await scenario.settled();
  await scenario.clock.runFor(120_000);
  expect(await names()).toEqual([]);
  const { annotations = {} } = (await client.get(configMapResource, key)).metadata;
  expect(annotations[annotationKeys.podGroups]).toBeUndefined();
});

test("RG3 RG12 a PodGroup that an earlier group left behind is adopted", async () => {
  const scenario = await gangScenario({ sizes: { web: 2 } });
  await scenario.settled();
  await scenario.client.delete(roleBasedGroupResource, key, { propagationPolicy: "Orphan" });
  await scenario.clock.runFor(20_000);
  expect((await podGroups(scenario))[0]?.metadata.ownerReferences ?? []).toEqual([]);
  await scenario.client.create(roleBasedGroupResource, groupOf({ sizes: { web: 3 }, spec: gang }));
  await scenario.settled();
  const { uid } = (await scenario.group()).metadata;
  expect(await podGroups(scenario)).toMatchObject([
    { metadata: { ownerReferences: [{ uid, controller: true }] }, spec: { minMember: 3 } },
  ]);
});

test("RG3 RG12 a PodGroup of somebody else is reported and left alone", async () => {
  const scenario = await groupScenario({
    sizes: { earlier: 0 },
    expected: [/PodGroup default.chat exists already/],
  });
  await scenario.client.create(customResourceDefinitionResource, podGroupDefinition);
  await scenario.client.create(podGroupResources.kubeScheduling, {
    apiVersion: "scheduling.x-k8s.io/v1alpha1",
    kind: "PodGroup",
    metadata: { name: "chat", namespace },
    spec: { minMember: 8 },
  });
  await scenario.change(() => groupOf({ sizes: { web: 2 }, spec: gang }).spec);
  await scenario.clock.runFor(20_000);
  expect((await podGroups(scenario)).map(minMemberOf)).toEqual([8]);
  expect((await scenario.events("chat")).find((text) => text.startsWith("NameTaken"))).toContain(
    "PodGroup chat exists already and is controlled by nobody",
  );
});

test("RG12 without a gang scheduler an event says so, and the group runs", async () => {
  const scenario = await groupScenario({ sizes: { prefill: 2 }, spec: gang });
  await scenario.settled();
  const events = await scenario.events("chat");
  expect(events.filter((text) => text.startsWith("PodGroupNotServed"))).toEqual([
    "PodGroupNotServed: podGroupPolicy has no effect: the cluster does not serve PodGroups of " +
      "scheduling.x-k8s.io/v1alpha1. Install its gang scheduler, or remove podGroupPolicy",
  ]);
});
