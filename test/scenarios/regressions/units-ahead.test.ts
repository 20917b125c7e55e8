/** Rollouts that never ended: an outdated pod that was broken stood below healthy ones and had used up their budget. */
import { expect, test } from "vitest";
import { statefulSetResource } from "../../../src/api/apps.ts";
import type { Pod } from "../../../src/api/pod.ts";
import { podResource } from "../../../src/api/pod.ts";
import { changing, isAbout } from "../../../src/simulation/faults.ts";
import { readRecord } from "../../../src/controllers/rolebasedgroup/role-record.ts";
import { readAhead } from "../../../src/controllers/rolebasedgroup/stateful-set.ts";
import { serviceResource } from "../../../src/api/service.ts";
import type { KubeObject } from "../../../src/api/object.ts";
import type { StatefulSet } from "../../../src/api/apps.ts";
import type {
  GroupScenario,
  GroupScenarioOptions,
} from "../../builders/role-based-group-scenario.ts";
import { groupScenario } from "../../builders/role-based-group-scenario.ts";
import { namespace } from "../../builders/scenario.ts";

const sizes = { prefill: 4, decode: 3 };
const strategy = { maxUnavailableRatio: "25%", maxSkew: "25%", progressDeadlineSeconds: 120 };
const podWorkload = { workload: { apiVersion: "v1", kind: "Pod" } };

/** chat-decode-0 cannot be started from the first image, as on a node whose disk is full. */
const faults = changing((request) => {
  const { body } = request;
  const isMade = request.method === "POST" && isAbout(request, podResource);
  if (!isMade || !isPod(body) || body.metadata.name !== "chat-decode-0") return request;
  if (body.spec.containers[0]?.image !== "web:v1") return request;
  const annotations = { ...body.metadata.annotations, "sim.lockstep.dev/pull-error": "disk full" };
  return { ...request, body: { ...body, metadata: { ...body.metadata, annotations } } };
});

const isPod = (body: unknown): body is Pod => (body as KubeObject | undefined)?.kind === "Pod";

const started = async (options: GroupScenarioOptions = {}): Promise<GroupScenario> => {
  const scenario = await groupScenario({ sizes, strategy, faults, ...options });
  await scenario.clock.runFor(20_000);
  expect(scenario.counts("web:v1")).toBe("decode 2/3 prefill 4/4");
  return scenario;
};

const makers: Record<string, GroupScenarioOptions> = {
  "a StatefulSet": {},
  "pods that Lockstep makes": { roles: { prefill: podWorkload, decode: podWorkload } },
};

/** Ordinals of decode that may go ahead of its cursor. */
async function aheadOf({ client }: GroupScenario): Promise<readonly number[]> {
  const sets = await client.list<StatefulSet>(statefulSetResource, { namespace });
  const set = sets.items.find(({ metadata }) => metadata.name === "chat-decode");
  if (set !== undefined) return readAhead(set);
  const service = await client.get<KubeObject>(serviceResource, {
    namespace,
    name: "s-chat-decode",
  });
  return readRecord(service)?.ahead ?? [];
}

const imageOf = async ({ client }: GroupScenario, name: string): Promise<string> => {
  const pod = await client.get<Pod>(podResource, { namespace, name });
  return pod.spec.containers[0]?.image ?? "";
};

test.each(Object.entries(makers))(
  "CO3 RG4 a broken pod below healthy ones is replaced before them, and at no cost: %s",
  async (_name, options) => {
    const scenario = await started(options);
    const guarded = scenario.guard();
    await scenario.setImage("web:slow-v2");
    await scenario.until(async () => (await aheadOf(scenario)).length > 0, 5_000);
    expect(await aheadOf(scenario)).toEqual([0]);
    await scenario.clock.runFor(10_000);
    expect(await imageOf(scenario, "chat-decode-0")).toBe("web:slow-v2");
    expect(await imageOf(scenario, "chat-decode-2")).toBe("web:v1");
    await scenario.settled();
    expect(scenario.counts("web:slow-v2")).toBe("decode 3/3 prefill 4/4");
    expect(await aheadOf(scenario)).toEqual([]);
    expect(guarded.fewest).toBe(5);
  },
);

test.each(Object.entries(makers))(
  "CO3 CO10 a pod that went ahead and is lost comes back as what it was: %s",
  async (_name, options) => {
    const scenario = await started(options);
    await scenario.setImage("web:v2");
    await scenario.until(async () => (await aheadOf(scenario)).length > 0, 5_000);
    await scenario.annotate({ "lockstep.dev/paused": "true" });
    await scenario.clock.runFor(10_000);
    expect(scenario.counts("web:v2")).toBe("decode 1/3 prefill 1/4");
    await scenario.client.delete(podResource, { namespace, name: "chat-decode-0" });
    await scenario.clock.runFor(10_000);
    expect(await imageOf(scenario, "chat-decode-0")).toBe("web:v2");
    expect(scenario.counts("web:v2")).toBe("decode 1/3 prefill 1/4");
    await scenario.annotate({ "lockstep.dev/paused": null });
    await scenario.settled();
    expect(scenario.counts("web:v2")).toBe("decode 3/3 prefill 4/4");
  },
);

test.each(Object.entries(makers))(
  "CO3 CO8 going back while a pod is ahead brings everything back: %s",
  async (_name, options) => {
    const scenario = await started(options);
    await scenario.setImage("web:never-ready");
    await scenario.until(async () => (await aheadOf(scenario)).length > 0, 5_000);
    await scenario.clock.runFor(30_000);
    await scenario.setImage("web:v1");
    await scenario.settled();
    expect(scenario.counts("web:v1")).toBe("decode 3/3 prefill 4/4");
    expect(await aheadOf(scenario)).toEqual([]);
  },
);

test("CO2 a broken pod that the partition keeps is said to hold its role up, and what frees it", async () => {
  const scenario = await started({ strategy: { ...strategy, partition: "40%" } });
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(20_000);
  const state = await scenario.coordination();
  expect(state?.progress?.["decode"]?.state).toBe("Failing");
  expect(state?.progress?.["decode"]?.message).toContain(
    "decode waits for chat-decode-0 (old): 1 unit is down, at most 1 may be, and the partition keeps it; " +
      "repair it, lower the partition, or raise maxUnavailable above 1; chat-decode-0: ImagePullBackOff",
  );
  expect((await scenario.condition("Progressing"))?.reason).toBe("RoleFailing");
  await scenario.clock.runFor(120_000);
  expect(await scenario.condition("Stalled")).toMatchObject({
    status: "True",
    reason: "ProgressDeadlineExceeded",
  });
  await scenario.setStrategy(strategy);
  await scenario.settled();
  expect(scenario.counts("web:v2")).toBe("decode 3/3 prefill 4/4");
});

test("CO3 RG8 beside a controller that goes from the top only, such a pod is named with its way out", async () => {
  const scenario = await started({ isBeside: true });
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(20_000);
  expect(await aheadOf(scenario)).toEqual([]);
  const state = await scenario.coordination();
  expect(state?.progress?.["decode"]?.state).toBe("Failing");
  expect(state?.progress?.["decode"]?.message).toContain(
    "decode waits for chat-decode-0 (old): 1 unit is down, at most 1 may be, and units above it are replaced first; " +
      "repair it, or raise maxUnavailable above 1; chat-decode-0: ImagePullBackOff",
  );
  expect(state?.progress?.["prefill"]?.state).toBe("Waiting");
  await scenario.clock.runFor(120_000);
  expect(await scenario.condition("Stalled")).toMatchObject({
    status: "True",
    reason: "ProgressDeadlineExceeded",
  });
  await scenario.setStrategy({ ...strategy, maxUnavailableRatio: "70%" });
  await scenario.settled();
  expect(scenario.counts("web:v2")).toBe("decode 3/3 prefill 4/4");
});
