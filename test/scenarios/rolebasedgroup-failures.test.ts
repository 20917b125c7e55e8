/** What goes wrong: failing and slow roles, lost nodes, crashes of the operator, late and broken watches. */
import { expect, test } from "vitest";
import { podResource } from "../../src/api/pod.ts";
import { seededRandom } from "../../src/sim/random.ts";
import { crashAfterEveryWrite } from "../builders/crash-after-every-write.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import { heldBack, storm, stormy } from "../../src/simulation/faults.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";
import { namespace } from "../builders/scenario.ts";
import { atLeastOne } from "../builders/must.ts";

const sizes = { prefill: 4, decode: 2 };
const strategy = { maxUnavailableRatio: "25%", maxSkew: "25%", progressDeadlineSeconds: 120 };

test("CO6 RG8 RG10 a failing role stops its partner, is named with its cause, and both go back", async () => {
  const scenario = await groupScenario({ sizes, strategy });
  await scenario.settled();
  const guarded = scenario.guard();
  await scenario.setImage("web:v2", "prefill");
  await scenario.setImage("web:broken", "decode");
  await scenario.until(async () => (await scenario.coordination())?.state === "Failing", 20_000);
  const state = await scenario.coordination();
  expect(state?.progress?.["decode"]).toMatchObject({ state: "Failing" });
  expect(state?.progress?.["decode"]?.message).toContain("chat-decode-1: ");
  expect(state?.progress?.["decode"]?.message).toMatch(/ErrImagePull|ImagePullBackOff/);
  await scenario.clock.runFor(60_000);
  expect((await scenario.coordination())?.progress?.["prefill"]).toMatchObject({
    state: "Waiting",
  });
  expect(scenario.counts("web:v2")).toBe("decode 0/2 prefill 1/4");
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "False" });
  await scenario.clock.runFor(120_000);
  expect(await scenario.condition("Stalled")).toMatchObject({
    status: "True",
    reason: "ProgressDeadlineExceeded",
  });
  const events = await scenario.events("chat");
  expect(events.some((text) => text.startsWith("RoleFailing: pair: "))).toBe(true);
  expect(events).toContainEqual(expect.stringMatching(/^Stalled: no progress since 2026-\S+Z: /));
  await scenario.setImage("web:v1");
  await scenario.settled();
  await scenario.atRest();
  expect(scenario.counts("web:v1")).toBe("decode 2/2 prefill 4/4");
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "False" });
  expect(guarded.fewest).toBe(4);
});

const gpus = { limits: { "nvidia.com/gpu": "1000" } };

/** A container that cannot go on, who runs it, and the cause that the status quotes. */
const troubles: Record<string, { app: object; workload?: object; want: RegExp }> = {
  "a missing image": { app: { image: "web:broken" }, want: /decode-1: (ErrImagePull|ImagePull)/ },
  "a crash": { app: { image: "web:crash" }, want: /decode-1: (container app restarted|CrashLoop)/ },
  "no node with room": {
    app: { image: "web:v2", resources: gpus },
    want: /decode-1: not scheduled: 0\/\d+ nodes are available: \d+ Insufficient nvidia/,
  },
  "pods of our own": {
    app: { image: "web:broken" },
    workload: { apiVersion: "v1", kind: "Pod" },
    want: /decode-1: (ErrImagePull|ImagePull)/,
  },
};

test.each(Object.entries(troubles))(
  "RG8 a role that cannot go on is named with pod and cause within 20 s: %s",
  async (_name, { app, workload, want }) => {
    const roles = workload === undefined ? {} : { prefill: { workload }, decode: { workload } };
    const scenario = await groupScenario({ sizes, strategy, roles: roles as never });
    await scenario.settled();
    await scenario.change((spec) => ({
      ...spec,
      roles: spec.roles.map((role) => ({
        ...role,
        template: {
          spec: {
            containers: [{ name: "app", image: "web:v2", ...(role.name === "decode" && app) }],
          },
        },
      })),
    }));
    await scenario.clock.runFor(20_000);
    const { progress } = (await scenario.coordination()) ?? {};
    expect(progress?.["decode"]?.message).toMatch(want);
    expect(progress?.["prefill"]?.message).toContain("prefill waits for decode");
    expect((await scenario.condition("Progressing"))?.message).toMatch(want);
  },
);

test("RG10 a template that the API server refuses is named with its role, and is a stall at once", async () => {
  const scenario = await groupScenario({ sizes, strategy, expected: [/chat-decode" is invalid/] });
  await scenario.settled();
  const resources = { requests: { "nvidia.com/gpu": "1" } };
  await scenario.change((spec) => ({
    ...spec,
    roles: spec.roles.map((role) => ({
      ...role,
      template: {
        spec: {
          containers: [
            { name: "app", image: "web:v2", ...(role.name === "decode" && { resources }) },
          ],
        },
      },
    })),
  }));
  await scenario.clock.runFor(20_000);
  const { state, progress } = (await scenario.coordination()) ?? {};
  expect([state, progress?.["decode"]?.state]).toEqual(["Failing", "Failing"]);
  expect(progress?.["decode"]?.message).toContain(
    'decode is refused: StatefulSet.apps "chat-decode" is invalid: spec.template.spec.containers[0].resources.limits',
  );
  expect(await scenario.condition("Stalled")).toMatchObject({
    status: "True",
    reason: "NeedsChange",
    message: expect.stringContaining("only a change of the spec can help"),
  });
  expect(scenario.counts("web:v2")).toBe("decode 0/2 prefill 0/4");
  await scenario.setImage("web:v3");
  await scenario.settled();
  expect(scenario.counts("web:v3")).toBe("decode 2/2 prefill 4/4");
});

test("RG10 an image that no change of the cluster can repair is a stall at once", async () => {
  const scenario = await groupScenario({ sizes: { prefill: 2 } });
  await scenario.settled();
  await scenario.setImage("web:never-ready");
  await scenario.clock.runFor(20_000);
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "False" });
  const waiting = { reason: "InvalidImageName", message: "couldn't parse image name" };
  const status = { name: "app", ready: false, restartCount: 0, image: "", imageID: "" };
  await scenario.client.patch(
    podResource,
    { namespace, name: "chat-prefill-1" },
    {
      type: "strategic",
      body: { status: { containerStatuses: [{ ...status, state: { waiting, running: null } }] } },
    },
    { subresource: "status" },
  );
  await scenario.clock.runFor(1_000);
  expect(await scenario.condition("Stalled")).toMatchObject({
    status: "True",
    reason: "NeedsChange",
  });
  expect((await scenario.condition("Stalled"))?.message).toContain(
    "chat-prefill-1: InvalidImageName: couldn't parse image name",
  );
  await scenario.setImage("web:v2");
  await scenario.settled();
  expect(scenario.counts("web:v2")).toBe("prefill 2/2");
});

test("CO1 CO6 a slow role holds its partner within the skew", async () => {
  const scenario = await groupScenario({
    sizes: { prefill: 8, decode: 4 },
    strategy: { maxUnavailableRatio: "25%", maxSkew: "10%" },
  });
  await scenario.settled();
  await scenario.setImage("slow:v2", "decode");
  await scenario.setImage("web:v2", "prefill");
  await scenario.clock.runFor(40_000);
  expect(scenario.counts("web:v2")).toBe("decode 0/4 prefill 1/8");
  await scenario.settled();
  await scenario.atRest();
  expect(scenario.drawing().filter((line) => line.endsWith(":v2"))).toHaveLength(12);
});

const workload = { apiVersion: "v1", kind: "Pod" };
const makers = { "a StatefulSet": {}, "Lockstep itself": { workload } };

test.each(Object.entries(makers))(
  "CO3 CO7 a node is lost in mid-rollout, and the rollout ends once it is back: pods made by %s",
  async (_maker, role) => {
    const scenario = await groupScenario({
      sizes: { prefill: 6, decode: 3 },
      strategy: { maxUnavailableRatio: "34%", maxSkew: "34%" },
      roles: { prefill: role, decode: role },
      nodes: 3,
    });
    await scenario.settled();
    await scenario.setImage("web:v2");
    await scenario.until(() => scenario.counts("web:v2").includes("prefill 2/"));
    scenario.cluster.failNode("node-1");
    await scenario.clock.runFor(600_000);
    expect(await scenario.isSettled()).toBe(false);
    scenario.cluster.recoverNode("node-1");
    await scenario.settled();
    await scenario.atRest();
    expect(scenario.counts("web:v2")).toBe("decode 3/3 prefill 6/6");
  },
);

test("CO5 CO10 RO1 the operator dies after any single write: skew, cursors and budget hold", async () => {
  const survived = await crashAfterEveryWrite(() =>
    groupScenario({ sizes: { prefill: 2, decode: 1 }, strategy }),
  );
  expect(survived.length).toBeGreaterThan(10);
  for (const { position, drawing } of atLeastOne(survived)) {
    expect(
      drawing.every((line) => line.endsWith("web:v2")),
      `died after write ${position}: ${drawing.join(", ")}`,
    ).toBe(true);
  }
});

test.each(Array.from({ length: 8 }, (_, index) => index + 1))(
  "CO1 CO5 CO7 in a storm of faults (seed %d) every bound holds and the rollout ends",
  async (seed) => {
    const random = seededRandom(seed);
    const scenario = await groupScenario({
      sizes: { prefill: 6, decode: 3 },
      strategy: { maxUnavailableRatio: "34%", maxSkew: "20%" },
      faults: stormy(random, { ...storm, delayedEvent: 0.3, longestDelayMs: 4_000 }),
    });
    await scenario.settled();
    await scenario.setImage("web:broken", "decode");
    await scenario.clock.runFor(random.below(60_000));
    await scenario.setImage("web:v2");
    await scenario.settled();
    await scenario.atRest();
    expect(scenario.counts("web:v2")).toBe("decode 3/3 prefill 6/6");
  },
);

test("RO7 a group whose deletion is seen late gets no pods that would have to go at once", async () => {
  const groups = heldBack(roleBasedGroupResource);
  const scenario = await groupScenario({ sizes, strategy, faults: groups.faults });
  await scenario.settled();
  groups.hold();
  await scenario.client.delete(roleBasedGroupResource, { namespace, name: "chat" });
  await scenario.clock.runFor(20_000);
  const pods = async () => (await scenario.client.list(podResource, { namespace })).items;
  expect(await pods()).toEqual([]);
  const made = scenario.writes["create pods"] ?? 0;
  expect(made).toBeLessThanOrEqual(12);
  groups.release();
  await scenario.clock.runFor(20_000);
  expect(scenario.writes["create pods"]).toBe(made);
  expect(await pods()).toEqual([]);
});
