/** Roles that a Deployment runs, beside roles that are coordinated. */
import { expect, test } from "vitest";
import type { Deployment } from "../../src/api/apps.ts";
import { deploymentResource } from "../../src/api/apps.ts";
import { podResource } from "../../src/api/pod.ts";
import type { RoleBasedGroup, RoleSpec } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import { follow } from "../../src/simulation/follow.ts";
import { groupScenarioKind, statefulSetScenarioKind } from "../../src/simulation/scenario-kinds.ts";
import { groupOf } from "../builders/role-based-group-scenario.ts";
import { imageOf } from "../../src/simulation/scenario-kind.ts";
import { namespace, scenario, untilSettled } from "../builders/scenario.ts";

const workload = { apiVersion: "apps/v1", kind: "Deployment" };
const key = { namespace, name: "chat" };

async function stage(router: Partial<RoleSpec> = {}, annotations: Record<string, string> = {}) {
  const world = await scenario({
    kinds: [groupScenarioKind, statefulSetScenarioKind("full")],
    objects: [
      groupOf({
        sizes: { router: 3, decode: 2 },
        roles: { router: { workload, ...router } },
        annotations,
      }),
    ],
    cluster: { deployments: true },
  });
  const { client, clock } = world;
  const group = () => client.get<RoleBasedGroup>(roleBasedGroupResource, key);
  const change = async (next: (role: RoleSpec) => RoleSpec) => {
    const { spec } = await group();
    const body = { spec: { ...spec, roles: spec.roles.map(next) } };
    return client.patch(roleBasedGroupResource, key, { type: "merge", body });
  };
  const condition = async (type: string) =>
    (await group()).status?.conditions?.find((each) => each.type === type);
  const isSettled = async (): Promise<boolean> => {
    const { status, metadata } = await group();
    const isSeen = status?.observedGeneration === metadata.generation;
    return isSeen && (await condition("Progressing"))?.status === "False";
  };
  return {
    ...world,
    group,
    change,
    condition,
    setImage: (image: string) =>
      change((role) => ({ ...role, template: { spec: { containers: [{ name: "app", image }] } } })),
    deployment: () =>
      client.get<Deployment>(deploymentResource, { namespace, name: "chat-router" }),
    images: async (): Promise<string[]> =>
      (await world.pods())
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(imageOf),
    settled: () => untilSettled(clock, isSettled),
  };
}

test("RW4 a role under Deployment is run by one, with the labels of its role", async () => {
  const world = await stage({ labels: { tier: "edge" }, minReadySeconds: 2 });
  await world.settled();
  expect(await world.deployment()).toMatchObject({
    metadata: {
      labels: { tier: "edge", "rolebasedgroup.workloads.x-k8s.io/role": "router" },
      ownerReferences: [{ kind: "RoleBasedGroup", name: "chat" }],
    },
    spec: {
      replicas: 3,
      minReadySeconds: 2,
      strategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    },
  });
  expect((await world.group()).status?.roleStatuses).toMatchObject([
    { name: "router", replicas: 3, readyReplicas: 3, updatedReplicas: 3, availableReplicas: 3 },
    { name: "decode", replicas: 2, readyReplicas: 2 },
  ]);
});

test("a new image rolls it, with the surge that the role allows", async () => {
  const rollingUpdate = { maxUnavailable: 0, maxSurge: 1 };
  const world = await stage({ rolloutStrategy: { type: "RollingUpdate", rollingUpdate } });
  await world.settled();
  await world.setImage("web:v2");
  await world.settled();
  expect(await world.images()).toEqual(Array.from({ length: 5 }, () => "web:v2"));
  expect((await world.deployment()).spec.strategy?.rollingUpdate).toEqual({
    maxUnavailable: 0,
    maxSurge: 1,
  });
});

test("a broken image is reported with its cause, and a size is followed", async () => {
  const world = await stage();
  await world.settled();
  await world.setImage("web:broken");
  await world.clock.runFor(60_000);
  const { message } = (await world.condition("Progressing")) ?? {};
  expect(message).toContain("Deployment chat-router: 1 of 3 pods are updated");
  expect(message).toMatch(/chat-router-[a-z0-9]+-[a-z0-9]{5}, chat-decode-1: ImagePullBackOff/);
  await world.setImage("web:v1");
  await world.change((role) => (role.name === "router" ? { ...role, replicas: 4 } : role));
  await world.settled();
  expect((await world.deployment()).spec.replicas).toBe(4);
});

test("RW4 RG5 a new image of a Deployment alone is not said to be rolled out before its pods are", async () => {
  const world = await stage();
  await world.settled();
  const before = (await world.group()).status?.currentRevision;
  const seen: string[] = [];
  follow<RoleBasedGroup>(
    { client: world.client, resource: roleBasedGroupResource },
    (_type, { status }) => {
      const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
      if (status?.updateRevision === before) return;
      const current = status?.currentRevision === before ? "before" : "target";
      const text = `${progressing?.reason} ${current}`;
      if (seen.at(-1) !== text) seen.push(text);
    },
  );
  await world.change((role) =>
    role.name === "router"
      ? { ...role, template: { spec: { containers: [{ name: "app", image: "web:v2" }] } } }
      : role,
  );
  await world.clock.runFor(60_000);
  expect(seen).toEqual(["RollingOut before", "RolledOut target"]);
});

const annotated = (paused: string | null) =>
  ({
    type: "merge",
    body: { metadata: { annotations: { "lockstep.dev/paused": paused } } },
  }) as const;

test("CO7 RW4 a paused group holds a Deployment where it is, and says so", async () => {
  const world = await stage();
  await world.settled();
  await world.client.patch(roleBasedGroupResource, key, annotated("true"));
  await world.setImage("web:v2");
  await world.clock.runFor(4_000_000);
  expect(new Set(await world.images())).toEqual(new Set(["web:v1"]));
  expect(await world.condition("Progressing")).toMatchObject({
    status: "False",
    reason: "Paused",
    message: expect.stringContaining("Deployment chat-router is paused: 0 of 3 pods are updated"),
  });
  expect(await world.condition("Stalled")).toMatchObject({ status: "False" });
  await world.client.patch(roleBasedGroupResource, key, annotated(null));
  await world.settled();
  expect(new Set(await world.images())).toEqual(new Set(["web:v2"]));
});

test("CO7 RW4 a new group that is paused starts its Deployment like its other roles", async () => {
  const world = await stage({}, { "lockstep.dev/paused": "true" });
  await world.clock.runFor(60_000);
  expect(await world.images()).toEqual(Array.from({ length: 5 }, () => "web:v1"));
  await world.setImage("web:v2");
  await world.clock.runFor(60_000);
  expect(await world.images()).toEqual(Array.from({ length: 5 }, () => "web:v1"));
});

test("RW4 RG10 a Deployment past its own deadline is a stall", async () => {
  const world = await stage();
  await world.settled();
  await world.change((role) =>
    role.name === "router"
      ? { ...role, template: { spec: { containers: [{ name: "app", image: "web:broken" }] } } }
      : role,
  );
  await world.clock.runFor(590_000);
  expect(await world.condition("Stalled")).toMatchObject({ status: "False" });
  await world.clock.runFor(20_000);
  expect(await world.condition("Stalled")).toMatchObject({
    status: "True",
    reason: "ProgressDeadlineExceeded",
    message: expect.stringContaining("Deployment chat-router: ReplicaSet"),
  });
  await world.setImage("web:v2");
  await world.settled();
  expect(await world.condition("Stalled")).toMatchObject({ status: "False" });
});

test("RW6 a role that changes to pods, and one that is removed, leaves no Deployment behind", async () => {
  const world = await stage();
  await world.settled();
  const pods = { apiVersion: "v1", kind: "Pod" };
  await world.change((role) => (role.name === "router" ? { ...role, workload: pods } : role));
  await world.atRest();
  await world.settled();
  const names = (await world.pods()).map(({ metadata }) => metadata.name ?? "").toSorted();
  expect(names).toEqual([
    "chat-decode-0",
    "chat-decode-1",
    "chat-router-0",
    "chat-router-1",
    "chat-router-2",
  ]);
  expect((await world.client.list(deploymentResource, { namespace })).items).toEqual([]);
  const { spec } = await world.group();
  const roles = spec.roles.filter(({ name }) => name !== "router");
  const body = { spec: { ...spec, roles } };
  await world.client.patch(roleBasedGroupResource, key, { type: "merge", body });
  await world.atRest();
  expect((await world.client.list(podResource, { namespace })).items).toHaveLength(2);
});

test("RW4 a skew over a role under Deployment is refused with the reason", async () => {
  const world = await stage();
  const strategy = { rollingUpdate: { maxSkew: "10%" } };
  const coordination = [{ name: "pair", roles: ["router", "decode"], strategy }];
  const patch = { type: "merge", body: { spec: { coordination } } } as const;
  await expect(world.client.patch(roleBasedGroupResource, key, patch)).rejects.toThrow(
    /names a role under Deployment, whose pods have no order to stop at: set roles\[\]\.workload\.kind StatefulSet/,
  );
});
