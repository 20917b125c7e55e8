/** What a visitor of the page on `up` may start and break. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Node } from "../api/node.ts";
import { nodeResource } from "../api/node.ts";
import type { KubeObject } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import { isFinished, podResource } from "../api/pod.ts";
import { amountsOf, podRequests } from "../api/pod-requests.ts";
import type { ApiServer } from "../apiserver/api-server.ts";
import { isApiError } from "../api/status.ts";
import { UserError } from "../api/user-error.ts";
import type { NodeSummary, Playground, Sample, Started } from "../dashboard/playground.ts";
import { idOf } from "../dashboard/rollout-hub.ts";
import { rolloutKinds } from "../rollouts/kinds.ts";
import type { SimulatedCluster } from "../sim/cluster.ts";
import { parseManifests } from "./manifests.ts";
import { discover, resourceOfKind } from "./resources.ts";

interface SampleFile extends Sample {
  /** Inside of deploy/samples. */
  readonly file: string;
}

const samples: readonly SampleFile[] = [
  {
    name: "podcliqueset",
    title: "Disaggregated serving",
    shows: "a PodCliqueSet: frontend, prefill and decode in two replicas",
    file: "podcliqueset/disaggregated.yaml",
  },
  {
    name: "rolebasedgroup",
    title: "Prefill and decode in step",
    shows: "a RoleBasedGroup: two roles whose progress may differ by 10%",
    file: "rolebasedgroup/coordinated.yaml",
  },
  {
    name: "gpus",
    title: "A model on GPUs",
    shows: "a RoleBasedGroup: a router, prefill with 2 GPUs a pod, decode with 4",
    file: "rolebasedgroup/disaggregated.yaml",
  },
  {
    name: "statefulset",
    title: "Ten replicas, three at a time",
    shows: "a StatefulSet with maxUnavailable 3",
    file: "statefulset.yaml",
  },
  {
    name: "placement",
    title: "A fleet of clusters",
    shows: "a Placement over 150 clusters; again, and 50 more join",
    file: "placement/rolling-update.yaml",
  },
];

export function playgroundOf(server: ApiServer, cluster: SimulatedCluster): Playground {
  const { client } = server;
  const known = (name: string): string => {
    const names = cluster.nodes.list().map(({ metadata }) => metadata.name ?? "");
    if (names.includes(name)) return name;
    throw new UserError({
      problem: `there is no node ${name}`,
      fix: `there are ${names.join(", ")}`,
    });
  };
  return {
    brokenImage: "registry.example/model:broken",
    samples: samplesFolder() === undefined ? [] : samples,
    nodes: () => cluster.nodes.list().map((node) => nodeSummary(node, cluster)),
    start: (name) => startSample(server, name),
    crashPod: async (namespace, name) => {
      await client.delete(podResource, { namespace, name }, { gracePeriodSeconds: 0 });
    },
    cordon: async (name, unschedulable) => {
      const body = { spec: { unschedulable } };
      await client.patch(nodeResource, { name }, { type: "merge", body });
    },
    loseNode: (name) => cluster.failNode(known(name)),
    recoverNode: (name) => cluster.recoverNode(known(name)),
  };
}

function nodeSummary(node: Node, cluster: SimulatedCluster): NodeSummary {
  const { name = "" } = node.metadata;
  const own = cluster.pods.byIndex("node", name).filter((pod) => !isFinished(pod));
  const gpu = "nvidia.com/gpu";
  const gpusOf = (pod: Pod): number => podRequests(pod).get(gpu) ?? 0;
  const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
  return {
    name,
    isReady: ready?.status === "True",
    answers: cluster.answers(name),
    isCordoned: node.spec?.unschedulable === true,
    gpus: amountsOf(node.status?.allocatable).get(gpu) ?? 0,
    gpusTaken: own.map(gpusOf).reduce((a, b) => a + b, 0),
    pods: own.length,
  };
}

/** The package brings samples; where they are depends on how it is run. */
export function samplesFolder(): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url));
  return [dirname(here), dirname(dirname(here))]
    .map((folder) => join(folder, "deploy", "samples"))
    .find((folder) => existsSync(folder));
}

async function startSample({ client, transport }: ApiServer, name: string): Promise<Started> {
  const sample = samples.find((each) => each.name === name);
  const folder = samplesFolder();
  if (sample === undefined || folder === undefined) {
    const names = samples.map((each) => each.name).join(", ");
    throw new UserError({ problem: `there is no sample ${name}`, fix: `there are ${names}` });
  }
  const known = await discover(transport);
  /** False where it is there already. */
  const create = async (object: KubeObject): Promise<boolean> => {
    const resource = resourceOfKind(known, object.apiVersion ?? "", object.kind ?? "");
    if (resource === undefined) throw new Error(`nothing serves ${object.kind}`);
    const metadata = resource.namespaced
      ? { namespace: "default", ...object.metadata }
      : object.metadata;
    try {
      await client.create(resource, { ...object, metadata });
      return true;
    } catch (error) {
      if (isApiError(error, "AlreadyExists")) return false;
      throw error;
    }
  };
  const clusters = name === "placement" ? await joiningClusters(client) : [];
  const text = readFileSync(join(folder, sample.file), "utf8");
  const objects = parseManifests(sample.file, text).map(({ object }) => object);
  let created = 0;
  for (const object of [...clusters, ...objects]) created += Number(await create(object));
  const did = created === 0 ? "there already" : "started";
  return {
    message: clusters.length === 0 ? `${did}: ${sample.shows}` : `${clusters.length} clusters join`,
    ...rolloutAmong(objects),
  };
}

function rolloutAmong(objects: readonly KubeObject[]): Pick<Started, "opens"> {
  for (const object of objects) {
    const kind = rolloutKinds.find(({ resource }) => resource.kind === object.kind);
    const metadata = { namespace: "default", ...object.metadata };
    if (kind !== undefined) return { opens: idOf(kind, { ...object, metadata }) };
  }
  return {};
}

const clusterKind = { apiVersion: "cluster.open-cluster-management.io/v1", kind: "ManagedCluster" };
const clusterResource = {
  group: "cluster.open-cluster-management.io",
  version: "v1",
  plural: "managedclusters",
  kind: "ManagedCluster",
  namespaced: false,
} as const;
const firstFleet = 150;
const laterFleet = 50;

/** Later ones come first by their names, so that every decision has to make room. */
async function joiningClusters(client: ApiServer["client"]): Promise<readonly KubeObject[]> {
  const there = (await client.list(clusterResource)).items.length;
  const size = there === 0 ? firstFleet : laterFleet;
  const first = 1_000 - there - size;
  if (first < 0) throw new Error("the fleet is large enough");
  return Array.from({ length: size }, (_, at) => ({
    ...clusterKind,
    metadata: { name: `cluster${String(first + at).padStart(3, "0")}` },
    spec: { hubAcceptsClient: true },
  }));
}
