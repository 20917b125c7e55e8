/** One PodClique in its gang on a simulated cluster in virtual time, with every promise checked at every event. */
import type { ControllerRevision } from "../../src/api/apps.ts";
import { controllerRevisionResource } from "../../src/api/apps.ts";
import { labelKeys, managedBy, podGangGate } from "../../src/api/grove/labels.ts";
import type { PodClique, PodCliqueSpec } from "../../src/api/grove/podclique.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import type { PodGang } from "../../src/api/grove/podgang.ts";
import { podGangResource } from "../../src/api/grove/podgang.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import { podCliqueController } from "../../src/controllers/grove/podclique/index.ts";
import { groveCaches } from "../../src/controllers/grove/caches.ts";
import { podGangController } from "../../src/controllers/grove/podgang/index.ts";
import type { Client } from "../../src/runtime/client.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import type { Between } from "./set-scenario.ts";
import { countWrites } from "./count-writes.ts";
import { simulation } from "./simulation.ts";

export interface CliqueOptions {
  readonly name?: string;
  readonly gang?: string;
  readonly image?: string;
  readonly labels?: Record<string, string>;
  readonly spec?: Partial<PodCliqueSpec>;
}

export const namespace = "default";

export function cliqueOf({
  name = "chat-0-web",
  gang = "chat-0",
  image = "web:v1",
  labels = {},
  spec = {},
}: CliqueOptions): PodClique {
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

export function gangOf(
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

export interface ScenarioOptions {
  readonly nodes?: number;
  readonly gpus?: number;
  readonly cliques?: readonly CliqueOptions[];
  readonly gangs?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const nothingBetween: Between = (transport) => transport;

export async function cliqueScenario(options: ScenarioOptions = {}, between = nothingBetween) {
  const shape = options.gpus === undefined ? {} : { shape: { gpus: options.gpus } };
  const world = await simulation({ nodes: options.nodes ?? 4, gangs: true, ...shape });
  const { client, clock } = world;
  const counted = countWrites();
  const cliques = options.cliques ?? [{}];
  let wrap = between;
  const start = async () => {
    const own = restClient(counted.count(wrap(world.transport, clock)));
    const caches = groveCaches({ client: own, clock });
    const parts = [
      podCliqueController({ client: own, clock, caches }),
      podGangController({ client: own, clock, caches }),
    ];
    let started = 0;
    for (const part of parts) void part.start().then(() => started++);
    await clock.runUntilTrue(() => started === parts.length, 600_000);
    return parts;
  };
  let parts = await start();
  const seen = watchPods(client, () => clock.now());
  for (const [name, groups] of Object.entries(options.gangs ?? { "chat-0": { "chat-0-web": 1 } })) {
    await client.create(podGangResource, gangOf(name, groups));
  }
  for (const clique of cliques) await client.create(podCliqueResource, cliqueOf(clique));
  const keyOf = (name = "chat-0-web") => ({ namespace, name });
  const clique = (name?: string) => client.get<PodClique>(podCliqueResource, keyOf(name));
  const patch = (body: unknown, name?: string) =>
    client.patch<PodClique>(podCliqueResource, keyOf(name), { type: "merge", body });
  return {
    ...world,
    ...seen,
    writes: counted.writes,
    clique,
    patch,
    gang: (name = "chat-0") => client.get<PodGang>(podGangResource, keyOf(name)),
    /** The owner tells the clique of another template, in one write. */
    setImage: (image: string, name?: string) =>
      patch(
        {
          metadata: { labels: { [labelKeys.podTemplateHash]: hashOf(image) } },
          spec: { podSpec: podSpecOf(image) },
        },
        name,
      ),
    /** The set writes down what its cliques were made of. */
    recordRevision: (image: string) => client.create(controllerRevisionResource, revisionOf(image)),
    scale: (replicas: number, name?: string) => patch({ spec: { replicas } }, name),
    deletePod: (name: string) => client.delete(podResource, { namespace, name }),
    /** The operator dies without a word, and a fresh one takes its place. */
    restart: async (next = nothingBetween) => {
      for (const part of parts) void part.stop();
      wrap = next;
      parts = await start();
    },
    condition: async (type: string, name?: string) =>
      (await clique(name)).status?.conditions?.find((condition) => condition.type === type),
    /** Until every clique has all its pods ready on its own template, and nobody else is left. */
    settled: async (limitMs = 3_600_000) => {
      const end = clock.now() + limitMs;
      // What has just happened is handled first.
      await clock.runFor(1);
      while (!(await isSettled(client))) {
        if (clock.now() >= end) throw new Error(`not settled after ${limitMs / 1000} s`);
        await clock.runFor(500);
      }
      if (seen.broken.length > 0) throw new Error(seen.broken.join("\n"));
    },
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

/** Follows all pods and gangs: a line per creation and deletion by hostname, and what must never be. */
function watchPods(client: Client, now: () => number) {
  const startMs = now();
  const pods = new Map<string, Pod>();
  const gangs = new Map<string, PodGang>();
  const timeline: string[] = [];
  const broken: string[] = [];
  let guarded: { fewest: number; most: number } | undefined;
  const at = (): string => `${((now() - startMs) / 1000).toFixed(0)}s`;
  const live = (): Pod[] =>
    [...pods.values()].filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const check = (): void => {
    const hostnames = [...pods.values()].map((pod) => pod.spec.hostname as string);
    const twice = hostnames.find((hostname, index) => hostnames.indexOf(hostname) !== index);
    if (twice !== undefined) broken.push(`${at()} two pods are called ${twice}`);
    if (guarded === undefined) return;
    guarded.fewest = Math.min(guarded.fewest, live().filter(isReady).length);
    guarded.most = Math.max(guarded.most, live().length);
  };
  const checkGate = (pod: Pod, before: Pod | undefined): void => {
    const gated = (each: Pod): boolean =>
      (each.spec.schedulingGates ?? []).some(({ name }) => name === podGangGate);
    const isOurs = pod.metadata.labels?.[labelKeys.podClique] !== undefined;
    if (!isOurs || (before !== undefined && !gated(before)) || gated(pod)) return;
    const gang = gangs.get(pod.metadata.labels?.[labelKeys.podGang] ?? "");
    const isListed = gang?.spec.podgroups.some(({ podReferences }) =>
      podReferences.some(({ name }) => name === pod.metadata.name),
    );
    if (isListed !== true) broken.push(`${at()} ${pod.metadata.name} was let go unlisted`);
  };
  void client.watch<PodGang>(podGangResource, { resourceVersion: "0" }, (event) => {
    if (event.type !== "ERROR" && event.type !== "BOOKMARK")
      gangs.set(event.object.metadata.name ?? "", event.object);
  });
  void client.watch<Pod>(podResource, { resourceVersion: "0" }, (event) => {
    if (event.type === "ERROR" || event.type === "BOOKMARK") return;
    const { object } = event;
    const name = object.metadata.name ?? "";
    const hostname = object.spec.hostname as string;
    const before = pods.get(name);
    if (event.type === "ADDED") timeline.push(`${at()} +${hostname} ${imageOf(object)}`);
    const isTerminating = object.metadata.deletionTimestamp !== undefined;
    if (isTerminating && before?.metadata.deletionTimestamp === undefined)
      timeline.push(`${at()} -${hostname} ${imageOf(object)}`);
    checkGate(object, before);
    if (event.type === "DELETED") pods.delete(name);
    else pods.set(name, object);
    check();
  });
  return {
    timeline,
    broken,
    pods: () => [...pods.values()],
    /** From now on remembers the fewest ready pods and the most live ones. */
    guard: () => {
      guarded = { fewest: Number.POSITIVE_INFINITY, most: 0 };
      check();
      return guarded;
    },
    /** `chat-0-web-0 web:v1`, by hostname; `!` is not ready, `~` terminating. */
    drawing: (): string[] =>
      [...pods.values()]
        .map((pod) => {
          const mark =
            pod.metadata.deletionTimestamp === undefined ? (isReady(pod) ? "" : "!") : "~";
          return `${pod.spec.hostname as string} ${imageOf(pod)}${mark}`;
        })
        .toSorted(),
  };
}

const imageOf = (pod: Pod): string => pod.spec.containers[0]?.image ?? "";
