/** Roles whose pods Lockstep makes itself: the same promises as under a StatefulSet, without one. */
import { expect, test } from "vitest";
import { podResource } from "../../src/api/pod.ts";
import { labelKeys } from "../../src/api/rbg/labels.ts";
import { serviceResource } from "../../src/api/service.ts";
import { crashAfterEveryWrite } from "../builders/crash-after-every-write.ts";
import { atLeastOne, must } from "../builders/must.ts";
import type { GroupScenario, GroupScenarioOptions } from "../builders/role-based-group-scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";
import { isServing, isTerminating } from "../../src/simulation/scenario-kind.ts";
import { namespace } from "../builders/scenario.ts";

const workload = { apiVersion: "v1", kind: "Pod" };
const pods = { prefill: { workload }, decode: { workload } };
const skew = { rollingUpdate: { maxSkew: "10%", maxUnavailable: "50%" } };

const asPods = (options: GroupScenarioOptions = {}) =>
  groupScenario({ sizes: { prefill: 6, decode: 3 }, roles: pods, ...options });

/** From now on each role keeps so many pods that serve, and has no more than it asks for. */
function expectBudget(
  { timeline }: GroupScenario,
  bounds: Readonly<Record<string, { readonly least: number; readonly most: number }>>,
): void {
  timeline.always((all, at) => {
    for (const [role, { least, most }] of Object.entries(bounds)) {
      const live = all.filter(
        (pod) => pod.metadata.name?.startsWith(`chat-${role}-`) && !isTerminating(pod),
      );
      const serving = live.filter(isServing).length;
      must(serving >= least, `${at}: ${serving} of ${role} serve, ${least} needed`, () => live);
      must(live.length <= most, `${at}: ${live.length} of ${role}, at most ${most}`, () => live);
    }
  });
}

const serviceOf = (role: string) => ({ namespace, name: `s-chat-${role}` });

test("RW1 two roles of pods advance side by side, and no StatefulSet is made", async () => {
  const world = await asPods({ strategy: skew });
  await world.settled();
  expectBudget(world, { prefill: { least: 3, most: 6 }, decode: { least: 2, most: 3 } });
  await world.setImage("web:v2");
  await world.settled();
  expect(world.counts("web:v2")).toBe("decode 3/3 prefill 6/6");
  expect(await world.sets()).toEqual([]);
});

test("RW3 a role on its own may have a pod more instead of one less", async () => {
  const rollingUpdate = { maxUnavailable: 0, maxSurge: 1 };
  const rolloutStrategy = { type: "RollingUpdate", rollingUpdate } as const;
  const world = await asPods({
    roles: { prefill: { workload, rolloutStrategy }, decode: { workload } },
  });
  await world.settled();
  expectBudget(world, { prefill: { least: 6, most: 7 }, decode: { least: 2, most: 3 } });
  await world.setImage("web:v2");
  await world.settled();
  await world.atRest();
  expect(world.counts("web:v2")).toBe("decode 3/3 prefill 6/6");
});

test("RG6 a pod is made with the label that routers pair it by, and is not written again", async () => {
  const world = await asPods({ strategy: skew });
  await world.settled();
  for (const call of Object.keys(world.writes)) delete world.writes[call];
  await world.setImage("web:v2");
  await world.settled();
  const [{ revision } = {}] = (await world.group()).status?.coordinationState ?? [];
  const values = (await world.pods()).map(({ metadata }) => metadata.labels?.[labelKeys.revision]);
  expect(new Set(values)).toEqual(new Set([revision]));
  const ofPods = Object.entries(world.writes).filter(([call]) => call.endsWith(" pods"));
  expect(Object.fromEntries(ofPods)).toEqual({ "create pods": 9, "delete pods": 9 });
});

test("at the partition the rollout rests, and a lost pod below it comes back as it was", async () => {
  const strategy = { rollingUpdate: { partition: "50%", maxUnavailable: "50%" } };
  const world = await asPods({ strategy });
  await world.settled();
  await world.setImage("web:v2");
  await world.settled();
  expect(world.counts("web:v2")).toBe("decode 1/3 prefill 3/6");
  expect((await world.coordination())?.state).toBe("AtPartition");
  await world.client.delete(podResource, { namespace, name: "chat-prefill-0" });
  await world.atRest();
  expect(world.counts("web:v2")).toBe("decode 1/3 prefill 3/6");
  expect(world.counts("web:v1")).toBe("decode 2/3 prefill 3/6");
  await world.setStrategy({ rollingUpdate: { partition: "0%", maxUnavailable: "50%" } });
  await world.settled();
  expect(world.counts("web:v2")).toBe("decode 3/3 prefill 6/6");
});

test("a broken role halts its partner, names the pod, and undoing it brings both back", async () => {
  const world = await asPods({ strategy: skew });
  await world.settled();
  await world.setImage("web:v2");
  await world.setImage("web:broken", "decode");
  await world.clock.runFor(120_000);
  const { message, reason } = (await world.condition("Progressing")) ?? {};
  expect(reason).toBe("RoleFailing");
  expect(message).toMatch(/chat-decode-2: ImagePullBackOff/);
  expect(world.counts("web:v2")).not.toContain("prefill 6/6");
  await world.setImage("web:v1");
  await world.settled();
  expect(world.counts("web:v1")).toBe("decode 3/3 prefill 6/6");
});

test("scaling in mid-rollout, up, down and to nothing", async () => {
  const world = await asPods({ strategy: skew });
  await world.settled();
  await world.setImage("web:v2");
  await world.clock.runFor(3_000);
  await world.scale("prefill", 9);
  await world.clock.runFor(3_000);
  await world.scale("decode", 1);
  await world.settled();
  expect(world.counts("web:v2")).toBe("decode 1/1 prefill 9/9");
  await world.scale("prefill", 0);
  await world.settled();
  await world.atRest();
  expect(world.counts("web:v2")).toBe("decode 1/1");
});

test("a role starts once the roles that it depends on are ready", async () => {
  const world = await asPods({
    roles: { prefill: { workload }, decode: { workload, dependencies: ["prefill"] } },
  });
  await world.until(async () => (await world.pods()).length > 0);
  expect((await world.pods()).every(({ metadata }) => metadata.name?.includes("prefill"))).toBe(
    true,
  );
  await world.settled();
  expect(world.counts("web:v1")).toBe("decode 3/3 prefill 6/6");
});

test("RW2 somebody deletes the service in mid-rollout: the rollout goes on from what the pods say", async () => {
  const world = await asPods({ strategy: skew });
  await world.settled();
  await world.setImage("web:v2");
  await world.clock.runFor(3_000);
  await world.client.delete(serviceResource, serviceOf("prefill"));
  await world.settled();
  expect(world.counts("web:v2")).toBe("decode 3/3 prefill 6/6");
});

test("a new group adopts the pods that an earlier one left behind", async () => {
  const world = await asPods();
  await world.settled();
  const uids = async () =>
    (await world.pods()).map(({ metadata }) => metadata.uid ?? "").toSorted();
  const before = await uids();
  const found = await world.group();
  const resource = {
    group: "workloads.x-k8s.io",
    version: "v1alpha1",
    plural: "rolebasedgroups",
    kind: "RoleBasedGroup",
    namespaced: true,
  };
  await world.client.delete(resource, { namespace, name: "chat" }, { propagationPolicy: "Orphan" });
  await world.clock.runFor(5_000);
  await world.client.create(resource, { ...found, metadata: { name: "chat", namespace } });
  await world.settled();
  await world.atRest();
  expect(await uids()).toEqual(before);
});

test("P11 a crash of the operator after any write changes nothing of the outcome", async () => {
  const start = () => asPods({ sizes: { prefill: 4, decode: 2 }, strategy: skew });
  for (const { position, drawing } of atLeastOne(await crashAfterEveryWrite(start))) {
    const names = ["decode-0", "decode-1", "prefill-0", "prefill-1", "prefill-2", "prefill-3"];
    const want = names.map((name) => `${name} web:v2`);
    expect({ position, drawing }).toEqual({ position, drawing: want });
  }
});

test("roles that are placed in batches are updated in lockstep too", async () => {
  const near = {
    name: "near",
    roles: ["prefill", "decode"],
    strategy: { affinityScheduling: { ratios: { prefill: 2, decode: 1 } } },
  };
  const pair = { name: "pair", roles: ["prefill", "decode"], strategy: skew };
  const world = await groupScenario({
    sizes: { prefill: 6, decode: 3 },
    spec: { coordination: [pair, near] },
  });
  await world.settled();
  await world.setImage("web:v2");
  await world.settled();
  expect(world.counts("web:v2")).toBe("decode 3/3 prefill 6/6");
  expect((await world.coordination())?.state).toBe("Completed");
});
