/** Labels and annotations of Open Cluster Management that Lockstep reads or writes. */

const group = "cluster.open-cluster-management.io";

export const ocmLabels = {
  /** On a PlacementDecision: the Placement it belongs to. */
  placement: `${group}/placement`,
  /** On a PlacementDecision: the number of its decision group, from 0. */
  groupIndex: `${group}/decision-group-index`,
  /** On a PlacementDecision: the name of its decision group, often empty. */
  groupName: `${group}/decision-group-name`,
  /** On a ManagedCluster: the ManagedClusterSet it joined. */
  clusterSet: `${group}/clusterset`,
} as const;

export const ocmAnnotations = {
  /** On a Placement: "true" leaves its decisions to somebody else. */
  schedulingDisabled: `${group}/experimental-scheduling-disable`,
} as const;

/** Annotations of a ManagedCluster that start so are copied to its add-ons. */
export const addOnAnnotationPrefix = "addon.open-cluster-management.io";
