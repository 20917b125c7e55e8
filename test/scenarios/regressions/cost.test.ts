/** Work that nobody needs: counted in writes and reconciles, never in time. */
import { expect, test } from "vitest";
import { labelKeys } from "../../../src/api/grove/labels.ts";
import { podCliqueSetResource } from "../../../src/api/grove/podcliqueset.ts";
import { podGangResource } from "../../../src/api/grove/podgang.ts";
import { podResource } from "../../../src/api/pod.ts";
import type { TransportRequest } from "../../../src/runtime/transport.ts";
import { changing, isAbout, forbidding, seenLate } from "../../../src/simulation/faults.ts";
import { pairs } from "../../builders/pairs.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario, podCliqueSetOf } from "../../builders/pod-clique-set-scenario.ts";
import { namespace } from "../../builders/scenario.ts";

/** What is done from here on: writes by verb, reconciles by key. */
function since({ writes, reconciles }: PodCliqueSetScenario) {
  const before = { writes: { ...writes }, reconciles: { ...reconciles } };
  const more = (now: Record<string, number>, then: Record<string, number>) =>
    Object.fromEntries(
      Object.entries(now)
        .map(([what, count]) => [what, count - (then[what] ?? 0)] as const)
        .filter(([, count]) => count > 0),
    );
  return {
    writes: () => more(writes, before.writes),
    reconciles: () => more(reconciles, before.reconciles),
  };
}

const writesOfGangs = (done: ReturnType<typeof since>) =>
  Object.entries(done.writes()).filter(([what]) => what.includes("podgangs"));

async function quiet(options: PodCliqueSetScenarioOptions): Promise<PodCliqueSetScenario> {
  const scenario = await podCliqueSetScenario(options);
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  return scenario;
}

test("grove#760 a pod event that says nothing new wakes nobody", async () => {
  const scenario = await quiet(pairs);
  const done = since(scenario);
  for (const { metadata, status } of await scenario.pods()) {
    const conditions = status?.conditions?.map((condition) => ({
      ...condition,
      lastProbeTime: "2026-01-01T00:05:00Z",
    }));
    const key = { namespace, name: metadata.name ?? "" };
    const body = { metadata: { annotations: { seen: "again" } }, status: { conditions } };
    await scenario.client.patch(
      podResource,
      key,
      { type: "merge", body },
      { subresource: "status" },
    );
    await scenario.clock.runFor(1_000);
  }
  expect(done.reconciles()).toEqual({});
  expect(done.writes()).toEqual({});
});

test("grove#579 grove#657 looking again without a reason writes nothing", async () => {
  const scenario = await quiet(pairs);
  const done = since(scenario);
  for (const time of ["first", "second", "third"]) {
    await scenario.patch({ metadata: { annotations: { "grove.io/reconcile-trigger": time } } });
    await scenario.clock.runFor(5_000);
  }
  expect(done.reconciles()).toMatchObject({ "PodCliqueSet default/chat": expect.any(Number) });
  expect(done.writes()).toEqual({});
});

const strategies: Record<string, Record<string, unknown>> = {
  RollingRecreate: { type: "RollingRecreate" },
  "ReplicaRecreate, two at a time": {
    type: "ReplicaRecreate",
    rollingUpdate: { maxUnavailable: 2, maxSurge: 0 },
  },
  "ReplicaRecreate with surge": {
    type: "ReplicaRecreate",
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
  },
};

test.each(Object.entries(strategies))(
  "GA2 GA6 by %s nothing is written for lists and gates, and at most six times for a pod",
  async (_name, strategy) => {
    const scenario = await podCliqueSetScenario({
      replicas: 6,
      strategy,
      cliques: { front: { replicas: 2 } },
    });
    const made = since(scenario);
    await scenario.settled();
    await scenario.setImages({ front: "front:v2" });
    await scenario.settled();
    await scenario.clock.runFor(10_000);
    const writes = made.writes();
    expect(writes["patch pods"] ?? 0).toBe(0);
    expect(writes["patch podgangs"] ?? 0).toBe(0);
    const all = Object.values(writes).reduce((sum, count) => sum + count, 0);
    // Twelve pods are made, and then replaced.
    expect(all / 24).toBeLessThan(6);
  },
);

test("grove#545 an update of one set asks the server for no list and looks at no other set", async () => {
  const lists: string[] = [];
  const record = (request: TransportRequest): TransportRequest => {
    const isOne = /\/podclique(s|scalinggroups)\/[^/]+$/.test(request.path);
    if (request.method === "GET" && !isOne) lists.push(request.path);
    return request;
  };
  const scenario = await quiet({ ...pairs, faults: changing(record) });
  await scenario.client.create(podCliqueSetResource, podCliqueSetOf({ ...pairs, name: "other" }));
  await scenario.clock.runFor(120_000);
  lists.length = 0;
  const done = since(scenario);
  await scenario.setImages({ front: "front:v2", lead: "lead:v2" });
  await scenario.settled();
  expect(lists).toEqual([]);
  const others = Object.keys(done.reconciles()).filter((key) => key.includes("/other"));
  expect(others).toEqual([]);
});

test("grove#576 the status of a set does not grow with its replicas", async () => {
  const sizes: number[] = [];
  for (const replicas of [2, 8]) {
    const scenario = await podCliqueSetScenario({ cliques: { front: {} }, replicas });
    await scenario.settled();
    await scenario.setImages({ front: "front:v2" });
    await scenario.clock.runFor(6_000);
    sizes.push(JSON.stringify((await scenario.set()).status?.updateProgress).length);
  }
  expect(sizes[0]).toBe(sizes[1]);
});

test("grove#576 an update reports every replica, but not in an event for each", async () => {
  const scenario = await quiet({ cliques: { front: { replicas: 2 } }, replicas: 20, nodes: 20 });
  const done = since(scenario);
  await scenario.setImages({ front: "front:v2" });
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  const { "create events": events = 0, ...others } = done.writes();
  const all = Object.values(others).reduce((sum, count) => sum + count, events);
  expect(events).toBeLessThan(20);
  // Each clique writes once that it awaits its turn, and nothing at once between its two pods.
  expect(all / 40).toBeLessThan(6.2);
});

test("grove#556 grove#423 a set that is deleted goes by its owner references: no write of ours", async () => {
  const scenario = await quiet({ ...pairs, replicas: 2 });
  const done = since(scenario);
  await scenario.client.delete(podCliqueSetResource, { namespace, name: "chat" });
  await scenario.clock.runFor(120_000);
  expect(await scenario.pods()).toEqual([]);
  expect(await scenario.cliques()).toEqual([]);
  const own = Object.entries(done.writes()).filter(([what]) => !what.endsWith(" events"));
  expect(own).toEqual([]);
});

test("grove#556 a set that is deleted costs nothing either while its gangs have yet to go", async () => {
  const faults = seenLate(podGangResource, 30_000);
  const scenario = await quiet({ ...pairs, replicas: 2, faults });
  const done = since(scenario);
  await scenario.client.delete(podCliqueSetResource, { namespace, name: "chat" });
  await scenario.clock.runFor(120_000);
  expect(await scenario.pods()).toEqual([]);
  expect(writesOfGangs(done)).toEqual([]);
});

test("grove#556 a gang that somebody holds while it goes is not written, and made anew once it is gone", async () => {
  const scenario = await quiet(pairs);
  const [base] = await scenario.gangs();
  const key = { namespace, name: base?.metadata.name ?? "" };
  const hold = (finalizers: readonly string[]) =>
    scenario.client.patch(podGangResource, key, {
      type: "merge",
      body: { metadata: { finalizers } },
    });
  await hold(["example.com/hold"]);
  await scenario.client.delete(podGangResource, key);
  const done = since(scenario);
  await scenario.patch({ spec: { template: { priorityClassName: "urgent" } } });
  await scenario.deletePod("chat-0-front-0");
  await scenario.clock.runFor(60_000);
  // The other gang, which stays.
  expect(writesOfGangs(done)).toEqual([["update podgangs", 1]]);
  await hold([]);
  await scenario.clock.runFor(10_000);
  const again = (await scenario.gangs()).find(({ metadata }) => metadata.name === key.name);
  expect(again?.metadata.uid).not.toBe(base?.metadata.uid);
  expect(again?.spec).toMatchObject({ priorityClassName: "urgent" });
});

test("grove#722 a failure is tried again by one clock only, and reported once", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { front: { replicas: 3 } },
    faults: forbidding((request) => request.method === "POST" && isAbout(request, podResource)),
  });
  await scenario.clock.runFor(600_000);
  // 50 ms doubled up to two minutes: some fifteen tries in ten minutes, two pods each.
  const tries = (scenario.writes["create pods"] ?? 0) / 2;
  expect(tries).toBeGreaterThan(5);
  expect(tries).toBeLessThan(25);
  const [clique] = await scenario.cliques();
  expect(clique?.status?.lastErrors).toHaveLength(1);
  await scenario.restart();
  await scenario.settled();
  await scenario.clock.runFor(5_000);
  expect((await scenario.cliques())[0]?.status?.lastErrors ?? []).toEqual([]);
  expect((await scenario.pods())[0]?.metadata.labels?.[labelKeys.podIndex]).toBeDefined();
});
