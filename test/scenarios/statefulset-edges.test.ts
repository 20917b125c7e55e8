/** The corners: races with a deletion, pods that will not go, many at once, budgets larger than what is left. */
import { describe, expect, test } from "vitest";
import type { ControllerRevision, StatefulSet } from "../../src/api/apps.ts";
import { controllerRevisionResource, statefulSetResource } from "../../src/api/apps.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { podResource } from "../../src/api/pod.ts";
import type { Transport, WatchEvent } from "../../src/runtime/transport.ts";
import type { VolumeClaim } from "../../src/api/volume-claim.ts";
import { volumeClaimResource } from "../../src/api/volume-claim.ts";
import type { StatefulSetScenario } from "../builders/stateful-set-scenario.ts";
import { rolling, statefulSetOf, statefulSetScenario } from "../builders/stateful-set-scenario.ts";

const parallel = { podManagementPolicy: "Parallel" } as const;
const policies = ["OrderedReady", "Parallel"] as const;
const namespace = "default";
const key = { namespace, name: "web" };
const named = (lines: readonly string[]): string[] => lines.map((line) => line.split(" ")[1] ?? "");

/** Lets a test hold back what the operator hears of sets. */
function deafness() {
  const state = { isDeaf: false };
  const faults = (transport: Transport): Transport => ({
    request: (request) => transport.request(request),
    stream: (request, onEvent) => {
      const isOfSets = request.path.includes("/statefulsets");
      const pass = (event: WatchEvent): void => {
        if (!isOfSets || !state.isDeaf) onEvent(event);
      };
      return transport.stream(request, pass);
    },
  });
  return { state, faults };
}

async function leaveOrphans({ create, client }: StatefulSetScenario): Promise<void> {
  const labels = { app: "web" };
  await create("web-7", {}, { labels });
  const metadata = { name: "web-orphan", namespace, labels };
  const orphan = {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata,
    revision: 9,
    data: {},
  };
  await client.create<ControllerRevision>(controllerRevisionResource, orphan);
}

async function ownersOfOrphans({ client, pod }: StatefulSetScenario): Promise<number[]> {
  const revision = await client.get(controllerRevisionResource, { namespace, name: "web-orphan" });
  const objects: KubeObject[] = [await pod("web-7"), revision];
  return objects.map(({ metadata }) => metadata.ownerReferences?.length ?? 0);
}

describe("ST13 ST24 a set that is going", () => {
  const held = { type: "merge", body: { metadata: { finalizers: ["test.dev/hold"] } } } as const;

  test("adopts neither pods nor revisions, and makes nothing", async () => {
    const scenario = await statefulSetScenario({ replicas: 1, spec: parallel });
    await scenario.settled();
    await scenario.client.patch(statefulSetResource, key, held);
    await scenario.client.delete(statefulSetResource, key, { propagationPolicy: "Orphan" });
    await scenario.clock.runFor(5_000);
    scenario.timeline.take();
    await leaveOrphans(scenario);
    await scenario.clock.runFor(30_000);
    expect(await ownersOfOrphans(scenario)).toEqual([0, 0]);
    expect(named(scenario.timeline.lines())).toEqual(["+web-7"]);
  });

  test("adopts nothing even where the operator has not heard of the deletion", async () => {
    const { state, faults } = deafness();
    const expected = [/StatefulSet default\/web is being deleted: it adopts nothing/];
    const scenario = await statefulSetScenario({ replicas: 1, spec: parallel, faults, expected });
    await scenario.settled();
    state.isDeaf = true;
    await scenario.client.patch(statefulSetResource, key, held);
    await scenario.client.delete(statefulSetResource, key, { propagationPolicy: "Orphan" });
    await leaveOrphans(scenario);
    await scenario.clock.runFor(30_000);
    expect(await ownersOfOrphans(scenario)).toEqual([0, 0]);
    const [problem] = scenario.operatorProblems as Error[];
    expect(problem?.message).toContain("is being deleted: it adopts nothing");
  });
});

test("ST13 a pod of ours whose name is not ours is let go", async () => {
  const scenario = await statefulSetScenario({ replicas: 1 });
  await scenario.settled();
  const { ownerReferences } = (await scenario.pod("web-0")).metadata;
  await scenario.create("other-0", {}, { labels: { app: "web" }, ownerReferences });
  await scenario.clock.runFor(5_000);
  expect((await scenario.pod("other-0")).metadata.ownerReferences ?? []).toEqual([]);
});

test("ST22 of three pods one is held, one failed, one succeeded: only the held one stays", async () => {
  const scenario = await statefulSetScenario({ replicas: 3, spec: parallel });
  await scenario.settled();
  const before = (await scenario.pods()).map(({ metadata }) => metadata.uid);
  const hold = { type: "merge", body: { metadata: { finalizers: ["test.dev/hold"] } } } as const;
  await scenario.client.patch(podResource, { namespace, name: "web-0" }, hold);
  await scenario.deletePod("web-0");
  for (const [name, phase] of [
    ["web-1", "Failed"],
    ["web-2", "Succeeded"],
  ] as const) {
    const patch = { type: "merge", body: { status: { phase } } } as const;
    const status = { subresource: "status" };
    await scenario.client.patch(podResource, { namespace, name }, patch, status);
  }
  await scenario.clock.runFor(30_000);
  const after = (await scenario.pods()).map(({ metadata }) => metadata.uid);
  expect(after.map((uid, index) => uid === before[index])).toEqual([true, false, false]);
  const free = { type: "merge", body: { metadata: { finalizers: null } } } as const;
  await scenario.client.patch(podResource, { namespace, name: "web-0" }, free);
  await scenario.settled();
  expect(scenario.drawing()).toHaveLength(3);
});

test.each([
  ["OrderedReady", ["-web-4"]],
  ["Parallel", ["-web-4", "-web-3"]],
] as const)(
  "ST14 %s: pods that terminate stay counted until they are gone",
  async (policy, want) => {
    const spec = { podManagementPolicy: policy };
    const scenario = await statefulSetScenario({ replicas: 5, image: "stubborn:v1", spec });
    await scenario.settled();
    scenario.timeline.take();
    await scenario.patch({ spec: { replicas: 3 } });
    await scenario.clock.runFor(20_000);
    expect(named(scenario.timeline.lines())).toEqual(want);
    expect((await scenario.set()).status).toMatchObject({ replicas: 5 });
    await scenario.settled();
    expect((await scenario.set()).status).toMatchObject({ replicas: 3 });
  },
);

/** The most requests of one kind that were under way at once. */
function counting() {
  const most: Record<string, number> = {};
  const now: Record<string, number> = {};
  const faults = (transport: Transport): Transport => ({
    async request(request) {
      const { method } = request;
      const running = (now[method] ?? 0) + 1;
      now[method] = running;
      most[method] = Math.max(most[method] ?? 0, running);
      try {
        return await transport.request(request);
      } finally {
        now[method] = (now[method] ?? 1) - 1;
      }
    },
    stream: (request, onEvent) => transport.stream(request, onEvent),
  });
  return { most, faults };
}

test.each([
  [3, 30, "POST", 2],
  [10, 1, "DELETE", 2],
  [80, 0, "DELETE", 10],
  [0, 80, "POST", 20],
] as const)(
  "ST14 Parallel from %i to %i: %s is asked %i times at once",
  async (from, to, method, least) => {
    const { most, faults } = counting();
    const scenario = await statefulSetScenario({ replicas: from, spec: parallel, faults });
    await scenario.clock.runFor(60_000);
    for (const each of Object.keys(most)) delete most[each];
    await scenario.patch({ spec: { replicas: to } });
    await scenario.clock.runFor(60_000);
    expect((await scenario.set()).status?.replicas ?? 0).toBe(to);
    expect(most[method]).toBeGreaterThanOrEqual(least);
  },
);

describe.each(policies)(
  "ST1 ST7 %s: budgets and what the partition leaves",
  (podManagementPolicy) => {
    const rows: [staged: string, maxUnavailable: number, partition: number, down: number][] = [
      ["fewer than the budget", 3, 4, 1],
      ["as many as the budget", 2, 3, 2],
      ["more than the budget", 2, 1, 2],
      ["more than the budget, which is above replicas", 9, 2, 3],
      ["nothing", 2, 5, 0],
      ["everything, with no partition", 2, 0, 2],
    ];
    test.each(rows)(
      "%s is staged: %i of 5 at once from %i on",
      async (_staged, amount, partition, down) => {
        const spec = { podManagementPolicy, ...rolling(amount, partition) };
        const scenario = await statefulSetScenario({ replicas: 5, spec });
        await scenario.settled();
        const guarded = scenario.guard();
        await scenario.setImage("web:v2");
        await scenario.clock.runFor(180_000);
        expect(guarded.fewest).toBe(5 - down);
        const updated = scenario.drawing().filter((line) => line.endsWith("web:v2"));
        expect(updated).toHaveLength(5 - partition);
      },
    );

    test("one at a time said and not said are the same", async () => {
      const timelines = [
        rolling(1),
        {},
        { updateStrategy: { type: "RollingUpdate" } as const },
      ].map(async (strategy) => {
        const spec = { podManagementPolicy, ...strategy };
        const scenario = await statefulSetScenario({ replicas: 3, spec });
        await scenario.settled();
        scenario.timeline.take();
        await scenario.setImage("web:v2");
        await scenario.settled();
        return named(scenario.timeline.lines());
      });
      const [said, defaulted, without] = await Promise.all(timelines);
      expect(defaulted).toEqual(said);
      expect(without).toEqual(said);
      expect(said?.filter((name) => name.startsWith("-"))).toEqual(["-web-2", "-web-1", "-web-0"]);
    });
  },
);

test("ST23 a server that drops the field in mid-rollout slows the rollout, no more", async () => {
  const scenario = await statefulSetScenario({ replicas: 6, spec: { ...parallel, ...rolling(3) } });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(1_000);
  await scenario.patch({ spec: { updateStrategy: { rollingUpdate: { maxUnavailable: null } } } });
  await scenario.clock.runFor(10_000);
  const late = scenario.guard();
  await scenario.settled();
  expect(late.fewest).toBe(5);
  expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
});

test("ST12 ST24 claims left by a former set are given to the set that adopts their pods", async () => {
  const data = {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  } as unknown as VolumeClaim;
  const spec = { ...parallel, volumeClaimTemplates: [data] };
  const scenario = await statefulSetScenario({ replicas: 2, spec });
  await scenario.settled();
  await scenario.client.delete(statefulSetResource, key, { propagationPolicy: "Orphan" });
  await scenario.clock.runFor(10_000);
  const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Delete" } as const;
  const next = statefulSetOf({
    replicas: 2,
    spec: { ...spec, persistentVolumeClaimRetentionPolicy },
  });
  const { metadata } = await scenario.client.create<StatefulSet>(statefulSetResource, next);
  await scenario.settled();
  await scenario.clock.runFor(5_000);
  const { items } = await scenario.client.list<VolumeClaim>(volumeClaimResource, { namespace });
  const owners = items.map((claim) => claim.metadata.ownerReferences?.map(({ uid }) => uid));
  expect(owners).toEqual([[metadata.uid], [metadata.uid]]);
});

/** A newer API server knows strategies that ours refuses, so one is put into its answers on the way. */
function withStrategy(type: string) {
  const change = <T>(value: T): T => {
    const set = value as { kind?: string; spec?: { updateStrategy?: unknown } };
    return set.spec?.updateStrategy === undefined
      ? value
      : ({ ...set, spec: { ...set.spec, updateStrategy: { type } } } as T);
  };
  return (transport: Transport): Transport => ({
    request: (request) => transport.request(request),
    stream: (request, onEvent) =>
      transport.stream(request, (event) =>
        onEvent({ ...event, object: change(event.object) } as WatchEvent),
      ),
  });
}

test("ST23 a strategy that Lockstep does not know replaces nothing, and an event says so once", async () => {
  const scenario = await statefulSetScenario({
    replicas: 2,
    spec: parallel,
    faults: withStrategy("Recreate"),
  });
  await scenario.clock.runFor(30_000);
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(60_000);
  expect(scenario.drawing()).toEqual(["web-0 web:v1", "web-1 web:v1"]);
  const reported = (await scenario.events("web")).filter((text) =>
    text.startsWith("UnknownStrategy"),
  );
  expect(reported).toEqual([expect.stringContaining("Recreate is not known")]);
  await scenario.deletePod("web-1");
  await scenario.clock.runFor(30_000);
  expect(scenario.drawing()).toEqual(["web-0 web:v1", "web-1 web:v2"]);
});
