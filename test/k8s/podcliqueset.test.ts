/** PodCliqueSets on a real API server with its own scheduler and garbage collector, under every strategy. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { controllerRevisionResource } from "../../src/api/apps.ts";
import { labelKeys } from "../../src/api/grove/labels.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import type { PodCliqueSet } from "../../src/api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { podGangResource } from "../../src/api/grove/podgang.ts";
import { scalingGroupResource } from "../../src/api/grove/scaling-group.ts";
import type { ObjectKey } from "../../src/api/object.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import { resourceClaimResource } from "../../src/api/resource-claim.ts";
import { serviceResource } from "../../src/api/service.ts";
import { chooseKinds } from "../../src/cli/controllers.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import type { ControlledKind } from "../../src/controllers/engine/controlled-kind.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { controllerOf } from "../../src/controllers/engine/ownership.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { checkedComplaints } from "../builders/complaints.ts";
import { podCliqueSetScenarioKind } from "../builders/grove-kinds.ts";
import type { LiveInvariant, LivePod } from "../builders/pod-clique-set-invariants.ts";
import {
  hostnamesAreUnique,
  livePodsOf,
  oneRevisionPerReplica,
  setReplicasServing,
} from "../builders/pod-clique-set-invariants.ts";
import { Timeline } from "../../src/simulation/timeline.ts";
import { must } from "../builders/must.ts";
import { podCliqueSetOf, hasSettled } from "../builders/pod-clique-set-scenario.ts";
import type { Child } from "../control-plane/child.ts";
import { startGarbageCollector } from "../control-plane/stateful-set-manager.ts";
import type { RealCluster } from "./real-cluster.ts";
import { namespace, startRealCluster, until } from "./real-cluster.ts";

let cluster: RealCluster;
let collector: Child | undefined;
let controllers: readonly ControlledKind[] = [];
const problems: unknown[] = [];
let watching = new AbortController();
/** Nothing is promised of a set that is deleted. */
let isRemoved = false;

beforeAll(async () => {
  cluster = await startRealCluster({ without: ["garbage-collector-controller"] });
  await installDefinitions(cluster.client);
  collector = await startGarbageCollector(cluster.plane, { qps: 500 });
  controllers = await startKinds(
    chooseKinds("podcliqueset,podcliquescalinggroup,podclique,podgang"),
    {
      client: await cluster.operatorClient(),
      clock: systemClock(),
      onProblem: (problem) => problems.push(problem),
    },
  );
});

afterEach(() => {
  watching.abort();
  watching = new AbortController();
  isRemoved = false;
});

afterAll(async () => {
  for (const controller of controllers) await controller.stop();
  await collector?.stop();
  await cluster.stop();
});

/** All pods of one replica of the disaggregated samples. */
const complete = {
  frontend: 3,
  "prefill-leader": 2,
  "prefill-worker": 4,
  "decode-leader": 2,
  "decode-worker": 4,
};
/** One frontend and one replica of each group may be down. */
const withinComponentBudgets = {
  frontend: 2,
  "prefill-leader": 1,
  "prefill-worker": 2,
  "decode-leader": 1,
  "decode-worker": 2,
};
const podsPerReplica = 15;

const disaggregated = {
  cliques: { frontend: {}, leader: {}, worker: {} },
  groups: { decode: { cliques: ["leader", "worker"] } },
};
const recreate = (maxUnavailable: number, maxSurge: number) => ({
  type: "ReplicaRecreate",
  rollingUpdate: { maxUnavailable, maxSurge },
});

const versionOf = (image: string): string => image.split(":")[1] ?? "";

const atMostReplicas =
  (limit: number) =>
  (pods: readonly LivePod[], at: string): void => {
    const living = pods.filter(({ isTerminating }) => !isTerminating);
    const replicas = new Set(living.map(({ setReplica }) => setReplica));
    must(replicas.size <= limit, `${at}: ${replicas.size} replicas, at most ${limit}`, () => pods);
  };

function sample(file: string): PodCliqueSet {
  const path = join(import.meta.dirname, "../../deploy/samples/podcliqueset", file);
  const set = parse(readFileSync(path, "utf8")) as PodCliqueSet;
  return { ...set, metadata: { ...set.metadata, namespace } };
}

/** Creates the set, waits until all of it serves, and watches it from then on. */
async function served(set: PodCliqueSet) {
  const { name = "" } = set.metadata;
  const key = { namespace, name };
  const labelSelector = `${labelKeys.partOf}=${name}`;
  const get = () => cluster.client.get<PodCliqueSet>(podCliqueSetResource, key);
  const settled = () => until(`${name} has settled`, () => hasSettled(get));
  const patch = (spec: unknown) =>
    cluster.client.patch(podCliqueSetResource, key, { type: "merge", body: { spec } });
  await cluster.client.create(podCliqueSetResource, set);
  await settled();
  // A replica is available with its minimum; its other pods may follow a moment later.
  await until(`every pod of ${name} is ready`, async () => (await podsOf(name)).every(isReady));
  const selection = { namespace, labelSelector, signal: watching.signal };
  const complaints = checkedComplaints();
  const timeline = new Timeline({
    client: cluster.client,
    clock: { now: () => Date.now() },
    drawing: podCliqueSetScenarioKind.drawing,
    report: (violation) => {
      if (!isRemoved) complaints.violation(violation);
    },
    selection,
  });
  timeline.always(hostnamesAreUnique);
  const drawing = (): string[] => timeline.draw().filter((line) => !line.endsWith("~"));
  const drawn = (count: number) =>
    until(`${count} pods are drawn`, () => Promise.resolve(drawing().length === count));
  await drawn((await podsOf(name)).length);
  return {
    timeline,
    drawing,
    always: (invariant: LiveInvariant) =>
      timeline.always((pods, at) => invariant(livePodsOf(pods), at)),
    get,
    settled,
    drawn,
    scale: (replicas: number) => patch({ replicas }),
    /** Every image of the set. */
    setVersion: async (version: string) => {
      const { spec } = await get();
      const text = JSON.stringify({ cliques: spec.template.cliques });
      await patch({ template: JSON.parse(text.replaceAll(/:v\d+"/g, `:${version}"`)) });
    },
    versions: () => [...new Set(livePodsOf(timeline.pods()).map(({ image }) => versionOf(image)))],
    remove: async () => {
      isRemoved = true;
      await cluster.client.delete(podCliqueSetResource, key);
      await until(`nothing is left of ${name}`, async () => (await remains(name)).length === 0);
    },
  };
}

const podsOf = async (name: string): Promise<Pod[]> =>
  (await cluster.client.list<Pod>(podResource, selectionOf(name))).items;

const selectionOf = (name: string) => ({
  namespace,
  labelSelector: `${labelKeys.partOf}=${name}`,
});

async function remains(name: string): Promise<string[]> {
  const kinds = [
    podResource,
    podCliqueResource,
    scalingGroupResource,
    podGangResource,
    serviceResource,
    controllerRevisionResource,
    resourceClaimResource,
  ];
  const lists = await Promise.all(
    kinds.map((kind) => cluster.client.list(kind, selectionOf(name))),
  );
  return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name ?? ""));
}

test("RollingRecreate rolls the sample within the budget of every component, and deletion leaves nothing", async () => {
  const chat = await served(sample("disaggregated.yaml"));
  expect(chat.drawing()).toHaveLength(2 * podsPerReplica);
  chat.always(setReplicasServing(2, withinComponentBudgets));
  chat.always(setReplicasServing(1, complete));
  await chat.setVersion("v2");
  await chat.settled();
  await chat.drawn(2 * podsPerReplica);
  expect(chat.versions()).toEqual(["v2"]);
  await chat.remove();
});

test("a replica that is scaled in during its update affects no other", async () => {
  const chat = await served(sample("disaggregated.yaml"));
  chat.always(setReplicasServing(1, withinComponentBudgets));
  await chat.setVersion("v2");
  await until("the update is under way", async () => {
    const { status } = await chat.get();
    return status?.updateProgress?.currentlyUpdating?.length === 1;
  });
  await chat.scale(1);
  await chat.settled();
  await chat.drawn(podsPerReplica);
  expect(chat.versions()).toEqual(["v2"]);
  const gangs = (await cluster.client.list(podGangResource, selectionOf("chat"))).items;
  const names = gangs.map(({ metadata }) => metadata.name);
  expect(new Set(names)).toEqual(new Set(["chat-0", "chat-0-decode-0", "chat-0-prefill-0"]));
  await chat.remove();
});

test.each([
  { file: "replica-recreate.yaml", fewest: 1, most: 2 },
  { file: "replica-recreate-surge.yaml", fewest: 2, most: 3 },
])(
  "ReplicaRecreate as in $file: $fewest replicas serve, $most exist, none is torn",
  async ({ file, fewest, most }) => {
    const set = await served(sample(file));
    set.always(setReplicasServing(fewest, complete));
    set.always(atMostReplicas(most));
    set.always(oneRevisionPerReplica(versionOf));
    await set.setVersion("v2");
    await set.settled();
    await set.drawn(2 * podsPerReplica);
    expect(set.versions()).toEqual(["v2"]);
    await set.remove();
  },
);

test("OnDelete gives the new version to a deleted pod, and to no other", async () => {
  const set = await served(sample("on-delete.yaml"));
  const before = await podsOf("training-workload");
  await set.setVersion("v2");
  await set.settled();
  const { metadata } = before[3] ?? {};
  await cluster.client.delete(podResource, { namespace, name: metadata?.name ?? "" });
  const isReplaced = async (): Promise<boolean> => {
    const images = set.drawing().map((line) => versionOf(line.split(" ")[1] ?? ""));
    return images.length === 8 && images.includes("v2");
  };
  await until("it is replaced", isReplaced);
  await set.settled();
  const kept = new Set(before.map((pod) => pod.metadata.uid));
  const after = await podsOf("training-workload");
  const replaced = after.filter((pod) => !kept.has(pod.metadata.uid));
  expect(replaced.map(({ spec }) => spec.containers[0]?.image)).toEqual([
    "registry.example/trainer:v2",
  ]);
  await set.remove();
});

/** Deletes a set and orphans everything that it created. */
async function orphan(key: ObjectKey): Promise<void> {
  await cluster.client.delete(podCliqueSetResource, key, { propagationPolicy: "Orphan" });
  await until(`${key.name} is gone`, async () => {
    const { items } = await cluster.client.list(podCliqueSetResource, { namespace });
    return items.every(({ metadata }) => metadata.name !== key.name);
  });
}

test("PS17 a set that is applied again adopts what --cascade=orphan left, and restarts nothing", async () => {
  const set = podCliqueSetOf({ ...disaggregated, replicas: 2, strategy: recreate(1, 0) });
  const { name = "" } = set.metadata;
  await served(set);
  const uids = async (): Promise<string[]> =>
    (await podsOf(name)).map(({ metadata }) => metadata.uid ?? "").toSorted();
  const before = await uids();
  await orphan({ namespace, name });
  const again = await served(set);
  expect(await uids()).toEqual(before);
  again.always(setReplicasServing(1, { frontend: 1, leader: 1, worker: 1 }));
  again.always(oneRevisionPerReplica(versionOf));
  await again.setVersion("v2");
  await again.settled();
  await again.drawn(before.length);
  expect(again.versions()).toEqual(["v2"]);
  await again.remove();
});

/** The order in which the replicas of the set are updated, and what happens to each pod. */
function movesOf(lines: readonly string[]) {
  const replicas: string[] = [];
  const pods: Record<string, string[]> = {};
  for (const line of lines) {
    const [, sign, host = "", replica = "", image = ""] =
      /([+-])(chat-(\d)-\S+) (\S+:v\d)/.exec(line) ?? [];
    if (sign === undefined) continue;
    if (replicas.at(-1) !== replica) replicas.push(replica);
    (pods[host] ??= []).push(sign + versionOf(image));
  }
  return { replicas, pods };
}

test.each([
  { name: "rolling-update", replicas: 2, strategy: { type: "RollingUpdate" } },
  { name: "replica-recreate-no-surge", replicas: 2, strategy: recreate(1, 0) },
  { name: "replica-recreate-surge", replicas: 3, strategy: recreate(0, 1) },
])("the timeline $name is the one of the embedded cluster", async (options) => {
  const { name, replicas, strategy } = options;
  const file = join(import.meta.dirname, `../scenarios/${name}.timeline.txt`);
  const set = await served(podCliqueSetOf({ ...disaggregated, replicas, strategy }));
  set.timeline.take();
  await set.setVersion("v2");
  await set.settled();
  await set.drawn(3 * replicas);
  expect(movesOf(set.timeline.take())).toEqual(movesOf(readFileSync(file, "utf8").split("\n")));
  await set.remove();
});

const claimNames = async (name: string): Promise<string[]> =>
  (await cluster.client.list(resourceClaimResource, selectionOf(name))).items
    .map(({ metadata }) => metadata.name ?? "")
    .toSorted();

test("PS16 claims are created and deleted with their replicas, and pods that name them are accepted", async () => {
  const set = sample("shared-devices.yaml");
  const { name = "" } = set.metadata;
  const key = { namespace, name };
  const hasClaims = (...wanted: string[]) =>
    until(`the claims are ${wanted.join(", ")}`, async () => {
      const found = await claimNames(name);
      return found.join() === wanted.join();
    });
  const accelerator = (index: number): string => `${name}-0-decode-${index}-accelerator`;
  await cluster.client.create(podCliqueSetResource, set);
  await hasClaims(accelerator(0), accelerator(1), `${name}-all-fabric`);
  await cluster.client.delete(resourceClaimResource, { namespace, name: accelerator(1) });
  await hasClaims(accelerator(0), accelerator(1), `${name}-all-fabric`);
  // No driver offers these devices, so the pods that use them stay Pending.
  const pods = await until("all pods are there", async () => {
    const found = await podsOf(name);
    return found.length === 8 && found;
  });
  const used = pods.map(({ spec }) => spec.resourceClaims ?? []);
  expect(used.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([
    0, 0, 2, 2, 2, 2, 2, 2,
  ]);
  const scale = { type: "merge", body: { spec: { replicas: 1 } } } as const;
  const group = { namespace, name: `${name}-0-decode` };
  await cluster.client.patch(scalingGroupResource, group, scale);
  await hasClaims(accelerator(0), `${name}-all-fabric`);
  await orphan(key);
  const { metadata } = await cluster.client.create(podCliqueSetResource, set);
  await until("the claim that was left behind is taken over", async () => {
    const claim = { namespace, name: `${name}-all-fabric` };
    return (
      controllerOf(await cluster.client.get(resourceClaimResource, claim))?.uid === metadata.uid
    );
  });
  await cluster.client.delete(podCliqueSetResource, key);
  await until(`nothing is left of ${name}`, async () => (await remains(name)).length === 0);
});

test("what deploy/operator.yaml allows is enough for all of this", () => {
  expect(problems.map(String).filter((text) => text.includes("forbidden"))).toEqual([]);
});
