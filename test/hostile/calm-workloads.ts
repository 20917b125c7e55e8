/** Workloads that do nothing unusual: what hostile objects are made from, and what has to go on beside them. */
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import { podGangResource } from "../../src/api/grove/podgang.ts";
import { scalingGroupResource } from "../../src/api/grove/scaling-group.ts";
import {
  controllerRevisionResource,
  deploymentResource,
  statefulSetResource,
} from "../../src/api/apps.ts";
import { autoscalerResource } from "../../src/api/autoscaler.ts";
import type { KubeObject } from "../../src/api/object.ts";
import {
  clusterSetBindingResource,
  clusterSetResource,
  managedClusterResource,
} from "../../src/api/ocm/managed-cluster.ts";
import { placementDecisionResource, placementResource } from "../../src/api/ocm/placement.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import type { PodCliqueSet } from "../../src/api/grove/podcliqueset.ts";
import type { RoleBasedGroup } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupSetResource } from "../../src/api/rbg/rolebasedgroupset.ts";
import type { Resource } from "../../src/api/resource.ts";
import type { Client } from "../../src/runtime/client.ts";
import { bindingOf, clusterOf, placementObject, setOf } from "../builders/placement-scenario.ts";
import { podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";
import { groupOf } from "../builders/role-based-group-scenario.ts";
import { statefulSetOf } from "../builders/stateful-set-scenario.ts";

/** What is made hostile: kinds of the operator, and what they are made of. */
export const targets: readonly Resource[] = [
  podCliqueSetResource,
  scalingGroupResource,
  podCliqueResource,
  podGangResource,
  statefulSetResource,
  deploymentResource,
  roleBasedGroupResource,
  roleBasedGroupSetResource,
  placementResource,
  placementDecisionResource,
  managedClusterResource,
  controllerRevisionResource,
  autoscalerResource,
  podResource,
];

const groupSpec = groupOf({
  name: "roles",
  sizes: { prefill: 2, decode: 1 },
  strategy: { rollingUpdate: { maxSkew: "50%" } },
});

const workloads: readonly KubeObject[] = [
  podCliqueSetOf({
    replicas: 2,
    cliques: { front: { replicas: 2 }, lead: {}, work: { replicas: 2 } },
    groups: { pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
  }),
  statefulSetOf({ name: "web", replicas: 3 }),
  groupSpec,
  {
    apiVersion: "workloads.x-k8s.io/v1alpha1",
    kind: "RoleBasedGroupSet",
    metadata: { name: "fleet" },
    spec: { replicas: 1, template: groupSpec.spec },
  },
  placementObject("place"),
];

/** How many pods they have in all, in one namespace. */
const podCount = 2 * (2 + 2 * 3) + 3 + 2 * 3;

const resourceOf = (object: KubeObject): Resource =>
  targets.find(({ kind }) => kind === object.kind) ?? podResource;

export const calmWorkloads = (namespace: string): readonly (readonly [Resource, KubeObject])[] =>
  workloads.map((object) => {
    const metadata = { ...object.metadata, namespace };
    return [resourceOf(object), { ...object, metadata }];
  });

/** A fleet that both namespaces may choose from. */
export async function createFleet(client: Client, namespaces: readonly string[]): Promise<void> {
  await client.create(clusterSetResource, setOf("fleet"));
  for (const namespace of namespaces) {
    const binding = bindingOf("fleet");
    const metadata = { ...binding.metadata, namespace };
    await client.create(clusterSetBindingResource, { ...binding, metadata });
  }
  for (const name of ["east", "west"]) await client.create(managedClusterResource, clusterOf(name));
}

/** A new image for all of them. */
export async function setImages(client: Client, namespace: string, image: string): Promise<void> {
  const containers = [{ name: "app", image }];
  const template = { spec: { containers } };
  const patch = (resource: Resource, name: string, spec: object) =>
    client.patch(resource, { namespace, name }, { type: "merge", body: { spec } });
  const set = await client.get<PodCliqueSet>(podCliqueSetResource, { namespace, name: "chat" });
  const cliques = set.spec.template.cliques.map((clique) => {
    return { ...clique, spec: { ...clique.spec, podSpec: { ...clique.spec.podSpec, containers } } };
  });
  await patch(podCliqueSetResource, "chat", { template: { cliques } });
  await patch(statefulSetResource, "web", { template });
  const key = { namespace, name: "roles" };
  const group = await client.get<RoleBasedGroup>(roleBasedGroupResource, key);
  const roles = group.spec.roles.map((role) => ({ ...role, template }));
  await patch(roleBasedGroupResource, "roles", { roles });
  const ofSet = {
    ...groupSpec.spec,
    roles: groupSpec.spec.roles.map((role) => ({ ...role, template })),
  };
  await patch(roleBasedGroupSetResource, "fleet", { template: ofSet });
}

export async function serves(client: Client, namespace: string, image: string): Promise<boolean> {
  const { items } = await client.list<Pod>(podResource, { namespace });
  const updated = items.filter((pod) => isReady(pod) && pod.spec.containers[0]?.image === image);
  return items.length === podCount && updated.length === podCount;
}
