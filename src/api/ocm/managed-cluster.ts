/** Clusters of a fleet, the sets they join, the namespaces those are bound to, and their scores. */
import type { z } from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import type {
  clusterSetBindingSpec,
  clusterSetBindingStatus,
  clusterSetSpec,
  clusterSetStatus,
  managedClusterSpec,
  managedClusterStatus,
  placementScoreStatus,
} from "./schema/managed-cluster.ts";

const group = "cluster.open-cluster-management.io";

export const managedClusterResource: Resource = {
  group,
  version: "v1",
  plural: "managedclusters",
  kind: "ManagedCluster",
  namespaced: false,
};

export const clusterSetResource: Resource = {
  group,
  version: "v1beta2",
  plural: "managedclustersets",
  kind: "ManagedClusterSet",
  namespaced: false,
};

export const clusterSetBindingResource: Resource = {
  group,
  version: "v1beta2",
  plural: "managedclustersetbindings",
  kind: "ManagedClusterSetBinding",
  namespaced: true,
};

/** In the namespace of the cluster that it is about. */
export const placementScoreResource: Resource = {
  group,
  version: "v1alpha1",
  plural: "addonplacementscores",
  kind: "AddOnPlacementScore",
  namespaced: true,
};

export type ManagedClusterSpec = DeepReadonly<z.input<typeof managedClusterSpec>>;
export type ManagedClusterStatus = DeepReadonly<z.input<typeof managedClusterStatus>>;
export type ClusterTaint = NonNullable<ManagedClusterSpec["taints"]>[number];
export type ClusterSetSpec = DeepReadonly<z.input<typeof clusterSetSpec>>;
export type ClusterSetBindingSpec = DeepReadonly<z.input<typeof clusterSetBindingSpec>>;
export type PlacementScoreStatus = DeepReadonly<z.input<typeof placementScoreStatus>>;

export interface ManagedCluster extends KubeObject {
  readonly spec?: ManagedClusterSpec;
  readonly status?: ManagedClusterStatus;
}

export interface ManagedClusterSet extends KubeObject {
  readonly spec?: ClusterSetSpec;
  readonly status?: DeepReadonly<z.input<typeof clusterSetStatus>>;
}

export interface ManagedClusterSetBinding extends KubeObject {
  readonly spec?: ClusterSetBindingSpec;
  readonly status?: DeepReadonly<z.input<typeof clusterSetBindingStatus>>;
}

export interface AddOnPlacementScore extends KubeObject {
  readonly status?: PlacementScoreStatus;
}
