/** A fleet for tests: clusters with their namespaces, add-ons, and PlacementDecisions written as the planner says. */
import type { ClusterManagementAddOn, RolloutStrategy } from "../../src/api/ocm/addon.ts";
import { clusterManagementAddOnResource } from "../../src/api/ocm/addon.ts";
import { ocmLabels } from "../../src/api/ocm/labels.ts";
import { managedClusterResource } from "../../src/api/ocm/managed-cluster.ts";
import type { Placement, PlacementDecision } from "../../src/api/ocm/placement.ts";
import {
  clustersOf,
  decisionSelector,
  placementDecisionResource,
  placementResource,
} from "../../src/api/ocm/placement.ts";
import type { KubeObject, ObjectKey } from "../../src/api/object.ts";
import type { Resource } from "../../src/api/resource.ts";
import type { DecisionWrite, ObservedDecision } from "../../src/planner/index.ts";
import type { Client } from "../../src/runtime/client.ts";

export const namespaceResource: Resource = {
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  namespaced: false,
};

export const placementKey = { namespace: "default", name: "web" };

const cluster = (name: string): KubeObject => ({
  apiVersion: "cluster.open-cluster-management.io/v1",
  kind: "ManagedCluster",
  metadata: { name },
  spec: { hubAcceptsClient: true },
});

/** Each has a namespace of its name, as the registration of a cluster makes it. */
export async function createClusters(client: Client, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await client.create(namespaceResource, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name },
    });
    await client.create(managedClusterResource, cluster(name));
  }
}

export interface AddOnOptions {
  readonly name?: string;
  readonly placements?: readonly ObjectKey[];
  readonly rolloutStrategy?: RolloutStrategy;
  readonly type?: "Manual" | "Placements";
}

export const managementOf = ({
  name = "agent",
  placements = [placementKey],
  rolloutStrategy,
  type = "Placements",
}: AddOnOptions = {}): ClusterManagementAddOn => ({
  apiVersion: "addon.open-cluster-management.io/v1alpha1",
  kind: "ClusterManagementAddOn",
  metadata: { name },
  spec: {
    installStrategy: {
      type,
      placements: placements.map(({ namespace = "default", name: placement }) => ({
        namespace,
        name: placement,
        ...(rolloutStrategy === undefined ? {} : { rolloutStrategy }),
      })),
    },
  },
});

export const createManagement = (client: Client, options: AddOnOptions = {}) =>
  client.create(clusterManagementAddOnResource, managementOf(options));

export const placementOf = (
  { namespace, name }: ObjectKey,
  spec: Placement["spec"] = {},
): Placement => ({
  apiVersion: "cluster.open-cluster-management.io/v1beta1",
  kind: "Placement",
  metadata: { namespace, name },
  spec,
});

/** Performs the planner's writes one by one, as the Placement controller would. */
export class DecisionWriter {
  readonly #client: Client;
  readonly #key: ObjectKey;
  #uid: string | undefined;

  constructor(client: Client, key: ObjectKey = placementKey) {
    this.#client = client;
    this.#key = key;
  }

  async createPlacement(): Promise<void> {
    const created = await this.#client.create(placementResource, placementOf(this.#key));
    this.#uid = created.metadata.uid;
  }

  async write(write: DecisionWrite): Promise<void> {
    const key = { namespace: this.#key.namespace, name: write.name };
    const merge = (body: unknown, subresource?: "status") =>
      this.#client.patch(
        placementDecisionResource,
        key,
        { type: "merge", body },
        subresource === undefined ? {} : { subresource },
      );
    switch (write.kind) {
      case "create":
        await this.#client.create(
          placementDecisionResource,
          this.#decision(write.name, write.group),
        );
        return;
      case "list":
        await merge({ status: { decisions: listed(write.clusters) } }, "status");
        return;
      case "relabel":
        await merge({ metadata: { labels: this.#labels(write.group) } });
        return;
      case "adopt":
        await merge({ metadata: { ownerReferences: this.#owners() } });
        return;
      case "delete":
        await this.#client.delete(placementDecisionResource, key);
    }
  }

  /** As the server holds them, in the planner's words. */
  async observed(): Promise<ObservedDecision[]> {
    const { namespace, name } = this.#key;
    const labelSelector = decisionSelector(name);
    const { items } = await this.#client.list<PlacementDecision>(placementDecisionResource, {
      namespace,
      labelSelector,
    });
    return items.map((decision) => ({
      name: decision.metadata.name ?? "",
      group: {
        index: Number(decision.metadata.labels?.[ocmLabels.groupIndex]),
        name: decision.metadata.labels?.[ocmLabels.groupName] ?? "",
      },
      clusters: clustersOf(decision),
      isOwned: true,
    }));
  }

  #decision(name: string, group: { index: number; name: string }): KubeObject {
    return {
      apiVersion: "cluster.open-cluster-management.io/v1beta1",
      kind: "PlacementDecision",
      metadata: {
        name,
        namespace: this.#key.namespace,
        labels: this.#labels(group),
        ...(this.#uid === undefined ? {} : { ownerReferences: this.#owners() }),
      },
    };
  }

  #labels({ index, name }: { index: number; name: string }): Record<string, string> {
    return {
      [ocmLabels.placement]: this.#key.name,
      [ocmLabels.groupIndex]: String(index),
      [ocmLabels.groupName]: name,
    };
  }

  #owners() {
    const { name } = this.#key;
    const apiVersion = "cluster.open-cluster-management.io/v1beta1";
    const owner = { apiVersion, kind: "Placement", name, uid: this.#uid ?? "" };
    return [{ ...owner, controller: true, blockOwnerDeletion: true }];
  }
}

const listed = (clusters: readonly string[]) =>
  clusters.map((clusterName) => ({ clusterName, reason: "" }));
