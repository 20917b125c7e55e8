/** Placement selects ManagedClusters; PlacementDecisions list what it selected. */
import type { z } from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import type {
  placementDecisionStatus,
  placementSpec,
  placementStatus,
} from "./schema/placement.ts";

export const placementResource: Resource = {
  group: "cluster.open-cluster-management.io",
  version: "v1beta1",
  plural: "placements",
  kind: "Placement",
  namespaced: true,
};

export const placementDecisionResource: Resource = {
  group: "cluster.open-cluster-management.io",
  version: "v1beta1",
  plural: "placementdecisions",
  kind: "PlacementDecision",
  namespaced: true,
};

export type PlacementSpec = DeepReadonly<z.input<typeof placementSpec>>;
export type PlacementStatus = DeepReadonly<z.input<typeof placementStatus>>;
export type PlacementDecisionStatus = DeepReadonly<z.input<typeof placementDecisionStatus>>;
export type ClusterPredicate = NonNullable<PlacementSpec["predicates"]>[number];
export type PlacementToleration = NonNullable<PlacementSpec["tolerations"]>[number];
export type PrioritizerConfiguration = NonNullable<
  NonNullable<PlacementSpec["prioritizerPolicy"]>["configurations"]
>[number];
export type GroupStrategy = NonNullable<
  NonNullable<PlacementSpec["decisionStrategy"]>["groupStrategy"]
>;

export interface Placement extends KubeObject {
  readonly spec: PlacementSpec;
  readonly status?: PlacementStatus;
}

export interface PlacementDecision extends KubeObject {
  readonly status?: PlacementDecisionStatus;
}
