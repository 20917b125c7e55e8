/** Views that are old or were never complete: what an operator must not conclude from them. */
import { expect, test } from "vitest";
import { clusterTopologyBindingResource } from "../../../src/api/grove/cluster-topology.ts";
import { podCliqueResource } from "../../../src/api/grove/podclique.ts";
import { podCliqueSetResource } from "../../../src/api/grove/podcliqueset.ts";
import { scalingGroupResource } from "../../../src/api/grove/scaling-group.ts";
import { podResource } from "../../../src/api/pod.ts";
import { pacedTransport } from "../../../src/runtime/paced-transport.ts";
import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from "../../../src/runtime/transport.ts";
import { sleep } from "../../../src/runtime/clock.ts";
import type { Fault } from "../../../src/simulation/faults.ts";
import {
  changing,
  forbidding,
  heldBack,
  isAbout,
  refusing,
  seenLate,
} from "../../../src/simulation/faults.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";
import { namespace } from "../../builders/scenario.ts";
import { versionsOf } from "../../builders/versions.ts";
import { atLeastOne } from "../../builders/must.ts";

const pairs: PodCliqueSetScenarioOptions = {
  cliques: { front: { replicas: 3, minAvailable: 1 }, lead: {}, work: {} },
  groups: { pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
};

const countOf = ({ writes }: PodCliqueSetScenario, what: string): number => writes[what] ?? 0;

test("grove#121 however late pods are seen, exactly as many are made and deleted as were asked for", async () => {
  const scenario = await podCliqueSetScenario({ ...pairs, faults: seenLate(podResource, 3_000) });
  await scenario.settled();
  expect(countOf(scenario, "create pods")).toBe(7);
  await scenario.scaleClique("chat-0-front", 6);
  await scenario.clock.runFor(60_000);
  expect(countOf(scenario, "create pods")).toBe(10);
  await scenario.scaleClique("chat-0-front", 2);
  await scenario.clock.runFor(60_000);
  expect(countOf(scenario, "delete pods")).toBe(4);
  expect(scenario.drawing()).toHaveLength(6);
});

test("grove#458 a pod that was deleted before anybody saw it is made again", async () => {
  const front = { replicas: 3, minAvailable: 1 };
  const { faults, hold, release } = heldBack(podResource);
  hold();
  const scenario = await podCliqueSetScenario({ cliques: { front }, faults });
  const areThere = async (): Promise<boolean> => (await scenario.pods()).length === 3;
  while (!(await areThere())) await scenario.clock.runFor(100);
  for (const { metadata } of await scenario.pods()) {
    const key = { namespace, name: metadata.name ?? "" };
    await scenario.client.delete(podResource, key, { gracePeriodSeconds: 0 });
  }
  await scenario.clock.runFor(1_000);
  release();
  await scenario.settled();
  expect(scenario.drawing()).toHaveLength(3);
});

test("a clique whose deletion is seen late gets no pods that would have to go at once", async () => {
  const front = { replicas: 3, minAvailable: 1 };
  const faults = seenLate(podCliqueResource, 10_000);
  const scenario = await podCliqueSetScenario({ cliques: { front }, faults });
  await scenario.settled();
  await scenario.clock.runFor(30_000);
  await scenario.client.delete(podCliqueResource, { namespace, name: "chat-0-front" });
  await scenario.clock.runFor(8_000);
  expect(await scenario.pods()).toEqual([]);
  await scenario.clock.runFor(60_000);
  expect(scenario.drawing()).toHaveLength(3);
  expect(countOf(scenario, "create pods")).toBe(6);
});

const owners = {
  PodCliqueSet: { resource: podCliqueSetResource, name: "chat", left: 0 },
  PodCliqueScalingGroup: { resource: scalingGroupResource, name: "chat-0-pair", left: 3 },
};

test.each(Object.entries(owners))(
  "a %s whose deletion is seen late gets nothing that would have to go at once",
  async (_kind, { resource, name, left }) => {
    const scenario = await podCliqueSetScenario({ ...pairs, faults: seenLate(resource, 10_000) });
    await scenario.settled();
    await scenario.clock.runFor(30_000);
    const before = countOf(scenario, "create podcliques");
    await scenario.client.delete(resource, { namespace, name });
    await scenario.clock.runFor(8_000);
    expect(await scenario.pods()).toHaveLength(left);
    expect(countOf(scenario, "create podcliques") - before).toBeLessThanOrEqual(4);
  },
);

test("CQ4 grove#433 a pod that is asked to go counts no more, and is replaced the moment it is gone", async () => {
  const front = { replicas: 2, minAvailable: 2, image: "front:stubborn" };
  const scenario = await podCliqueSetScenario({ cliques: { front } });
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  scenario.timeline.take();
  await scenario.deletePod("chat-0-front-0");
  await scenario.clock.runFor(2_500);
  const [clique] = await scenario.cliques();
  expect(clique?.status).toMatchObject({ replicas: 1, readyReplicas: 1 });
  expect((await scenario.set()).status).toMatchObject({ availableReplicas: 0 });
  await scenario.clock.runFor(60_000);
  const story = scenario.timeline.take();
  const at = (mark: string): number =>
    Number(/^(\d+)s/.exec(story.find((line) => line.includes(mark)) ?? "")?.[1]);
  expect(at(" +chat-0-front-0") - at(" -chat-0-front-0")).toBe(30);
});

const late = {
  cliques: podCliqueResource,
  groups: scalingGroupResource,
  sets: podCliqueSetResource,
  pods: podResource,
};

test.each(Object.entries(late))(
  "grove#775 grove#784 a status from a late view of %s never replaces a newer one, and no breach stays",
  async (_name, resource) => {
    const scenario = await podCliqueSetScenario({ ...pairs, faults: seenLate(resource, 4_000) });
    const { sets, groups, cliques } = versionsOf(scenario.client);
    await scenario.settled();
    await scenario.cordon(true);
    for (const host of ["front-0", "front-1", "front-2", "pair-0-lead-0", "pair-1-lead-0"]) {
      await scenario.deletePod(`chat-0-${host}`);
    }
    await scenario.clock.runFor(60_000);
    await scenario.cordon(false);
    await scenario.clock.runFor(60_000);
    await scenario.setImages({ front: "front:v2" });
    await scenario.settled();
    await scenario.clock.runFor(30_000);
    const reported = [...(await scenario.cliques()), ...(await scenario.groups())].map(
      ({ metadata, status }) => {
        const breach = status?.conditions?.find(({ type }) => type === "MinAvailableBreached");
        return `${metadata.name} ${breach?.status}`;
      },
    );
    expect(reported.filter((line) => !line.endsWith("False"))).toEqual([]);
    for (const seen of [sets, groups, cliques]) {
      expect(stepsBack(atLeastOne<Versioned>(seen))).toEqual([]);
    }
  },
);

interface Versioned {
  readonly metadata: { readonly name?: string; readonly uid?: string };
  readonly status?: { readonly observedGeneration?: number };
}

/** Objects whose status went back to an earlier generation. */
function stepsBack(versions: readonly Versioned[]): string[] {
  const newest = new Map<string, number>();
  return versions.flatMap(({ metadata, status }) => {
    const { uid = "", name = "" } = metadata;
    const before = newest.get(uid) ?? 0;
    const now = status?.observedGeneration ?? 0;
    newest.set(uid, Math.max(before, now));
    return now < before ? [`${name} from ${before} to ${now}`] : [];
  });
}

test("grove#775 every write of a status says which version it was made from", async () => {
  const unlocked: string[] = [];
  const record = (request: TransportRequest): TransportRequest => {
    const { metadata } = (request.body ?? {}) as { metadata?: { resourceVersion?: string } };
    const isStatus = request.path.endsWith("/status") && request.method !== "GET";
    if (isStatus && metadata?.resourceVersion === undefined) unlocked.push(request.path);
    return request;
  };
  const scenario = await podCliqueSetScenario({ ...pairs, faults: changing(record) });
  await scenario.settled();
  await scenario.setImages({ front: "front:v2", lead: "lead:v2" });
  await scenario.settled();
  expect(countOf(scenario, "patch podcliques/status")).toBeGreaterThan(0);
  expect(unlocked).toEqual([]);
});

test("PS13 a topology that is seen later than the set that asks for it constrains its first gangs", async () => {
  const key = "topology.kubernetes.io/zone";
  const scenario = await podCliqueSetScenario({
    cliques: { front: { replicas: 2 } },
    topology: { zone: key },
    template: { topologyConstraint: { topologyName: "machines", pack: { required: "zone" } } },
    faults: seenLate(clusterTopologyBindingResource, 3_000),
  });
  const { gangs } = versionsOf(scenario.client);
  await scenario.settled();
  const packed = gangs.map(({ spec }) => spec.topologyConstraint?.packConstraint?.required);
  expect(new Set(packed)).toEqual(new Set([key]));
});

/** What looked down, and was chosen for that, has recovered before anything of it was deleted. */
test.each([
  [
    "a replica of a set",
    { type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    {},
  ],
  ["a replica of a group", { type: "RollingUpdate" }, { maxUnavailable: 0, maxSurge: 1 }],
])(
  "RO1 %s that is up, but looks down, is not replaced without budget",
  async (_what, strategy, budget) => {
    const held = heldBack(podResource);
    const pair = { cliques: ["lead", "work"], replicas: 1, updateStrategy: budget };
    const scenario = await podCliqueSetScenario({
      cliques: { lead: {}, work: {} },
      groups: { pair },
      strategy,
      faults: held.faults,
    });
    await scenario.until(async () => (await scenario.pods()).length === 2);
    held.hold();
    await scenario.until(() => scenario.drawing().every((line) => !line.endsWith("!")));
    const guarded = scenario.guard();
    await scenario.setImages({ lead: "lead:v2", work: "work:v2" });
    await scenario.clock.runFor(5_000);
    held.release();
    await scenario.settled();
    expect(guarded.fewest).toBe(2);
    expect(scenario.drawing().every((line) => line.endsWith(":v2"))).toBe(true);
  },
);

test("RO1 a replica that looks down and was never complete is not replaced without budget either", async () => {
  const held = heldBack(podResource);
  const isLastPart = ({ method, path, body }: TransportRequest): boolean =>
    method === "POST" &&
    path.endsWith("/podcliques") &&
    (body as { metadata: { name?: string } }).metadata.name === "chat-0-pair-1-work";
  const unmade = refusing(isLastPart);
  const scenario = await podCliqueSetScenario({
    cliques: { lead: {}, work: {} },
    groups: { pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
    strategy: { type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    faults: (transport, clock) => held.faults(unmade.faults(transport, clock), clock),
  });
  const isServing = (): boolean =>
    scenario.drawing().filter((line) => !line.endsWith("!")).length === 2;
  await scenario.until(async () => (await scenario.pods()).length === 3);
  held.hold();
  await scenario.until(isServing);
  const guarded = scenario.guard();
  await scenario.setImages({ lead: "lead:v2", work: "work:v2" });
  await scenario.clock.runFor(5_000);
  held.release();
  await scenario.clock.runFor(5_000);
  unmade.stop();
  await scenario.settled();
  expect(guarded.fewest).toBe(2);
  expect(scenario.drawing().every((line) => line.endsWith(":v2"))).toBe(true);
});

test("PS5 a new image goes on with the replica being rolled, also where its last step is not seen", async () => {
  const held = heldBack(podResource);
  const holding = changing((request) => {
    if (request.method === "DELETE" && request.path.endsWith("/chat-1-front-0")) held.hold();
    return request;
  });
  const scenario = await podCliqueSetScenario({
    replicas: 2,
    cliques: { front: {} },
    faults: (transport, clock) => held.faults(holding(transport, clock), clock),
  });
  await scenario.settled();
  const guarded = scenario.guard();
  await scenario.setImages({ front: "front:v2" });
  await scenario.until(() =>
    scenario.drawing().some((line) => line.startsWith("chat-1-front-0 front:v1~")),
  );
  await scenario.setImages({ front: "front:v3" });
  await scenario.clock.runFor(3_000);
  held.release();
  await scenario.settled();
  expect(guarded.fewest).toBe(1);
});

test("PS5 going back goes on with the replica whose group was just given the target before", async () => {
  const held = heldBack(scalingGroupResource);
  let isReverting = false;
  const holding = changing((request) => {
    const isGiven = request.method === "PUT" && request.path.endsWith("/chat-1-pair");
    if (isGiven && !isReverting) held.hold();
    return request;
  });
  const scenario = await podCliqueSetScenario({
    replicas: 2,
    cliques: { lead: {} },
    groups: { pair: { cliques: ["lead"], replicas: 1, minAvailable: 1 } },
    faults: (transport, clock) => held.faults(holding(transport, clock), clock),
  });
  await scenario.settled();
  await scenario.setImages({ lead: "lead:v2" });
  await scenario.clock.runFor(10_000);
  expect(scenario.drawing()).toEqual([
    "chat-0-pair-0-lead-0 lead:v2",
    "chat-1-pair-0-lead-0 lead:v1",
  ]);
  isReverting = true;
  await scenario.setImages({ lead: "lead:v1" });
  await scenario.clock.runFor(1_000);
  held.release();
  await scenario.settled();
  expect(scenario.drawing().every((line) => line.endsWith(":v1"))).toBe(true);
});

test("RR1 a group that knows its target creates no member of the revision before, however slowly it asks", async () => {
  const isLead = ({ method, path }: TransportRequest): boolean =>
    method === "DELETE" && path.endsWith("/podcliques/chat-0-pair-0-lead");
  const isAsked = ({ method, path }: TransportRequest): boolean =>
    method === "GET" && path.endsWith("/podcliquescalinggroups");
  const faults: Fault = (transport, clock) => ({
    request: async (request) => {
      if (isLead(request)) await sleep(clock, 3_000);
      if (isAsked(request)) await sleep(clock, 8_000);
      return transport.request(request);
    },
    stream: (request, onEvent) => transport.stream(request, onEvent),
  });
  const scenario = await podCliqueSetScenario({
    cliques: { lead: {}, work: {} },
    groups: { pair: { cliques: ["lead", "work"], replicas: 1, minAvailable: 1 } },
    strategy: { type: "ReplicaRecreate" },
    faults,
  });
  await scenario.settled();
  scenario.timeline.take();
  await scenario.setImages({ lead: "lead:v2", work: "work:v2" });
  await scenario.settled();
  const created = scenario.timeline.take().filter((line) => line.includes(" +"));
  expect(created.filter((line) => line.includes(":v1"))).toEqual([]);
  expect(created).toHaveLength(4);
});

test("RO1 a replica that was down when a busy server refused its deletion is not deleted once it serves", async () => {
  const busyMs = 6_000;
  const body = { kind: "Status", status: "Failure", code: 429, message: "busy" };
  const busy: TransportResponse = { status: 429, warnings: [], body, retryAfterSeconds: 1 };
  const faults: Fault = (transport, clock) => {
    const untilMs = clock.now() + busyMs;
    const isBusy = ({ method, path }: TransportRequest): boolean =>
      method === "DELETE" && path.includes("/podcliques/") && clock.now() < untilMs;
    const server: Transport = {
      request: async (request) => (isBusy(request) ? busy : transport.request(request)),
      stream: (request, onEvent) => transport.stream(request, onEvent),
    };
    return pacedTransport(server, { clock, random: () => 0 });
  };
  const scenario = await podCliqueSetScenario({
    cliques: { front: {} },
    strategy: { type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    faults,
  });
  await scenario.until(async () => (await scenario.pods()).length === 1);
  await scenario.setImages({ front: "front:v2" });
  await scenario.until(() => scenario.drawing()[0] === "chat-0-front-0 front:v1");
  const guarded = scenario.guard();
  await scenario.settled();
  expect(guarded.fewest).toBe(1);
});

test("PS14 RR1 a replica whose members are about to be made starts on no other revision beside them", async () => {
  const scenario = await podCliqueSetScenario({
    ...pairs,
    strategy: { type: "ReplicaRecreate" },
    faults: forbidding(
      (request) => request.method === "POST" && isAbout(request, podCliqueResource),
    ),
    expected: [/refused/],
  });
  await scenario.clock.runFor(10_000);
  expect(await scenario.groups()).toHaveLength(1);
  await scenario.stopOperator();
  await scenario.setImages({ front: "front:v2", lead: "lead:v2", work: "work:v2" });
  await scenario.restart();
  await scenario.settled(60_000);
  expect(scenario.drawing()).toHaveLength(7);
});
