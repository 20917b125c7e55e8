/** Placements in simulations: a fleet that changes, decisions in groups, updated in both ways. */
import { ocmAnnotations, ocmLabels } from "../../api/ocm/labels.ts";
import {
  clusterSetBindingResource,
  clusterSetResource,
  managedClusterResource,
} from "../../api/ocm/managed-cluster.ts";
import { placementResource } from "../../api/ocm/placement.ts";
import { apiVersionOf } from "../../api/resource.ts";
import type { Client } from "../../runtime/client.ts";
import { placementScenarioKind } from "../scenario-kinds.ts";
import type { Fields, Simulated, SimulatedKind } from "../simulated-kind.ts";
import { between, pick, withAnnotation, withSpec } from "../simulated-kind.ts";

const fleet = "fleet";

const clusterOf = (number: number): Simulated => ({
  apiVersion: apiVersionOf(managedClusterResource),
  kind: managedClusterResource.kind,
  metadata: { name: `c${number}`, labels: { [ocmLabels.clusterSet]: fleet } },
  spec: {},
});

const strategyOf = ({ spec }: Simulated): Fields => (spec["decisionStrategy"] ?? {}) as Fields;

const withStrategy = (object: Simulated, change: Fields): Simulated =>
  withSpec(object, { decisionStrategy: { ...strategyOf(object), ...change } });

const sizes = [1, 2, 3, 5, "50%", "100%"] as const;

/** A cluster comes, goes, or gets another ring. */
async function changeFleet(client: Client, value: number): Promise<void> {
  const { items } = await client.list(managedClusterResource);
  const number = between(0, 19, (value * 7) % 1);
  const known = items.find(({ metadata }) => metadata.name === `c${number}`);
  if (known === undefined) {
    await client.create(managedClusterResource, clusterOf(number));
    return;
  }
  const key = { name: `c${number}` };
  if (value < 0.5 && items.length > 3) await client.delete(managedClusterResource, key);
  else {
    const body = { metadata: { labels: { ring: value < 0.75 ? "canary" : "rest" } } };
    await client.patch(managedClusterResource, key, { type: "merge", body });
  }
}

export const simulatedPlacement: SimulatedKind = {
  name: "placement",
  scenarioKinds: [placementScenarioKind(false)],
  resource: placementResource,
  watched: ["placements", "placementdecisions", "managedclusters"],
  draw: (random) => [
    {
      apiVersion: apiVersionOf(placementResource),
      kind: placementResource.kind,
      metadata: { name: "web", namespace: "default" },
      spec: {
        decisionStrategy: {
          groupStrategy: { clustersPerDecisionGroup: pick(sizes, random.next()) },
          updateStrategy: { type: random.happens(0.85) ? "RollingUpdate" : "All" },
        },
      },
    },
    {
      apiVersion: apiVersionOf(clusterSetResource),
      kind: clusterSetResource.kind,
      metadata: { name: fleet },
      spec: {},
    },
    {
      apiVersion: apiVersionOf(clusterSetBindingResource),
      kind: clusterSetBindingResource.kind,
      metadata: { name: fleet, namespace: "default" },
      spec: { clusterSet: fleet },
    },
    ...Array.from({ length: 4 + random.below(8) }, (_, index) => clusterOf(2 * index)),
  ],
  surroundings: changeFleet,
  replicas: (object, value) => {
    const decisionGroups = [
      {
        groupName: "canary",
        groupClusterSelector: { labelSelector: { matchLabels: { ring: "canary" } } },
      },
    ];
    const { decisionGroups: _old, ...rest } = (strategyOf(object)["groupStrategy"] ?? {}) as Fields;
    const groupStrategy = value < 0.5 ? rest : { ...rest, decisionGroups };
    return withStrategy(object, { groupStrategy });
  },
  partition: (object, value) =>
    withStrategy(object, { groupStrategy: { clustersPerDecisionGroup: pick(sizes, value) } }),
  strategy: (object, value) =>
    withStrategy(object, { updateStrategy: { type: value < 0.8 ? "RollingUpdate" : "All" } }),
  paused: (object, isPaused) =>
    withAnnotation(object, ocmAnnotations.schedulingDisabled, isPaused ? "true" : undefined),
  moving: (object) => withAnnotation(object, ocmAnnotations.schedulingDisabled),
  pods: () => 0,
};
