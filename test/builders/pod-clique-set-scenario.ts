/** A PodCliqueSet on a simulated cluster in virtual time: told in steps, watched at every event. */
import type { ClusterTopologyBinding } from "../../src/api/grove/cluster-topology.ts";
import { clusterTopologyBindingResource } from "../../src/api/grove/cluster-topology.ts";
import type { PodClique } from "../../src/api/grove/podclique.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import type { PodCliqueSet, PodCliqueSetSpec } from "../../src/api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import type { PodGang } from "../../src/api/grove/podgang.ts";
import { podGangResource } from "../../src/api/grove/podgang.ts";
import type { PodCliqueScalingGroup } from "../../src/api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../src/api/grove/scaling-group.ts";
import { nodeResource } from "../../src/api/node.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Pod } from "../../src/api/pod.ts";
import { podResource } from "../../src/api/pod.ts";
import type { Resource } from "../../src/api/resource.ts";
import { scalingGroupController } from "../../src/controllers/grove/podcliquescalinggroup/index.ts";
import { podCliqueController } from "../../src/controllers/grove/podclique/index.ts";
import { groveCaches } from "../../src/controllers/grove/caches.ts";
import { podCliqueSetController } from "../../src/controllers/grove/podcliqueset/index.ts";
import { podGangController } from "../../src/controllers/grove/podgang/index.ts";
import type { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import { describeCall } from "../../src/runtime/metrics.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import type { Transport } from "../../src/runtime/transport.ts";
import type { NodeShape } from "../../src/sim/nodes.ts";
import { CliqueWatcher } from "./clique-watcher.ts";
import { countWrites } from "./count-writes.ts";
import { SetPromises } from "./set-promises.ts";
import { simulation } from "./simulation.ts";

export const namespace = "default";

export interface CliqueOptions {
  readonly replicas?: number;
  readonly minAvailable?: number;
  readonly image?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly updateStrategy?: Record<string, unknown>;
  readonly extra?: Record<string, unknown>;
  readonly podSpec?: Record<string, unknown>;
  readonly topologyConstraint?: Record<string, unknown>;
  readonly resourceSharing?: readonly unknown[];
}

export interface GroupOptions {
  readonly cliques: readonly string[];
  readonly replicas?: number;
  readonly minAvailable?: number;
  readonly updateStrategy?: Record<string, unknown>;
  readonly topologyConstraint?: Record<string, unknown>;
  readonly scaleConfig?: Record<string, unknown>;
  readonly resourceSharing?: readonly unknown[];
}

export interface SetOptions {
  readonly name?: string;
  readonly replicas?: number;
  readonly strategy?: Record<string, unknown>;
  readonly cliques: Readonly<Record<string, CliqueOptions>>;
  readonly groups?: Readonly<Record<string, GroupOptions>>;
  readonly template?: Record<string, unknown>;
}

export function cliqueSetOf(options: SetOptions): PodCliqueSet {
  const { name = "chat", replicas = 1, strategy, cliques, groups = {}, template = {} } = options;
  return {
    apiVersion: "grove.io/v1alpha1",
    kind: "PodCliqueSet",
    metadata: { name, namespace },
    spec: {
      replicas,
      ...(strategy === undefined ? {} : { updateStrategy: strategy }),
      template: {
        terminationDelay: "10m",
        ...template,
        cliques: Object.entries(cliques).map(([clique, given]) => cliqueOf(clique, given)),
        ...(Object.keys(groups).length === 0
          ? {}
          : {
              podCliqueScalingGroups: Object.entries(groups).map(([group, given]) => {
                const { cliques: cliqueNames, ...rest } = given;
                return { name: group, cliqueNames, ...rest };
              }),
            }),
      },
    } as unknown as PodCliqueSetSpec,
  };
}

function cliqueOf(name: string, options: CliqueOptions): unknown {
  const { replicas = 1, minAvailable, image = `${name}:v1`, extra } = options;
  const { annotations, updateStrategy, podSpec, topologyConstraint, resourceSharing } = options;
  return {
    name,
    ...(annotations === undefined ? {} : { annotations }),
    ...(updateStrategy === undefined ? {} : { updateStrategy }),
    ...(topologyConstraint === undefined ? {} : { topologyConstraint }),
    ...(resourceSharing === undefined ? {} : { resourceSharing }),
    spec: {
      roleName: name,
      replicas,
      ...(minAvailable === undefined ? {} : { minAvailable }),
      podSpec: { containers: [{ name: "app", image }], ...podSpec },
      ...extra,
    },
  };
}

const topologyOf = (levels: Readonly<Record<string, string>>): ClusterTopologyBinding => ({
  apiVersion: "grove.io/v1alpha1",
  kind: "ClusterTopologyBinding",
  metadata: { name: "machines" },
  spec: { levels: Object.entries(levels).map(([domain, label]) => ({ domain, key: label })) },
});

/** What stands between the operator and the API server. */
export type Between = (transport: Transport, clock: VirtualClock) => Transport;

export interface ScenarioOptions extends SetOptions {
  readonly nodes?: number;
  readonly shape?: Partial<NodeShape>;
  /** The levels of the ClusterTopologyBinding `machines`, broadest first: node labels by domain. */
  readonly topology?: Readonly<Record<string, string>>;
  readonly between?: Between;
}

export async function cliqueScenario(options: ScenarioOptions) {
  const { nodes, shape, between = (transport) => transport } = options;
  const world = await simulation({
    gangs: true,
    ...(nodes === undefined ? {} : { nodes }),
    ...(shape === undefined ? {} : { shape }),
  });
  const { client, clock } = world;
  const watcher = new CliqueWatcher(client, clock);
  const promises = new SetPromises({
    client,
    clock,
    report: (broken) => watcher.violations.push(broken),
  });
  const counted = countWrites();
  const problems: unknown[] = [];
  const reconciles: Record<string, number> = {};
  let wrap = between;
  const start = async () => {
    const told = tellingDeletes(promises, wrap(world.transport, clock));
    const operator = restClient(counted.count(told));
    const caches = groveCaches({ client: operator, clock });
    const optionsOf = (kind: string) => ({
      client: operator,
      clock,
      caches,
      observer: {
        reconciled(key: string, result: { error?: unknown }) {
          const what = `${kind} ${key}`;
          reconciles[what] = (reconciles[what] ?? 0) + 1;
          if (result.error !== undefined) problems.push(result.error);
        },
      },
    });
    const controllers = [
      podCliqueSetController(optionsOf("PodCliqueSet")),
      scalingGroupController(optionsOf("PodCliqueScalingGroup")),
      podCliqueController(optionsOf("PodClique")),
      podGangController(optionsOf("PodGang")),
    ];
    await started(clock, Promise.all(controllers.map((controller) => controller.start())));
    return { stop: () => Promise.all(controllers.map((controller) => controller.stop())) };
  };
  let operator = await start();
  const name = options.name ?? "chat";
  if (options.topology !== undefined) {
    await client.create(clusterTopologyBindingResource, topologyOf(options.topology));
  }
  await client.create(podCliqueSetResource, cliqueSetOf(options));
  const key = { namespace, name };
  const set = () => client.get<PodCliqueSet>(podCliqueSetResource, key);
  const patch = (body: unknown) =>
    client.patch<PodCliqueSet>(podCliqueSetResource, key, { type: "merge", body });
  const list = async <T extends KubeObject>(resource: Resource): Promise<T[]> =>
    (await client.list<T>(resource, { namespace })).items;
  /** What changes in the pods of each clique. */
  const changePodSpecs = async (change: (clique: string) => Record<string, unknown>) => {
    const { spec } = await set();
    const cliques = spec.template.cliques.map((clique) => {
      const podSpec = { ...clique.spec.podSpec, ...change(clique.name) };
      return { ...clique, spec: { ...clique.spec, podSpec } };
    });
    await patch({ spec: { template: { cliques } } });
  };
  const scenario = {
    ...world,
    operatorProblems: problems,
    watcher,
    promises,
    writes: counted.writes,
    /** By kind and key: `PodClique default/chat-0-front`. */
    reconciles,
    set,
    patch,
    patchStrategy: (updateStrategy: unknown) => patch({ spec: { updateStrategy } }),
    restart: async (next: Between = (transport) => transport) => {
      void operator.stop();
      wrap = next;
      operator = await start();
    },
    cliques: () => list<PodClique>(podCliqueResource),
    groups: () => list<PodCliqueScalingGroup>(scalingGroupResource),
    gangs: () => list<PodGang>(podGangResource),
    pods: () => list<Pod>(podResource),
    changePodSpecs,
    /** New images by clique. */
    setImages: (images: Readonly<Record<string, string>>) =>
      changePodSpecs((clique) => {
        const image = images[clique];
        return image === undefined ? {} : { containers: [{ name: "app", image }] };
      }),
    scale: (replicas: number) => patch({ spec: { replicas } }),
    scaleGroup: (group: string, replicas: number) =>
      client.patch(
        scalingGroupResource,
        { namespace, name: group },
        { type: "merge", body: { spec: { replicas } } },
      ),
    scaleClique: (clique: string, replicas: number) =>
      client.patch(
        podCliqueResource,
        { namespace, name: clique },
        { type: "merge", body: { spec: { replicas } } },
      ),
    /** By hostname: names of pods are not known beforehand. */
    deletePod: async (hostname: string) => {
      const pod = (await list<Pod>(podResource)).find(
        ({ spec, metadata }) =>
          spec.hostname === hostname && metadata.deletionTimestamp === undefined,
      );
      await client.delete(podResource, { namespace, name: pod?.metadata.name ?? hostname });
    },
    cordon: async (unschedulable: boolean) => {
      for (const { metadata } of (await client.list(nodeResource)).items) {
        const body = { spec: { unschedulable } };
        await client.patch(nodeResource, { name: metadata.name ?? "" }, { type: "merge", body });
      }
    },
    condition: async (type: string) =>
      (await set()).status?.conditions?.find((condition) => condition.type === type),
    settled: (limitMs = 3_600_000) => untilSettled(clock, set, limitMs),
    /** Time goes on until this is so. */
    until: async (isSo: () => boolean | Promise<boolean>, limitMs = 600_000) => {
      const end = clock.now() + limitMs;
      while (!(await isSo())) {
        if (clock.now() >= end)
          throw new Error(`not so after ${limitMs / 1000} s: ${String(isSo)}`);
        await clock.runFor(100);
      }
    },
  };
  return scenario;
}

async function started<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  void work.then(() => (isDone = true));
  await clock.runUntilTrue(() => isDone, 600_000);
  return work;
}

export const hasSettled = async (set: () => Promise<PodCliqueSet>): Promise<boolean> =>
  isSettled(await set());

/** Everything that was asked for is there, and no update is under way. */
export function isSettled({ metadata, spec, status }: PodCliqueSet): boolean {
  const { updateProgress, availableReplicas, observedGeneration, conditions } = status ?? {};
  const isUpdating = updateProgress !== undefined && updateProgress.updateEndedAt === undefined;
  const update = conditions?.find(({ type }) => type === "UpdateInProgress");
  return (
    observedGeneration === metadata.generation &&
    !isUpdating &&
    availableReplicas === spec.replicas &&
    ["RolledOut", "PartitionReached", "OutdatedLeftToDelete"].includes(update?.reason ?? "")
  );
}

async function untilSettled(
  clock: VirtualClock,
  set: () => Promise<PodCliqueSet>,
  limitMs: number,
): Promise<void> {
  const end = clock.now() + limitMs;
  while (!(await hasSettled(set))) {
    if (clock.now() >= end) {
      const { status } = await set();
      throw new Error(`not settled after ${limitMs / 1000} s: ${JSON.stringify(status, null, 1)}`);
    }
    await clock.runFor(500);
  }
}

/** Tells what the operator deletes before it is done. */
const tellingDeletes = (promises: SetPromises, transport: Transport): Transport => ({
  ...transport,
  stream: (request, onEvent) => transport.stream(request, onEvent),
  async request(request) {
    if (request.method !== "DELETE") return transport.request(request);
    const { resource } = describeCall(request);
    const name = request.path.split("/").at(-1) ?? "";
    promises.asks(resource, name);
    const response = await transport.request(request);
    if (response.status >= 400) promises.refused(resource, name);
    return response;
  },
});

export type Scenario = Awaited<ReturnType<typeof cliqueScenario>>;
