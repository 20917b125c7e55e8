/** Add-ons of a fleet: what is installed where (ClusterManagementAddOn), and one object per cluster that has it. */
import type { z } from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import type {
  clusterManagementAddOnSpec,
  clusterManagementAddOnStatus,
  managedClusterAddOnSpec,
  managedClusterAddOnStatus,
  rolloutStrategy,
} from "./schema/addon.ts";

const group = "addon.open-cluster-management.io";
const version = "v1alpha1";

export const clusterManagementAddOnResource: Resource = {
  group,
  version,
  plural: "clustermanagementaddons",
  kind: "ClusterManagementAddOn",
  namespaced: false,
};

/** In the namespace of the cluster that has it, under the name of the ClusterManagementAddOn. */
export const managedClusterAddOnResource: Resource = {
  group,
  version,
  plural: "managedclusteraddons",
  kind: "ManagedClusterAddOn",
  namespaced: true,
};

export type ClusterManagementAddOnSpec = DeepReadonly<z.input<typeof clusterManagementAddOnSpec>>;
export type ClusterManagementAddOnStatus = DeepReadonly<
  z.input<typeof clusterManagementAddOnStatus>
>;
export type InstallStrategy = NonNullable<ClusterManagementAddOnSpec["installStrategy"]>;
export type InstallPlacement = NonNullable<InstallStrategy["placements"]>[number];
export type RolloutStrategy = DeepReadonly<z.input<typeof rolloutStrategy>>;
export type ManagedClusterAddOnSpec = DeepReadonly<z.input<typeof managedClusterAddOnSpec>>;
export type ManagedClusterAddOnStatus = DeepReadonly<z.input<typeof managedClusterAddOnStatus>>;

export interface ClusterManagementAddOn extends KubeObject {
  readonly spec?: ClusterManagementAddOnSpec;
  readonly status?: ClusterManagementAddOnStatus;
}

export interface ManagedClusterAddOn extends KubeObject {
  readonly spec: ManagedClusterAddOnSpec;
  readonly status?: ManagedClusterAddOnStatus;
}
