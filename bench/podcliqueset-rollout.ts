/** PodCliqueSets on a real API server: created, rolled by each strategy and deleted, and what it took. */
import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { labelKeys } from "../src/api/grove/labels.ts";
import { podCliqueResource } from "../src/api/grove/podclique.ts";
import type { PodCliqueSet } from "../src/api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../src/api/grove/podcliqueset.ts";
import type { Pod } from "../src/api/pod.ts";
import { isReady, podResource } from "../src/api/pod.ts";
import { installDefinitions } from "../src/cli/definitions.ts";
import { clusterAccess } from "../src/kube/access.ts";
import { httpTransport } from "../src/kube/http-transport.ts";
import { loadKubeconfig } from "../src/kube/kubeconfig.ts";
import type { Client } from "../src/runtime/client.ts";
import type { Selection } from "../src/runtime/reflector.ts";
import { restClient } from "../src/runtime/rest-client.ts";
import { podCliqueSetOf, isSettled } from "../test/builders/pod-clique-set-scenario.ts";
import { namespace } from "../test/builders/scenario.ts";
import type { ControlPlane } from "../test/control-plane/control-plane.ts";
import { startControlPlane } from "../test/control-plane/control-plane.ts";
import { startGarbageCollector } from "../test/control-plane/stateful-set-manager.ts";
import type { BarePods } from "./bare-pods.ts";
import { measureBarePods } from "./bare-pods.ts";
import type { Followed } from "./measure.ts";
import {
  countWrites,
  cpuSeconds,
  ensureNodesFor,
  following,
  memoryOf,
  secondsOf,
  startOperator,
} from "./measure.ts";

export interface Measured {
  readonly work: string;
  readonly pods: number;
  readonly wallSeconds: number;
  /** What the pods themselves need within the budget; no controller can be faster. */
  readonly limitSeconds: number;
  /** By verb and resource. */
  readonly writes: Readonly<Record<string, number>>;
  readonly cpuSeconds: number;
  readonly residentMegabytes: number;
  /** What as many bare pods took in the same run, where many come at once. */
  readonly bareSeconds?: number;
}

export interface Sizes {
  /** Replicas of the set that is created and deleted. */
  readonly created: number;
  /** Replicas of the set that is rolled, a quarter of it at a time where the strategy allows. */
  readonly rolled: number;
  /** Nobody keeps the endpoints of the headless services, as on planes that run no controllers of Kubernetes. */
  readonly withoutEndpoints?: boolean;
}

const endpointControllers = [
  "-endpoints-controller",
  "-endpointslice-controller",
  "-endpointslice-mirroring-controller",
];

const podsPerReplica = 2;
const startSeconds = 1;
const stopSeconds = 0.5;
/** Going, coming back, and the way to the scheduler. */
const replaceSeconds = stopSeconds + startSeconds + 0.05;

interface Bench {
  readonly client: Client;
  readonly plane: ControlPlane;
  readonly pid: number;
  readonly sets: Followed<PodCliqueSet>;
}

interface Work {
  readonly work: string;
  readonly pods: number;
  readonly limitSeconds: number;
  readonly bareSeconds?: number;
  /** Resolves when it is done. */
  readonly run: () => Promise<void>;
}

export async function measureCliqueSets(sizes: Sizes): Promise<Measured[]> {
  const plane = await startControlPlane({
    controllerManager: {
      controllers: ["*", "-garbage-collector-controller"].concat(
        sizes.withoutEndpoints === true ? endpointControllers : [],
      ),
    },
    scheduler: true,
    kwok: { startDelayMs: startSeconds * 1000, stopDelayMs: stopSeconds * 1000 },
    audit: true,
    qps: 5000,
  });
  const access = clusterAccess(loadKubeconfig([plane.kubeconfig], true));
  const transport = httpTransport(access, { userAgent: "bench" });
  const client = restClient(transport);
  const ends: (() => Promise<void>)[] = [() => plane.stop()];
  try {
    await installDefinitions(client);
    const collector = await startGarbageCollector(plane, { qps: 5000 });
    ends.push(() => collector.stop());
    const { created, rolled } = sizes;
    await ensureNodesFor(client, Math.max(created, rolled) * podsPerReplica * 1.3);
    const names = "podcliqueset,podcliquescalinggroup,podclique,podgang";
    const operator = await startOperator(plane, [names]);
    ends.push(() => operator.stop());
    const sets = await following<PodCliqueSet>(client, podCliqueSetResource, { namespace });
    ends.push(() => Promise.resolve(sets.end()));
    return await measureAll({ client, plane, pid: operator.pid, sets }, sizes);
  } finally {
    for (const end of ends.toReversed()) await end();
    transport.close();
  }
}

async function measureAll(bench: Bench, { created, rolled }: Sizes): Promise<Measured[]> {
  // The first set warms up, so that the start of the process is not measured.
  const warm = subject(bench, "warm", 1);
  await warm.create();
  await warm.remove();
  const [many, few] = [created * podsPerReplica, rolled * podsPerReplica];
  const bare = await measureBarePods(bench.client, { created: many, replaced: few });
  const all = await measureLife(bench, created, bare);
  for (const way of waysOf(rolled, bare)) {
    const set = subject(bench, way.name, rolled, way.strategy);
    await set.create();
    const run = async (): Promise<void> => {
      await set.roll();
      for (const indices of way.deleted ?? []) await set.replace(indices);
      await set.reported();
    };
    all.push(await measure(bench, { ...way, pods: few, run }));
    await set.remove();
  }
  return all;
}

async function measureLife(bench: Bench, replicas: number, bare: BarePods): Promise<Measured[]> {
  const pods = replicas * podsPerReplica;
  const set = subject(bench, "many", replicas);
  const create = {
    work: "create",
    limitSeconds: startSeconds,
    bareSeconds: bare.createSeconds,
    run: () => set.create(),
  };
  const remove = { work: "delete", limitSeconds: stopSeconds, run: () => set.remove() };
  return [await measure(bench, { ...create, pods }), await measure(bench, { ...remove, pods })];
}

interface Way {
  readonly name: string;
  readonly work: string;
  readonly strategy: { readonly type: string; readonly rollingUpdate?: unknown };
  readonly limitSeconds: number;
  readonly bareSeconds?: number;
  /** The replicas whose pods somebody deletes, one group after the other. */
  readonly deleted?: readonly (readonly number[])[];
}

function waysOf(replicas: number, bare: BarePods): Way[] {
  const indices = Array.from({ length: replicas }, (_, index) => index);
  const quarter = Math.ceil(replicas / 4);
  const rounds = Math.ceil(replicas / quarter);
  const recreate = (maxUnavailable: number, maxSurge: number) => ({
    type: "ReplicaRecreate",
    rollingUpdate: { maxUnavailable, maxSurge },
  });
  return [
    {
      name: "rolling",
      work: "RollingRecreate, pod by pod",
      strategy: { type: "RollingRecreate" },
      limitSeconds: replicas * podsPerReplica * replaceSeconds,
    },
    {
      name: "recreate",
      work: `ReplicaRecreate, maxUnavailable ${quarter}`,
      strategy: recreate(quarter, 0),
      limitSeconds: rounds * replaceSeconds,
    },
    {
      name: "surge",
      work: `ReplicaRecreate, maxSurge ${quarter}`,
      strategy: recreate(0, quarter),
      // The surge comes first and goes last.
      limitSeconds: startSeconds + rounds * replaceSeconds + stopSeconds,
    },
    {
      name: "one-by-one",
      work: "OnDelete, replica by replica",
      strategy: { type: "OnDelete" },
      limitSeconds: replicas * replaceSeconds,
      deleted: indices.map((index) => [index]),
    },
    {
      name: "on-delete",
      work: "OnDelete, all deleted at once",
      strategy: { type: "OnDelete" },
      limitSeconds: replaceSeconds,
      bareSeconds: bare.replaceSeconds,
      deleted: [indices],
    },
  ];
}

async function measure({ plane, pid }: Bench, { run, ...work }: Work): Promise<Measured> {
  // What earlier work still has to report must not count here.
  await delay(2_000);
  const fromByte = statSync(plane.auditLog).size;
  const cpuBefore = cpuSeconds(pid);
  const wallSeconds = await secondsOf(run);
  // Events and the last counters trail behind; they count too.
  await delay(2_000);
  return {
    ...work,
    wallSeconds,
    writes: countWrites(plane.auditLog, fromByte, /^lockstep$/),
    cpuSeconds: cpuSeconds(pid) - cpuBefore,
    residentMegabytes: memoryOf(pid).residentMegabytes,
  };
}

function subject({ client, sets }: Bench, name: string, replicas: number, strategy = {}) {
  const key = { namespace, name };
  const ofSet = `${labelKeys.partOf}=${name}`;
  const selection = { namespace, labelSelector: ofSet };
  const selectionOf = (indices: readonly number[]): Selection => ({
    namespace,
    labelSelector: `${ofSet},${labelKeys.setReplicaIndex} in (${indices.join(",")})`,
  });
  const setOf = (image: string): PodCliqueSet =>
    podCliqueSetOf({
      name,
      replicas,
      strategy,
      cliques: { worker: { replicas: podsPerReplica, image } },
    });
  const until = (isSo: (set: PodCliqueSet) => boolean): Promise<void> =>
    sets.until((all) => all.some((set) => set.metadata.name === name && isSo(set)));
  /** What was settled before the change does not count. */
  const settledSince = ({ metadata: { generation = 0 } }: PodCliqueSet): Promise<void> =>
    until((set) => (set.metadata.generation ?? 0) >= generation && isSettled(set));
  return {
    async create(): Promise<void> {
      await settledSince(await client.create(podCliqueSetResource, setOf("worker:v1")));
    },
    async roll(): Promise<void> {
      const { spec } = setOf("worker:v2");
      const body = { spec: { template: { cliques: spec.template.cliques } } };
      await settledSince(await client.patch(podCliqueSetResource, key, { type: "merge", body }));
    },
    async replace(indices: readonly number[]): Promise<void> {
      const pods = await following<Pod>(client, podResource, selectionOf(indices));
      const old = pods.list();
      const gone = new Set(old.map(({ metadata }) => metadata.uid));
      const keys = old.map(({ metadata }) => ({ namespace, name: metadata.name ?? "" }));
      // One request for all would take its time: the server goes through them one after the other.
      await Promise.all(keys.map((pod) => client.delete(podResource, pod)));
      const isNew = (pod: Pod): boolean => isReady(pod) && !gone.has(pod.metadata.uid);
      await pods.until((all) => all.length === old.length && all.every(isNew));
      pods.end();
    },
    reported: (): Promise<void> =>
      until((set) => set.status?.updatedReplicas === replicas && isSettled(set)),
    async remove(): Promise<void> {
      const kinds = [podResource, podCliqueResource];
      const followed = await Promise.all(kinds.map((kind) => following(client, kind, selection)));
      await client.delete(podCliqueSetResource, key);
      for (const each of followed) await each.until((objects) => objects.length === 0);
      for (const each of followed) each.end();
    },
  };
}
