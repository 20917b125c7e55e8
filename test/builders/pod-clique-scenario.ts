/** One PodClique in its gang on a simulated cluster in virtual time, with every promise checked at every event. */
import type { ControllerRevision } from "../../src/api/apps.ts";
import { controllerRevisionResource } from "../../src/api/apps.ts";
import { labelKeys, managedBy } from "../../src/api/grove/labels.ts";
import type { PodClique, PodCliqueSpec } from "../../src/api/grove/podclique.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import type { PodGang } from "../../src/api/grove/podgang.ts";
import { podGangResource } from "../../src/api/grove/podgang.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import type { Client } from "../../src/runtime/client.ts";
import { podCliqueScenarioKind } from "./grove-kinds.ts";
import type { ScenarioOptions } from "./scenario.ts";
import { namespace, scenario, untilSettled } from "./scenario.ts";

export interface PodCliqueOptions {
  readonly name?: string;
  readonly gang?: string;
  readonly image?: string;
  readonly labels?: Record<string, string>;
  readonly spec?: Partial<PodCliqueSpec>;
}

export function podCliqueOf({
  name = "chat-0-web",
  gang = "chat-0",
  image = "web:v1",
  labels = {},
  spec = {},
}: PodCliqueOptions): PodClique {
  return {
    apiVersion: "grove.io/v1alpha1",
    kind: "PodClique",
    metadata: {
      name,
      namespace,
      labels: {
        [labelKeys.managedBy]: managedBy,
        [labelKeys.partOf]: "chat",
        [labelKeys.setReplicaIndex]: "0",
        [labelKeys.podGang]: gang,
        [labelKeys.podTemplateHash]: hashOf(image),
        ...labels,
      },
    },
    spec: {
      roleName: "web",
      replicas: 3,
      minAvailable: 1,
      podSpec: podSpecOf(image),
      ...spec,
    },
  };
}

const hashOf = (image: string): string => image.replace(/[^a-z0-9]/g, "-");

const podSpecOf = (image: string): PodCliqueSpec["podSpec"] => ({
  containers: [{ name: "app", image, resources: { limits: { "nvidia.com/gpu": 1 } } }],
});

function gangOf(
  name: string,
  groups: Readonly<Record<string, number>>,
  labels: Record<string, string> = {},
): PodGang {
  return {
    apiVersion: "scheduler.grove.io/v1alpha1",
    kind: "PodGang",
    metadata: {
      name,
      namespace,
      labels: { [labelKeys.managedBy]: managedBy, [labelKeys.partOf]: "chat", ...labels },
    },
    spec: {
      podgroups: Object.entries(groups).map(([group, minReplicas]) => ({
        name: group,
        podReferences: [],
        minReplicas,
      })),
    },
  };
}

function revisionOf(image: string): ControllerRevision {
  const hash = hashOf(image);
  const cliques = [{ name: "web", spec: { podSpec: podSpecOf(image) } }];
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: `chat-${hash}`,
      namespace,
      labels: { [labelKeys.managedBy]: managedBy, [labelKeys.partOf]: "chat" },
    },
    data: {
      format: 1,
      hash: `set-${hash}`,
      cliqueHashes: { web: hash },
      spec: { template: { cliques } },
    },
    revision: 1,
  };
}

export interface PodCliqueScenarioOptions extends Pick<ScenarioOptions, "faults" | "expected"> {
  readonly nodes?: number;
  readonly gpus?: number;
  readonly cliques?: readonly PodCliqueOptions[];
  readonly gangs?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export async function podCliqueScenario(options: PodCliqueScenarioOptions = {}) {
  const { nodes = 4, gpus, cliques = [{}], gangs, ...harness } = options;
  const shape = gpus === undefined ? {} : { shape: { gpus } };
  const listed = Object.entries(gangs ?? { "chat-0": { "chat-0-web": 1 } });
  const world = await scenario({
    ...harness,
    kinds: [podCliqueScenarioKind],
    cluster: { nodes, ...shape },
    objects: [...listed.map(([name, groups]) => gangOf(name, groups)), ...cliques.map(podCliqueOf)],
  });
  const { client, clock } = world;
  const keyOf = (name = "chat-0-web") => ({ namespace, name });
  const clique = (name?: string) => client.get<PodClique>(podCliqueResource, keyOf(name));
  const patch = (body: unknown, name?: string) =>
    client.patch<PodClique>(podCliqueResource, keyOf(name), { type: "merge", body });
  return {
    ...world,
    clique,
    patch,
    gang: (name = "chat-0") => client.get<PodGang>(podGangResource, keyOf(name)),
    /** The owner gives the clique another template, in one write. */
    setImage: (image: string, name?: string) =>
      patch(
        {
          metadata: { labels: { [labelKeys.podTemplateHash]: hashOf(image) } },
          spec: { podSpec: podSpecOf(image) },
        },
        name,
      ),
    /** The set records what its cliques were made of. */
    recordRevision: (image: string) => client.create(controllerRevisionResource, revisionOf(image)),
    scale: (replicas: number, name?: string) => patch({ spec: { replicas } }, name),
    deletePod: (name: string) => client.delete(podResource, { namespace, name }),
    condition: async (type: string, name?: string) =>
      (await clique(name)).status?.conditions?.find((condition) => condition.type === type),
    /** Until every clique has all its pods ready on its own template, and nobody else is left. */
    settled: (limitMs?: number) => untilSettled(clock, () => isSettled(client), { limitMs }),
  };
}

async function isSettled(client: Client): Promise<boolean> {
  const { items: cliques } = await client.list<PodClique>(podCliqueResource, { namespace });
  const { items: pods } = await client.list<Pod>(podResource, { namespace });
  return cliques.every(({ metadata, spec, status }) => {
    const own = pods.filter((pod) => pod.metadata.labels?.[labelKeys.podClique] === metadata.name);
    return (
      own.length === spec.replicas &&
      own.every((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined) &&
      status?.observedGeneration === metadata.generation &&
      status?.replicas === spec.replicas &&
      status?.readyReplicas === spec.replicas &&
      hasEnded(status?.updateProgress, metadata.labels?.[labelKeys.podTemplateHash])
    );
  });
}

function hasEnded(
  progress: NonNullable<PodClique["status"]>["updateProgress"],
  revision: string | undefined,
): boolean {
  if (progress === undefined) return true;
  return progress.updateEndedAt !== undefined && progress.podTemplateHash === revision;
}
