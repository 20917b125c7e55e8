/** Scenarios of Placements: a fleet, what people do to it, and what its decisions list. */
import type { KubeObject } from "../../src/api/object.ts";
import { ocmLabels } from "../../src/api/ocm/labels.ts";
import type { ManagedCluster } from "../../src/api/ocm/managed-cluster.ts";
import {
  clusterSetBindingResource,
  clusterSetResource,
  managedClusterResource,
} from "../../src/api/ocm/managed-cluster.ts";
import type { Placement, PlacementDecision, PlacementSpec } from "../../src/api/ocm/placement.ts";
import {
  clustersOf,
  decisionSelector,
  placementDecisionResource,
  placementResource,
} from "../../src/api/ocm/placement.ts";
import { apiVersionOf } from "../../src/api/resource.ts";
import { clusters as clusterNames } from "./placement.ts";
import { placementScenarioKind } from "../../src/simulation/scenario-kinds.ts";
import type { ScenarioOptions } from "./scenario.ts";
import { namespace, scenario } from "./scenario.ts";

export const setName = "fleet";

export const clusterOf = (name: string, more: Partial<ManagedCluster> = {}): ManagedCluster => ({
  apiVersion: apiVersionOf(managedClusterResource),
  kind: managedClusterResource.kind,
  ...more,
  metadata: {
    name,
    ...more.metadata,
    labels: { [ocmLabels.clusterSet]: setName, ...more.metadata?.labels },
  },
});

export const placementObject = (name: string, spec: PlacementSpec = {}): Placement => ({
  apiVersion: apiVersionOf(placementResource),
  kind: placementResource.kind,
  metadata: { name, namespace },
  spec,
});

export const setOf = (name: string, spec?: object): KubeObject => ({
  apiVersion: apiVersionOf(clusterSetResource),
  kind: clusterSetResource.kind,
  metadata: { name },
  ...(spec === undefined ? {} : { spec }),
});

export const bindingOf = (name: string): KubeObject => ({
  apiVersion: apiVersionOf(clusterSetBindingResource),
  kind: clusterSetBindingResource.kind,
  metadata: { name, namespace },
  spec: { clusterSet: name },
});

export const rollingDecisions: PlacementSpec = {
  decisionStrategy: { updateStrategy: { type: "RollingUpdate" } },
};

export const inGroupsOf = (
  size: number | string,
  type: "All" | "RollingUpdate" = "RollingUpdate",
): PlacementSpec => ({
  decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: size }, updateStrategy: { type } },
});

export interface PlacementScenarioOptions extends Pick<
  ScenarioOptions,
  "faults" | "expected" | "rollouts"
> {
  /** A fleet of so many, or these. */
  readonly clusters?: number | readonly (string | ManagedCluster)[];
  /** Of the Placement `web`; none is created where it is null. */
  readonly spec?: PlacementSpec | null;
  /** Placements that are updated in place are held to the promise too, which they break. */
  readonly isNegativeControl?: boolean;
  /** No set is bound to the namespace. */
  readonly isUnbound?: boolean;
}

export async function placementScenario(options: PlacementScenarioOptions = {}) {
  const {
    clusters = 0,
    spec = rollingDecisions,
    isUnbound = false,
    faults,
    expected,
    rollouts,
  } = options;
  const world = await scenario({
    kinds: [placementScenarioKind(options.isNegativeControl === true)],
    cluster: { nodes: 0 },
    ...(faults === undefined ? {} : { faults }),
    ...(expected === undefined ? {} : { expected }),
    ...(rollouts === undefined ? {} : { rollouts }),
  });
  const { client, clock } = world;
  const fleet = typeof clusters === "number" ? clusterNames(1, clusters) : clusters;
  await client.create(clusterSetResource, setOf(setName));
  if (!isUnbound) await client.create(clusterSetBindingResource, bindingOf(setName));
  for (const each of fleet) {
    const cluster = typeof each === "string" ? clusterOf(each) : each;
    const created = await client.create(managedClusterResource, cluster);
    if (cluster.status !== undefined) {
      await client.update(
        managedClusterResource,
        { ...created, status: cluster.status },
        { subresource: "status" },
      );
    }
  }
  const key = { namespace, name: "web" };
  if (spec !== null) await client.create(placementResource, placementObject("web", spec));
  const placement = (name = "web") => client.get<Placement>(placementResource, { namespace, name });
  const decisions = async (name = "web"): Promise<PlacementDecision[]> => {
    const labelSelector = decisionSelector(name);
    const { items } = await client.list<PlacementDecision>(placementDecisionResource, {
      namespace,
      labelSelector,
    });
    return items.toSorted((a, b) => numberOf(a) - numberOf(b));
  };
  return {
    ...world,
    placement,
    decisions,
    /** Everything that can happen without a further change has happened. */
    settle: () => clock.runFor(30_000),
    /** `d1 c00001..c00100 (100) 0`: number, first and last cluster, how many, group. */
    drawn: async (name?: string) => (await decisions(name)).map(drawDecision),
    listed: async (name?: string) => (await decisions(name)).flatMap(clustersOf),
    addCluster: (name: string, more?: Partial<ManagedCluster>) =>
      client.create(managedClusterResource, clusterOf(name, more)),
    removeCluster: (name: string) => client.delete(managedClusterResource, { name }),
    patchCluster: (name: string, body: unknown, subresource?: string) =>
      client.patch(managedClusterResource, { name }, { type: "merge", body }, { subresource }),
    patchPlacement: (change: object, name = "web") =>
      client.patch<Placement>(placementResource, { ...key, name }, { type: "merge", body: change }),
    condition: async (type: string, name?: string) =>
      (await placement(name)).status?.conditions?.find((condition) => condition.type === type),
  };
}

export type PlacementScenario = Awaited<ReturnType<typeof placementScenario>>;

const numberOf = ({ metadata }: PlacementDecision): number =>
  Number(/\d+$/.exec(metadata.name ?? "")?.[0] ?? 0);

export function drawDecision(decision: PlacementDecision): string {
  const listed = clustersOf(decision);
  const { labels = {} } = decision.metadata;
  const group = [labels[ocmLabels.groupName], labels[ocmLabels.groupIndex]]
    .filter((part) => part !== "" && part !== undefined)
    .join("/");
  const range = listed.length === 0 ? "-" : `${listed[0]}..${listed.at(-1)}`;
  return `d${numberOf(decision)} ${range} (${listed.length}) ${group}`;
}
