/** Sets of groups, and adapters that scale their roles. */
import { expect, test } from "vitest";
import type { KubeObject } from "../../src/api/object.ts";
import type { RoleBasedGroup, RoleSpec } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import type { RoleBasedGroupSet } from "../../src/api/rbg/rolebasedgroupset.ts";
import { roleBasedGroupSetResource } from "../../src/api/rbg/rolebasedgroupset.ts";
import type { ScalingAdapter } from "../../src/api/rbg/scaling-adapter.ts";
import { scalingAdapterResource } from "../../src/api/rbg/scaling-adapter.ts";
import { roleBasedGroupSetKind } from "../../src/controllers/rolebasedgroup/rolebasedgroupset/index.ts";
import { scalingAdapterKind } from "../../src/controllers/rolebasedgroup/scalingadapter/index.ts";
import { groupScenarioKind, statefulSetScenarioKind } from "../../src/simulation/scenario-kinds.ts";
import { groupOf } from "../builders/role-based-group-scenario.ts";
import type { ScenarioKind } from "../../src/simulation/scenario-kind.ts";
import { imageOf } from "../../src/simulation/scenario-kind.ts";
import { namespace, scenario, untilSettled } from "../builders/scenario.ts";
import { atLeastOne } from "../builders/must.ts";

const setKind: ScenarioKind = {
  resources: [roleBasedGroupSetResource, scalingAdapterResource],
  definitions: [roleBasedGroupSetKind, scalingAdapterKind],
  drawing: groupScenarioKind.drawing,
};

const setOf = (
  replicas: number,
  roles: Record<string, Partial<RoleSpec>> = {},
): RoleBasedGroupSet => ({
  apiVersion: "workloads.x-k8s.io/v1alpha1",
  kind: "RoleBasedGroupSet",
  metadata: { name: "fleet", namespace },
  spec: { replicas, template: groupOf({ sizes: { prefill: 2, decode: 1 }, roles }).spec },
});

const adapterOf = (name: string, group: string, role = "decode"): ScalingAdapter => ({
  apiVersion: "workloads.x-k8s.io/v1alpha1",
  kind: "RoleBasedGroupScalingAdapter",
  metadata: { name, namespace },
  spec: { scaleTargetRef: { name: group, role } },
});

async function stage(...objects: KubeObject[]) {
  const world = await scenario({
    kinds: [groupScenarioKind, statefulSetScenarioKind("full"), setKind],
    objects,
  });
  const { client, clock } = world;
  const key = { namespace, name: "fleet" };
  const set = () => client.get<RoleBasedGroupSet>(roleBasedGroupSetResource, key);
  const condition = async (type: string) =>
    (await set()).status?.conditions?.find((each) => each.type === type);
  const isSettled = async (): Promise<boolean> => {
    const { status, metadata } = await set();
    const isSeen = status?.observedGeneration === metadata.generation;
    return isSeen && (await condition("Progressing"))?.status === "False";
  };
  return {
    ...world,
    set,
    condition,
    groups: async () =>
      (await client.list<RoleBasedGroup>(roleBasedGroupResource, { namespace })).items,
    group: (name: string) =>
      client.get<RoleBasedGroup>(roleBasedGroupResource, { namespace, name }),
    adapter: (name: string) =>
      client.get<ScalingAdapter>(scalingAdapterResource, { namespace, name }),
    patch: (body: object) => client.patch(roleBasedGroupSetResource, key, { type: "merge", body }),
    setImage: async (image: string) => {
      const { spec } = await set();
      const template = { spec: { containers: [{ name: "app", image }] } };
      const roles = spec.template.roles.map((role) => ({ ...role, template }));
      const body = { spec: { template: { ...spec.template, roles } } };
      return client.patch(roleBasedGroupSetResource, key, { type: "merge", body });
    },
    settled: () =>
      untilSettled(clock, isSettled, {
        describe: async () => JSON.stringify((await set()).status),
      }),
  };
}

test("RW8 a set has as many groups as it asks for, and follows its size", async () => {
  const world = await stage(setOf(3));
  await world.settled();
  const names = async () =>
    (await world.groups()).map(({ metadata }) => metadata.name ?? "").toSorted();
  expect(await names()).toEqual(["fleet-0", "fleet-1", "fleet-2"]);
  expect((await world.group("fleet-1")).metadata).toMatchObject({
    labels: {
      "rolebasedgroupset.workloads.x-k8s.io/name": "fleet",
      "rolebasedgroupset.workloads.x-k8s.io/rbg-index": "1",
    },
    ownerReferences: [{ kind: "RoleBasedGroupSet", name: "fleet", controller: true }],
  });
  expect((await world.set()).status).toMatchObject({
    replicas: 3,
    readyReplicas: 3,
    updatedReplicas: 3,
  });
  expect(await world.condition("Ready")).toMatchObject({
    status: "True",
    reason: "AllReplicasReady",
  });
  await world.patch({ spec: { replicas: 1 } });
  await world.settled();
  expect(await names()).toEqual(["fleet-0"]);
});

test("RW8 groups change one after the other, and each is complete before the next begins", async () => {
  const world = await stage(setOf(3));
  await world.settled();
  await world.setImage("web:v2");
  let most = 0;
  await world.until(async () => {
    const groups = await world.groups();
    const moving = groups.filter(({ status, metadata }) => {
      const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
      return status?.observedGeneration !== metadata.generation || progressing?.status === "True";
    });
    most = Math.max(most, moving.length);
    const { status, metadata } = await world.set();
    const isSeen = status?.observedGeneration === metadata.generation;
    return isSeen && status?.updatedReplicas === 3 && moving.length === 0;
  });
  expect(most).toBe(1);
  expect(new Set((await world.pods()).map(imageOf))).toEqual(new Set(["web:v2"]));
});

test("RW8 more groups at once, where the annotation says so", async () => {
  const world = await stage(setOf(4));
  await world.settled();
  await world.patch({ metadata: { annotations: { "lockstep.dev/max-unavailable": "50%" } } });
  await world.setImage("web:v2");
  await world.clock.runFor(100);
  const groups = await world.groups();
  const changed = groups.filter(({ metadata }) => (metadata.generation ?? 0) > 1);
  expect(changed).toHaveLength(2);
  await world.settled();
});

test("RW8 a broken image stops at the first group, says so, and undoing it goes first to that group", async () => {
  const world = await stage(setOf(3));
  await world.settled();
  await world.setImage("web:broken");
  await world.clock.runFor(2_000_000);
  const broken = (await world.pods()).filter((pod) => imageOf(pod) === "web:broken");
  expect(new Set(broken.map(({ metadata }) => metadata.name?.slice(0, 7)))).toEqual(
    new Set(["fleet-0"]),
  );
  expect(await world.condition("Stalled")).toMatchObject({ status: "True" });
  expect((await world.condition("Stalled"))?.message).toMatch(/fleet-0: .*ImagePullBackOff/);
  await world.setImage("web:v1");
  await world.settled();
  expect(new Set((await world.pods()).map(imageOf))).toEqual(new Set(["web:v1"]));
});

test("groups that an earlier set left behind are adopted", async () => {
  const world = await stage(setOf(2));
  await world.settled();
  const before = (await world.pods()).map(({ metadata }) => metadata.uid ?? "").toSorted();
  const key = { namespace, name: "fleet" };
  await world.client.delete(roleBasedGroupSetResource, key, { propagationPolicy: "Orphan" });
  await world.atRest();
  await world.client.create(roleBasedGroupSetResource, setOf(2));
  await world.settled();
  expect((await world.pods()).map(({ metadata }) => metadata.uid ?? "").toSorted()).toEqual(before);
  const { uid } = (await world.set()).metadata;
  for (const { metadata } of atLeastOne(await world.groups()))
    expect(metadata.ownerReferences?.[0]?.uid).toBe(uid);
});

test("RW7 an adapter takes the size of its role, and from then on the role takes the adapter's", async () => {
  const world = await stage(setOf(1), adapterOf("scale", "fleet-0"));
  await world.settled();
  await world.atRest();
  expect(await world.adapter("scale")).toMatchObject({
    spec: { replicas: 1 },
    status: { phase: "Bound", replicas: 1, readyReplicas: 1 },
  });
  const { selector } = (await world.adapter("scale")).status ?? {};
  expect(selector).toContain("rolebasedgroup.workloads.x-k8s.io/role=decode");
  const scale = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "scale", namespace },
    spec: { replicas: 3 },
  };
  await world.client.update(scalingAdapterResource, scale, { subresource: "scale" });
  await world.atRest();
  expect((await world.group("fleet-0")).spec.roles[1]).toMatchObject({
    name: "decode",
    replicas: 3,
  });
  const { status } = await world.adapter("scale");
  expect(status).toMatchObject({ replicas: 3, readyReplicas: 3 });
  expect(status?.lastScaleTime).toMatch(/^2026-/);
});

test("a size that an autoscaler gave survives a new template", async () => {
  const world = await stage(
    setOf(1, { decode: { scalingAdapter: { enable: true } } }),
    adapterOf("scale", "fleet-0"),
  );
  await world.settled();
  await world.client.patch(
    scalingAdapterResource,
    { namespace, name: "scale" },
    { type: "merge", body: { spec: { replicas: 4 } } },
  );
  await world.atRest();
  await world.setImage("web:v2");
  await world.settled();
  const decode = (await world.pods()).filter(({ metadata }) => metadata.name?.includes("decode"));
  expect(decode.map(imageOf)).toEqual(Array.from({ length: 4 }, () => "web:v2"));
});

test("RW7 a role that asks for an adapter gets one, and an older manifest does not scale it in", async () => {
  const enabled = { scalingAdapter: { enable: true } };
  const group = groupOf({ sizes: { prefill: 2, decode: 2 }, roles: { decode: enabled } });
  const world = await stage(group);
  await world.atRest();
  expect(await world.adapter("chat-decode")).toMatchObject({
    metadata: { ownerReferences: [{ kind: "RoleBasedGroup", name: "chat" }] },
    spec: { replicas: 2, scaleTargetRef: { name: "chat", role: "decode" } },
  });
  const scale = (name: string, replicas: number) =>
    world.client.patch(
      scalingAdapterResource,
      { namespace, name },
      { type: "merge", body: { spec: { replicas } } },
    );
  await scale("chat-decode", 5);
  await world.atRest();
  const uids = async () =>
    (await world.pods()).map(({ metadata }) => metadata.uid ?? "").toSorted();
  const before = await uids();
  expect(before).toHaveLength(7);
  const key = { namespace, name: "chat" };
  await world.client.patch(roleBasedGroupResource, key, {
    type: "merge",
    body: { spec: group.spec },
  });
  await world.atRest();
  expect(await uids()).toEqual(before);
  expect((await world.group("chat")).spec.roles[1]?.replicas).toBe(5);
  const off = groupOf({ sizes: { prefill: 2, decode: 5 } }).spec;
  await world.client.patch(roleBasedGroupResource, key, { type: "merge", body: { spec: off } });
  await world.atRest();
  await expect(world.adapter("chat-decode")).rejects.toThrow(/not found/);
});

test("RW7 an adapter without a role says why, and of two for one role the older counts", async () => {
  const world = await stage(
    setOf(1),
    adapterOf("lost", "nowhere"),
    adapterOf("odd", "fleet-0", "encode"),
  );
  await world.settled();
  await world.client.create(scalingAdapterResource, adapterOf("first", "fleet-0"));
  await world.clock.runFor(2_000);
  await world.client.create(scalingAdapterResource, adapterOf("second", "fleet-0"));
  await world.atRest();
  const bound = async (name: string): Promise<string> => {
    const { status } = await world.adapter(name);
    const { reason, message } = status?.conditions?.find(({ type }) => type === "Bound") ?? {};
    return `${status?.phase} ${reason}: ${message}`;
  };
  expect(await bound("lost")).toBe(
    "NotBound GroupNotFound: there is no RoleBasedGroup nowhere in this namespace",
  );
  expect(await bound("odd")).toBe(
    "NotBound RoleNotFound: RoleBasedGroup fleet-0 has no role encode, only prefill, decode",
  );
  expect(await bound("first")).toBe(
    "Bound RoleFound: it scales role decode of RoleBasedGroup fleet-0",
  );
  expect(await bound("second")).toBe(
    "NotBound RoleTaken: first scales this role already: delete one of the two",
  );
  await world.client.delete(scalingAdapterResource, { namespace, name: "first" });
  await world.atRest();
  expect(await bound("second")).toContain("Bound RoleFound");
});

test("RW7 the adapter reports a size that the group refuses", async () => {
  const near = {
    name: "near",
    roles: ["prefill", "decode"],
    strategy: { affinityScheduling: { ratios: { prefill: 2, decode: 1 } } },
  };
  const group = groupOf({ sizes: { prefill: 2, decode: 1 }, spec: { coordination: [near] } });
  const world = await stage(group, adapterOf("scale", "chat"));
  await world.atRest();
  world.expectComplaint(/fill different numbers of batches/);
  await world.client.patch(
    scalingAdapterResource,
    { namespace, name: "scale" },
    { type: "merge", body: { spec: { replicas: 2 } } },
  );
  await world.atRest();
  const { status } = await world.adapter("scale");
  const scaled = status?.conditions?.find(({ type }) => type === "Scaled");
  expect(scaled).toMatchObject({ status: "False", reason: "SizeRefused" });
  expect(scaled?.message).toContain("the roles fill different numbers of batches");
});
