/** What is left of a set, a group or a clique that was deleted without its dependents, and what becomes of it. */
import { expect, test } from "vitest";
import { controllerRevisionResource } from "../../src/api/apps.ts";
import { autoscalerResource } from "../../src/api/autoscaler.ts";
import { labelKeys } from "../../src/api/grove/labels.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { podGangResource } from "../../src/api/grove/podgang.ts";
import { scalingGroupResource } from "../../src/api/grove/scaling-group.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { podResource } from "../../src/api/pod.ts";
import type { Resource } from "../../src/api/resource.ts";
import { serviceResource } from "../../src/api/service.ts";
import { controllerOf, controllerReferenceTo } from "../../src/controllers/engine/ownership.ts";
import {
  oneRevisionPerReplica,
  setReplicasServing,
} from "../builders/pod-clique-set-invariants.ts";
import { imagesOf, pairs, versionOf } from "../builders/pairs.ts";
import type {
  PodCliqueSetOptions,
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetOf, podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { namespace } from "../builders/scenario.ts";

const everything = { front: 1, lead: 1, work: 1 };
const replicaRecreate = { type: "ReplicaRecreate" };
const surge = { ...replicaRecreate, rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
const strategies = {
  RollingRecreate: { type: "RollingRecreate" },
  ReplicaRecreate: replicaRecreate,
  "ReplicaRecreate with surge": surge,
};

/** Two replicas of the pairs, with autoscalers, on images of this version. */
function pairsAt(
  version: keyof typeof images,
  options: Partial<PodCliqueSetOptions> = {},
): PodCliqueSetOptions {
  const { front, lead, work } = images[version];
  const { pair } = pairs.groups;
  return {
    replicas: 2,
    cliques: {
      front: { ...pairs.cliques.front, image: front },
      lead: { image: lead },
      work: { image: work },
    },
    groups: { pair: { ...pair, scaleConfig: { minReplicas: 2, maxReplicas: 3 } } },
    ...options,
  };
}
const images = { v1: imagesOf("v1"), v2: imagesOf("v2") };

async function settledAt(options: PodCliqueSetScenarioOptions): Promise<PodCliqueSetScenario> {
  const scenario = await podCliqueSetScenario(options);
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  return scenario;
}

const orphan = (
  { client }: PodCliqueSetScenario,
  resource: Resource,
  name: string,
): Promise<unknown> =>
  client.delete(resource, { namespace, name }, { propagationPolicy: "Orphan" });

const apply = ({ client }: PodCliqueSetScenario, options: PodCliqueSetOptions): Promise<unknown> =>
  client.create(podCliqueSetResource, podCliqueSetOf(options));

const kinds = [
  serviceResource,
  autoscalerResource,
  podGangResource,
  scalingGroupResource,
  podCliqueResource,
  podResource,
];

/** `PodClique chat-0-front 7c1e...` of everything that is there. */
async function incarnations({ client }: PodCliqueSetScenario): Promise<string[]> {
  const lists = await Promise.all(
    kinds.map(async (resource) => {
      const { items } = await client.list(resource, { namespace });
      return items.map(({ metadata }) => `${resource.kind} ${metadata.name} ${metadata.uid}`);
    }),
  );
  return lists.flat().toSorted();
}

async function expectAllOwned({ client, set }: PodCliqueSetScenario): Promise<void> {
  const { metadata } = await set();
  const own = [...kinds.slice(0, 5), controllerRevisionResource];
  const lists = await Promise.all(own.map((resource) => client.list(resource, { namespace })));
  const isMember = (object: KubeObject): boolean =>
    object.metadata.labels?.[labelKeys.scalingGroup] !== undefined;
  const owners = lists
    .flatMap(({ items }) => items)
    .filter((object) => !isMember(object))
    .map((object) => controllerOf(object)?.uid);
  expect([...new Set(owners)]).toEqual([metadata.uid]);
}

const versions = ({ drawing }: PodCliqueSetScenario): string[] =>
  [...new Set(drawing().map((line) => versionOf(line.split(" ")[1] ?? "")))].toSorted();

test("PS17 a set that is applied again as it was takes everything over and restarts nothing", async () => {
  const scenario = await settledAt(pairsAt("v1"));
  const before = await incarnations(scenario);
  await orphan(scenario, podCliqueSetResource, "chat");
  await scenario.clock.runFor(10_000);
  await apply(scenario, pairsAt("v1"));
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  expect(await incarnations(scenario)).toEqual(before);
  await expectAllOwned(scenario);
  const events = await scenario.events("chat");
  expect(events).toContain(
    "OrphansAdopted: took over Service chat-0, HorizontalPodAutoscaler chat-0-pair, PodGang chat-0, " +
      "PodGang chat-0-pair-0, PodCliqueScalingGroup chat-0-pair and 8 more: left behind by an earlier owner",
  );
});

test.each(Object.entries(strategies))(
  "PS17 a set that is applied again with another template rolls what it finds: %s",
  async (_name, strategy) => {
    const scenario = await settledAt(pairsAt("v1", { strategy }));
    await orphan(scenario, podCliqueSetResource, "chat");
    await scenario.clock.runFor(10_000);
    scenario.always(setReplicasServing(strategy === surge ? 2 : 1, everything));
    if (strategy.type === "ReplicaRecreate") {
      scenario.always(oneRevisionPerReplica(versionOf));
    }
    await apply(scenario, pairsAt("v2", { strategy }));
    await scenario.settled();
    expect(versions(scenario)).toEqual(["v2"]);
    await expectAllOwned(scenario);
  },
);

test("PS17 under OnDelete what was left behind stays on its revision until somebody deletes it", async () => {
  const strategy = { type: "OnDelete" };
  const scenario = await settledAt(pairsAt("v1", { strategy }));
  await orphan(scenario, podCliqueSetResource, "chat");
  await scenario.clock.runFor(10_000);
  scenario.always(setReplicasServing(2, everything));
  await apply(scenario, pairsAt("v2", { strategy }));
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  expect(versions(scenario)).toEqual(["v1"]);
  await scenario.deletePod("chat-0-front-0");
  await scenario.clock.runFor(60_000);
  expect(versions(scenario)).toEqual(["v1", "v2"]);
});

test("PS17 replicas that a smaller set has no place for go", async () => {
  const scenario = await settledAt(pairsAt("v1"));
  await orphan(scenario, podCliqueSetResource, "chat");
  await scenario.clock.runFor(10_000);
  await apply(scenario, pairsAt("v1", { replicas: 1 }));
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  expect((await incarnations(scenario)).filter((line) => line.includes(" chat-1"))).toEqual([]);
});

test("PS17 a failed update of a set that took over others goes back to what those were", async () => {
  const strategy = { ...replicaRecreate, progressDeadlineSeconds: 60, onStuck: "Rollback" };
  const scenario = await settledAt(pairsAt("v1", { strategy }));
  await orphan(scenario, podCliqueSetResource, "chat");
  await scenario.clock.runFor(10_000);
  const broken = pairsAt("v1", { strategy });
  const cliques = { ...broken.cliques, front: { replicas: 2, image: "front:broken" } };
  await apply(scenario, { ...broken, cliques });
  await scenario.clock.runFor(300_000);
  await scenario.settled();
  expect(versions(scenario)).toEqual(["v1"]);
  expect((await scenario.events("chat")).join("\n")).toMatch(/RolledBack: going back to/);
});

test("PS17 members of a group that was deleted without them are its successor's, and serve on", async () => {
  const scenario = await settledAt(pairsAt("v1"));
  const before = (await incarnations(scenario)).filter((line) => !/ScalingGroup/.test(line));
  await orphan(scenario, scalingGroupResource, "chat-0-pair");
  await scenario.clock.runFor(60_000);
  const after = (await incarnations(scenario)).filter((line) => !/ScalingGroup/.test(line));
  expect(after).toEqual(before);
  const group = (await scenario.groups()).find(({ metadata }) => metadata.name === "chat-0-pair");
  const members = (await scenario.cliques()).filter(({ metadata }) =>
    metadata.name?.startsWith("chat-0-pair"),
  );
  const owners = members.map((member) => controllerOf(member)?.uid);
  expect(owners).toEqual(Array(4).fill(group?.metadata.uid));
});

const lostOwners = {
  "a standalone clique": [podCliqueResource, "chat-0-front"],
  "a member of a group": [podCliqueResource, "chat-0-pair-1-work"],
  "a group": [scalingGroupResource, "chat-0-pair"],
} as const;

test.each(Object.entries(lostOwners))(
  "PS17 RR what %s left behind just before an update holds nothing up",
  async (_name, [resource, name]) => {
    const scenario = await settledAt(pairsAt("v1", { strategy: replicaRecreate }));
    await orphan(scenario, resource, name);
    await scenario.setImages(imagesOf("v2"));
    scenario.always(oneRevisionPerReplica(versionOf));
    await scenario.settled();
    await scenario.clock.runFor(60_000);
    expect(versions(scenario)).toEqual(["v2"]);
  },
);

test("PS17 RR a copy of a pod that bears its labels is nobody's, and holds nothing up", async () => {
  const scenario = await settledAt(pairsAt("v1", { strategy: replicaRecreate }));
  const original = await scenario.pod("chat-0-front-0");
  const { labels } = original.metadata;
  const metadata = { name: "front-debugger", namespace, labels };
  const spec = { containers: original.spec.containers };
  await scenario.client.create(podResource, { apiVersion: "v1", kind: "Pod", metadata, spec });
  await scenario.setImages(imagesOf("v2"));
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  const copy = await scenario.pod("front-debugger");
  expect(controllerOf(copy)).toBeUndefined();
  expect(copy.metadata.deletionTimestamp).toBeUndefined();
  const others = scenario.livePods().filter(({ hostname }) => hostname !== "");
  expect([...new Set(others.map(({ image }) => versionOf(image)))]).toEqual(["v2"]);
});

test("PS17 what is on its way out is nobody's to take over: its place is filled when it is gone", async () => {
  const scenario = await settledAt(pairsAt("v1"));
  await orphan(scenario, podCliqueSetResource, "chat");
  await scenario.clock.runFor(10_000);
  const key = { namespace, name: "chat-0-front" };
  const held = { type: "merge", body: { metadata: { finalizers: ["example.com/hold"] } } } as const;
  await scenario.client.patch(podCliqueResource, key, held);
  await scenario.client.delete(podCliqueResource, key);
  await apply(scenario, pairsAt("v1"));
  await scenario.clock.runFor(60_000);
  const seen = await scenario.client.get(podCliqueResource, key);
  expect(controllerOf(seen)).toBeUndefined();
  const free = { type: "merge", body: { metadata: { finalizers: null } } } as const;
  await scenario.client.patch(podCliqueResource, key, free);
  await scenario.settled();
  await expectAllOwned(scenario);
});

/** As the pairs, with other names: the frontends, and the scaling group or its worker. */
const shapes = {
  "a clique of another name": {
    cliques: { web: { replicas: 2, minAvailable: 1 }, lead: {}, work: {} },
    groups: pairs.groups,
  },
  "a group of another name": {
    cliques: pairs.cliques,
    groups: { duo: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
  },
  "a member of another name": {
    cliques: { front: { replicas: 2, minAvailable: 1 }, lead: {}, help: {} },
    groups: { pair: { cliques: ["lead", "help"], replicas: 2, minAvailable: 1 } },
  },
} satisfies Record<string, PodCliqueSetOptions>;

const shapesByStrategy = Object.entries(shapes).flatMap(([shape, options]) =>
  Object.entries(strategies).map(
    ([name, strategy]) => [`${name}: what a set with ${shape}`, { ...options, strategy }] as const,
  ),
);

test.each(shapesByStrategy)("PS17 %s has no place for goes in its turn", async (_name, options) => {
  const { strategy } = options;
  const scenario = await settledAt(pairsAt("v1", { strategy }));
  await orphan(scenario, podCliqueSetResource, "chat");
  await scenario.clock.runFor(10_000);
  scenario.always(setReplicasServing(strategy === surge ? 2 : 1, { lead: 1 }));
  const next = { ...options, replicas: 2 };
  await apply(scenario, next);
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  const fresh = await settledAt(next);
  const named = async (each: PodCliqueSetScenario): Promise<string[]> =>
    (await incarnations(each)).map((line) => line.split(" ").slice(0, 2).join(" "));
  expect(await named(scenario)).toEqual(await named(fresh));
  await expectAllOwned(scenario);
});

const strangers = {
  "of nobody": { isControlled: false, words: "is controlled by nobody" },
  "of another controller": { isControlled: true, words: "belongs to Pod chat-0-front-0" },
};

test.each(Object.entries(strangers))(
  "PS18 an object %s that has the name of one to be made is reported, and in the way of nothing else",
  async (_name, { isControlled, words }) => {
    const expected = [/Service default\/chat-2 exists already/];
    const scenario = await settledAt({ ...pairsAt("v1"), expected });
    const pod = await scenario.pod("chat-0-front-0");
    const ownerReferences = isControlled ? [controllerReferenceTo(podResource, pod)] : [];
    const service: KubeObject = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "chat-2", namespace, ownerReferences },
      spec: { clusterIP: "None", selector: { app: "other" } },
    };
    const before = await scenario.client.create(serviceResource, service);
    await scenario.scale(12);
    await scenario.clock.runFor(120_000);
    const reported = (await scenario.events("chat")).filter((event) => /NameTaken/.test(event));
    expect(reported).toEqual([
      `NameTaken: Service chat-2 exists already and ${words}, so none can be made for chat: ` +
        "delete it, or give the PodCliqueSet another name",
    ]);
    const key = { namespace, name: "chat-2" };
    expect(await scenario.client.get(serviceResource, key)).toEqual(before);
    expect((await scenario.set()).status).toMatchObject({ availableReplicas: 11 });
    await scenario.client.delete(serviceResource, key);
    await scenario.settled();
  },
);
