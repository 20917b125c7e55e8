/** ClusterTopologyBinding: names for the levels of a cluster's topology, broadest first. */
import type { z } from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import type { clusterTopologySpec, clusterTopologyStatus } from "./schema/cluster-topology.ts";

export const clusterTopologyBindingResource: Resource = {
  group: "grove.io",
  version: "v1alpha1",
  plural: "clustertopologybindings",
  kind: "ClusterTopologyBinding",
  namespaced: false,
};

export type ClusterTopologySpec = DeepReadonly<z.input<typeof clusterTopologySpec>>;
export type ClusterTopologyStatus = DeepReadonly<z.input<typeof clusterTopologyStatus>>;

export interface ClusterTopologyBinding extends KubeObject {
  readonly spec: ClusterTopologySpec;
  readonly status?: ClusterTopologyStatus;
}
