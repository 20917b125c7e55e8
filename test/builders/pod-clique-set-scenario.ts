/** Scenarios of one PodCliqueSet: how it is written, and what people do to it. */
import type { ClusterTopologyBinding } from "../../src/api/grove/cluster-topology.ts";
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
import type { Client } from "../../src/runtime/client.ts";
import type { Resource } from "../../src/api/resource.ts";
import type { NodeShape } from "../../src/sim/nodes.ts";
import { podCliqueSetScenarioKind } from "./grove-kinds.ts";
import type { LiveInvariant } from "./pod-clique-set-invariants.ts";
import { livePodsOf } from "./pod-clique-set-invariants.ts";
import { hostnameOf, isTerminating } from "../../src/simulation/scenario-kind.ts";
import type { ScenarioOptions } from "./scenario.ts";
import { namespace, scenario, untilSettled } from "./scenario.ts";

export interface CliqueTemplateOptions {
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

export interface ScalingGroupOptions {
  readonly cliques: readonly string[];
  readonly replicas?: number;
  readonly minAvailable?: number;
  readonly updateStrategy?: Record<string, unknown>;
  readonly topologyConstraint?: Record<string, unknown>;
  readonly scaleConfig?: Record<string, unknown>;
  readonly resourceSharing?: readonly unknown[];
}

export interface PodCliqueSetOptions {
  readonly name?: string;
  readonly replicas?: number;
  readonly strategy?: Record<string, unknown>;
  readonly cliques: Readonly<Record<string, CliqueTemplateOptions>>;
  readonly groups?: Readonly<Record<string, ScalingGroupOptions>>;
  readonly template?: Record<string, unknown>;
}

export function podCliqueSetOf(options: PodCliqueSetOptions): PodCliqueSet {
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
        cliques: Object.entries(cliques).map(([clique, given]) => cliqueTemplateOf(clique, given)),
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

function cliqueTemplateOf(name: string, options: CliqueTemplateOptions): unknown {
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

export interface PodCliqueSetScenarioOptions
  extends
    PodCliqueSetOptions,
    Pick<ScenarioOptions, "faults" | "expected" | "gangSchedulers" | "rollouts"> {
  readonly nodes?: number;
  readonly shape?: Partial<NodeShape>;
  /** The levels of the ClusterTopologyBinding `machines`, broadest first: node labels by domain. */
  readonly topology?: Readonly<Record<string, string>>;
}

export async function podCliqueSetScenario(options: PodCliqueSetScenarioOptions) {
  const { nodes, shape, topology, faults, expected, gangSchedulers, rollouts, ...given } = options;
  const world = await scenario({
    kinds: [podCliqueSetScenarioKind],
    cluster: {
      ...(nodes === undefined ? {} : { nodes }),
      ...(shape === undefined ? {} : { shape }),
    },
    ...(gangSchedulers === undefined ? {} : { gangSchedulers }),
    objects: [...(topology === undefined ? [] : [topologyOf(topology)]), podCliqueSetOf(given)],
    ...(faults === undefined ? {} : { faults }),
    ...(expected === undefined ? {} : { expected }),
    ...(rollouts === undefined ? {} : { rollouts }),
  });
  const { client, clock, timeline } = world;
  const key = { namespace, name: given.name ?? "chat" };
  const set = () => client.get<PodCliqueSet>(podCliqueSetResource, key);
  const describe = async (): Promise<string> => JSON.stringify((await set()).status, null, 1);
  return {
    ...world,
    ...changes(client, key),
    set,
    always: (invariant: LiveInvariant) =>
      timeline.always((pods, at) => invariant(livePodsOf(pods), at)),
    /** As the timeline has followed them, by hostname. */
    livePods: () => livePodsOf(timeline.pods()),
    condition: async (type: string) =>
      (await set()).status?.conditions?.find((condition) => condition.type === type),
    settled: (limitMs?: number) =>
      untilSettled(clock, () => hasSettled(set), { limitMs, describe }),
  };
}

export type PodCliqueSetScenario = Awaited<ReturnType<typeof podCliqueSetScenario>>;

/** What people read and change. */
function changes(client: Client, key: { namespace: string; name: string }) {
  const list = async <T extends KubeObject>(resource: Resource): Promise<T[]> =>
    (await client.list<T>(resource, { namespace })).items;
  const patch = (body: unknown) =>
    client.patch<PodCliqueSet>(podCliqueSetResource, key, { type: "merge", body });
  const scaleOf = (resource: Resource) => (name: string, replicas: number) =>
    client.patch(resource, { namespace, name }, { type: "merge", body: { spec: { replicas } } });
  /** What changes in the pods of each clique. */
  const changePodSpecs = async (change: (clique: string) => Record<string, unknown>) => {
    const { spec } = await client.get<PodCliqueSet>(podCliqueSetResource, key);
    const cliques = spec.template.cliques.map((clique) => {
      const podSpec = { ...clique.spec.podSpec, ...change(clique.name) };
      return { ...clique, spec: { ...clique.spec, podSpec } };
    });
    await patch({ spec: { template: { cliques } } });
  };
  return {
    patch,
    patchStrategy: (updateStrategy: unknown) => patch({ spec: { updateStrategy } }),
    cliques: () => list<PodClique>(podCliqueResource),
    groups: () => list<PodCliqueScalingGroup>(scalingGroupResource),
    gangs: () => list<PodGang>(podGangResource),
    changePodSpecs,
    /** New images by clique. */
    setImages: (images: Readonly<Record<string, string>>) =>
      changePodSpecs((clique) => {
        const image = images[clique];
        return image === undefined ? {} : { containers: [{ name: "app", image }] };
      }),
    scale: (replicas: number) => patch({ spec: { replicas } }),
    scaleGroup: scaleOf(scalingGroupResource),
    scaleClique: scaleOf(podCliqueResource),
    /** By hostname: names of pods are not known beforehand. */
    deletePod: async (hostname: string) => {
      const pod = (await list<Pod>(podResource)).find(
        (each) => hostnameOf(each) === hostname && !isTerminating(each),
      );
      await client.delete(podResource, { namespace, name: pod?.metadata.name ?? hostname });
    },
    cordon: async (unschedulable: boolean) => {
      for (const { metadata } of (await client.list(nodeResource)).items) {
        const body = { spec: { unschedulable } };
        await client.patch(nodeResource, { name: metadata.name ?? "" }, { type: "merge", body });
      }
    },
  };
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
    ["RolledOut", "AtPartition", "OutdatedLeftToDelete"].includes(update?.reason ?? "")
  );
}
