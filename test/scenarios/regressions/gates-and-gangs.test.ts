/**
 * Gates, gangs and startup order. There is no init container and no token for it (grove#547): order is kept by
 * gates, and the first test of this file would find one.
 */
import { expect, test } from "vitest";
import { podGangGate } from "../../../src/api/grove/labels.ts";
import type { PodClique } from "../../../src/api/grove/podclique.ts";
import { podCliqueResource } from "../../../src/api/grove/podclique.ts";
import type { PodGang } from "../../../src/api/grove/podgang.ts";
import { podCliqueSetResource } from "../../../src/api/grove/podcliqueset.ts";
import { podGangResource } from "../../../src/api/grove/podgang.ts";
import { scalingGroupResource } from "../../../src/api/grove/scaling-group.ts";
import type { Pod } from "../../../src/api/pod.ts";
import { isReady, podResource } from "../../../src/api/pod.ts";
import { controllerOf } from "../../../src/controllers/engine/ownership.ts";
import type { Client } from "../../../src/runtime/client.ts";
import type { TransportRequest } from "../../../src/runtime/transport.ts";
import { changing, isAbout, forbidding, heldBack } from "../../../src/simulation/faults.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";
import { namespace } from "../../builders/scenario.ts";
import { atLeastOne } from "../../builders/must.ts";

const hostsOf = (pods: readonly Pod[]): string[] =>
  pods.map(({ spec }) => String(spec.hostname)).toSorted();

const isGated = ({ spec }: Pod): boolean =>
  (spec.schedulingGates ?? []).some(({ name }) => name === podGangGate);

const explicit = { cliqueStartupType: "CliqueStartupTypeExplicit" };

test("grove#547 order is kept by gates: it needs no init container, and what has started stays started", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { first: { image: "first:slow" }, second: { extra: { startsAfter: ["first"] } } },
    template: explicit,
  });
  await scenario.clock.runFor(20_000);
  expect(hostsOf((await scenario.pods()).filter(isGated))).toEqual(["chat-0-second-0"]);
  await scenario.settled();
  const before = await scenario.pods();
  expect(before.flatMap(({ spec }) => spec.initContainers ?? [])).toEqual([]);
  await scenario.deletePod("chat-0-first-0");
  await scenario.clock.runFor(30_000);
  const second = before.find(({ spec }) => spec.hostname === "chat-0-second-0");
  expect(isReady(await scenario.pod(second?.metadata.name ?? ""))).toBe(true);
});

test("parents are known by name, not by how a name begins: `pc-ab` does not stand in for `pc-a`", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: {
      "pc-a": { image: "a:never-ready" },
      "pc-ab": { replicas: 2 },
      late: { extra: { startsAfter: ["pc-a"] } },
    },
    template: explicit,
  });
  await scenario.clock.runFor(60_000);
  // Whoever starts now looks at everybody, with all the others up.
  await scenario.restart();
  await scenario.clock.runFor(60_000);
  const pods = await scenario.pods();
  expect(hostsOf(pods.filter(isReady))).toEqual(["chat-0-pc-ab-0", "chat-0-pc-ab-1"]);
  expect(hostsOf(pods.filter(isGated))).toEqual(["chat-0-late-0"]);
  await scenario.setImages({ "pc-a": "a:v2" });
  await scenario.settled();
  expect((await scenario.pods()).filter(isGated)).toEqual([]);
});

const kueueGate = "kueue.x-k8s.io/admission";

/** What an admission webhook of Kueue does to new pods. */
function heldByKueue(request: TransportRequest): TransportRequest {
  if (request.method !== "POST" || !isAbout(request, podResource)) return request;
  const pod = request.body as Pod;
  const schedulingGates = [{ name: kueueGate }, ...(pod.spec.schedulingGates ?? [])];
  return { ...request, body: { ...pod, spec: { ...pod.spec, schedulingGates } } };
}

test("grove#724 our gate goes, the gate of somebody else stays until its owner opens it", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { front: { replicas: 2 } },
    faults: changing(heldByKueue),
  });
  await scenario.clock.runFor(60_000);
  for (const { metadata, spec } of atLeastOne(await scenario.pods())) {
    expect(spec.schedulingGates).toEqual([{ name: kueueGate }]);
    const key = { namespace, name: metadata.name ?? "" };
    const body = { spec: { schedulingGates: null } };
    await scenario.client.patch(podResource, key, { type: "merge", body });
  }
  await scenario.settled();
});

const isInitialized = (gang: PodGang | undefined): boolean =>
  gang?.status?.conditions?.some(
    ({ type, status }) => type === "Initialized" && status === "True",
  ) ?? false;

test("grove#131 while one clique of a gang does not exist, no pod of it is shown to the scheduler", async () => {
  const isLate = (request: TransportRequest): boolean =>
    request.method === "POST" &&
    isAbout(request, podCliqueResource) &&
    (request.body as PodClique).metadata.name === "chat-0-back";
  const scenario = await podCliqueSetScenario({
    cliques: { front: { replicas: 2 }, back: {} },
    faults: forbidding(isLate),
  });
  await scenario.clock.runFor(60_000);
  const pods = await scenario.pods();
  expect(hostsOf(pods)).toEqual(["chat-0-front-0", "chat-0-front-1"]);
  expect(pods.filter(({ spec }) => spec.nodeName !== undefined)).toEqual([]);
  expect(isInitialized((await scenario.gangs())[0])).toBe(false);
  await scenario.restart();
  await scenario.settled();
  expect(isInitialized((await scenario.gangs())[0])).toBe(true);
});

/** Follows all gangs: the pods they list, by group, and every change of that. */
function followLists(client: Client) {
  const lists = new Map<string, ReadonlySet<string>>();
  const changes: string[] = [];
  void client.watch<PodGang>(podGangResource, { resourceVersion: "0" }, (event) => {
    if (event.type === "ERROR" || event.type === "DELETED") return;
    for (const { name, podReferences } of event.object.spec.podgroups) {
      const names = podReferences.map((pod) => pod.name);
      const known = [...(lists.get(name) ?? [])];
      if (known.join(" ") !== names.join(" ")) changes.push(`${name} lists ${names.join(" ")}`);
      lists.set(name, new Set(names));
    }
  });
  return { lists, changes };
}

const stubborn: PodCliqueSetScenarioOptions = {
  cliques: {
    front: { replicas: 2, minAvailable: 1, image: "front:stubborn" },
    lead: { image: "lead:stubborn" },
    work: { replicas: 2, image: "work:stubborn" },
  },
  groups: { pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
};

const madeAnew: Record<string, (scenario: PodCliqueSetScenario) => Promise<unknown>> = {
  "a clique that somebody deleted": ({ client }) =>
    client.delete(podCliqueResource, { namespace, name: "chat-0-front" }),
  "a member that somebody deleted": ({ client }) =>
    client.delete(podCliqueResource, { namespace, name: "chat-0-pair-0-lead" }),
  "replicas of a group that are rolled": ({ setImages }) => setImages({ lead: "lead:stubborn-v2" }),
};

test("CQ1 pods that a deleted clique left as orphans are its successor's, and serve on", async () => {
  const scenario = await podCliqueSetScenario({ cliques: { front: { replicas: 2 } } });
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  const orphans = (await scenario.pods()).map(({ metadata }) => metadata.uid);
  const key = { namespace, name: "chat-0-front" };
  await scenario.client.delete(podCliqueResource, key, { propagationPolicy: "Orphan" });
  await scenario.clock.runFor(60_000);
  const [clique] = await scenario.cliques();
  const [gang] = await scenario.gangs();
  const pods = await scenario.pods();
  expect(pods.map(({ metadata }) => metadata.uid)).toEqual(orphans);
  expect(pods.map((pod) => controllerOf(pod)?.uid)).toEqual(Array(2).fill(clique?.metadata.uid));
  expect(gang?.spec.podgroups[0]?.podReferences).toHaveLength(2);
  expect(clique?.status).toMatchObject({ readyReplicas: 2, scheduledReplicas: 2 });
});

test.each(Object.entries(madeAnew))(
  "GA2 places are listed, not incarnations: %s changes no list",
  async (_name, remake) => {
    const scenario = await podCliqueSetScenario(stubborn);
    await scenario.settled();
    const { lists, changes } = followLists(scenario.client);
    await scenario.clock.runFor(10_000);
    const before = new Set((await scenario.cliques()).map(({ metadata }) => metadata.uid));
    changes.length = 0;
    await remake(scenario);
    await scenario.clock.runFor(300_000);
    await scenario.settled();
    const after = (await scenario.cliques()).map(({ metadata }) => metadata.uid);
    expect(after.filter((uid) => !before.has(uid)).length).toBeGreaterThan(0);
    expect(changes).toEqual([]);
    const listed = [...lists.values()].flatMap((names) => [...names]);
    const pods = (await scenario.pods()).map(({ metadata }) => metadata.name ?? "");
    expect(listed.toSorted()).toEqual(pods.toSorted());
  },
);

test("grove#316 a replica made anew is shown to the scheduler only when its gang lists all of it", async () => {
  const scenario = await podCliqueSetScenario(stubborn);
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  const { lists } = followLists(scenario.client);
  const early: string[] = [];
  void scenario.client.watch<Pod>(podResource, { resourceVersion: "0" }, (event) => {
    if (event.type !== "ADDED" && event.type !== "MODIFIED") return;
    const { name = "", deletionTimestamp } = event.object.metadata;
    if (!name.includes("pair-1") || deletionTimestamp !== undefined) return;
    if (isGated(event.object) || event.object.spec.nodeName !== undefined) return;
    const [lead, work] = ["lead", "work"].map((each) => [
      ...(lists.get(`chat-0-pair-1-${each}`) ?? []),
    ]);
    const isWhole = lead?.length === 1 && work?.length === 2;
    if (!isWhole || ![...lead, ...work].includes(name)) early.push(name);
  });
  await scenario.setImages({ lead: "lead:v2", work: "work:v2" });
  await scenario.settled();
  expect(early).toEqual([]);
  expect((await scenario.groups())[0]?.status).toMatchObject({ availableReplicas: 2 });
});

test.each([
  { podSpec: {}, want: "default-scheduler" },
  { podSpec: { schedulerName: "kai-scheduler" }, want: "kai-scheduler" },
])("every PodGang says in a label which scheduler places it: $want", async ({ podSpec, want }) => {
  const scenario = await podCliqueSetScenario({
    cliques: { front: { podSpec }, back: { podSpec } },
    groups: { pair: { cliques: ["back"], replicas: 2, minAvailable: 1 } },
  });
  await scenario.clock.runFor(5_000);
  const items = await scenario.gangs();
  const schedulers = items.map(
    ({ metadata }) => `${metadata.name} ${metadata.labels?.["grove.io/scheduler-name"]}`,
  );
  expect(schedulers).toEqual([`chat-0 ${want}`, `chat-0-pair-0 ${want}`]);
});

test("PS1 another priority reaches running gangs in place, and restarts nothing: pods do not carry it", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { front: { replicas: 2 } },
    template: { priorityClassName: "batch" },
  });
  await scenario.settled();
  const before = (await scenario.pods()).map(({ metadata }) => metadata.uid);
  await scenario.patch({ spec: { template: { priorityClassName: "serving" } } });
  await scenario.clock.runFor(30_000);
  const items = await scenario.gangs();
  expect(items.map(({ spec }) => spec.priorityClassName)).toEqual(["serving"]);
  const after = await scenario.pods();
  expect(after.map(({ metadata }) => metadata.uid)).toEqual(before);
  expect(after.map(({ spec }) => spec.priorityClassName)).toEqual([undefined, undefined]);
});

test("GA6 a surge pod that its gang has just ceased to list is not created without a gate", async () => {
  const updateStrategy = { maxUnavailable: 0, maxSurge: 1 };
  const { faults, hold, release } = heldBack(podGangResource);
  const scenario = await podCliqueSetScenario({
    cliques: { front: { replicas: 2, minAvailable: 1, updateStrategy } },
    faults,
  });
  const isListed = async (): Promise<boolean> =>
    JSON.stringify((await scenario.gangs())[0]?.spec).includes("chat-0-front-2");
  await scenario.settled();
  await scenario.setImages({ front: "front:v2" });
  await scenario.until(isListed);
  await scenario.settled();
  hold();
  await scenario.until(async () => !(await isListed()));
  await scenario.setImages({ front: "front:v3" });
  await scenario.clock.runFor(3_000);
  expect(hostsOf(await scenario.pods())).toEqual(["chat-0-front-0", "chat-0-front-1"]);
  release();
  await scenario.settled();
});

test("PS8 the gangs of surge stay while their group is updated, and go with the end of the update", async () => {
  const updateStrategy = { maxUnavailable: 0, maxSurge: 1 };
  const scenario = await podCliqueSetScenario({
    cliques: { lead: {}, work: {} },
    groups: { pair: { cliques: ["lead", "work"], replicas: 1, minAvailable: 1, updateStrategy } },
  });
  const hasSurge = (image: string) => () =>
    scenario.drawing().some((line) => line.startsWith(`chat-0-pair-1-lead-0 ${image}`));
  await scenario.settled();
  await scenario.setImages({ lead: "lead:never-ready" });
  await scenario.until(hasSurge("lead:never-ready"));
  await scenario.setImages({ lead: "lead:v3" });
  await scenario.until(hasSurge("lead:v3"));
  expect(scenario.writes["delete podgangs"] ?? 0).toBe(0);
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  expect(scenario.writes["delete podgangs"]).toBe(1);
});

test("PS8 the gangs of surge stay where another update follows at once", async () => {
  const updateStrategy = { maxUnavailable: 0, maxSurge: 1 };
  const [sets, groups] = [heldBack(podCliqueSetResource), heldBack(scalingGroupResource)];
  const holding = (request: TransportRequest): TransportRequest => {
    const isSurge = request.path.endsWith("/podcliques/chat-0-pair-1-lead");
    if (request.method === "DELETE" && isSurge) groups.hold();
    return request;
  };
  const scenario = await podCliqueSetScenario({
    cliques: { lead: {}, work: {} },
    groups: { pair: { cliques: ["lead", "work"], replicas: 1, minAvailable: 1, updateStrategy } },
    faults: (transport, clock) =>
      changing(holding)(sets.faults(groups.faults(transport, clock), clock), clock),
  });
  const hasSurge = (image: string) => () =>
    scenario.drawing().some((line) => line.startsWith(`chat-0-pair-1-lead-0 ${image}`));
  const hasEnded = async (): Promise<boolean> =>
    (await scenario.groups())[0]?.status?.updateProgress?.updateEndedAt !== undefined;
  await scenario.settled();
  await scenario.setImages({ lead: "lead:v2" });
  await scenario.until(hasSurge("lead:v2"));
  await scenario.until(hasEnded);
  sets.hold();
  await scenario.setImages({ lead: "lead:v3" });
  sets.release();
  groups.release();
  await scenario.until(hasSurge("lead:v3"));
  expect(scenario.writes["delete podgangs"] ?? 0).toBe(0);
  await scenario.settled();
});
