/** Placement selects ManagedClusters; PlacementDecisions list what it selected. */
import type { z } from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import { ocmAnnotations, ocmLabels } from "./labels.ts";
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

/** Whether somebody else writes its decisions. */
export const isSchedulingDisabled = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[ocmAnnotations.schedulingDisabled] === "true";

/** The clusters that a decision lists, in its order. */
export const clustersOf = ({ status }: PlacementDecision): readonly string[] =>
  (status?.decisions ?? []).map(({ clusterName }) => clusterName);

/** The Placement that a decision is labelled with, in its namespace: consumers go by nothing else. */
export const placementNameOf = ({ metadata }: PlacementDecision): string | undefined =>
  metadata.labels?.[ocmLabels.placement];

/** The same as `namespace/name`, for an index: none or one. */
export function placementKeysOf(decision: PlacementDecision): readonly string[] {
  const name = placementNameOf(decision);
  return name === undefined ? [] : [`${decision.metadata.namespace}/${name}`];
}

/** Selects the decisions of a Placement, in its namespace. */
export const decisionSelector = (placement: string): string =>
  `${ocmLabels.placement}=${placement}`;
