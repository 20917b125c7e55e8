/** Labels, annotations, finalizers, gates and variables that the objects of a PodCliqueSet carry. */

export const labelKeys = {
  managedBy: "app.kubernetes.io/managed-by",
  partOf: "app.kubernetes.io/part-of",
  component: "app.kubernetes.io/component",
  name: "app.kubernetes.io/name",
  setReplicaIndex: "grove.io/podcliqueset-replica-index",
  scalingGroup: "grove.io/podcliquescalinggroup",
  scalingGroupReplicaIndex: "grove.io/podcliquescalinggroup-replica-index",
  podGang: "grove.io/podgang",
  /** Only on what belongs to a scaled gang: the base gang it waits for. */
  basePodGang: "grove.io/base-podgang",
  podClique: "grove.io/podclique",
  podIndex: "grove.io/podclique-pod-index",
  podTemplateHash: "grove.io/pod-template-hash",
  schedulerName: "grove.io/scheduler-name",
} as const;

export const managedBy = "grove-operator";

/** Values of `app.kubernetes.io/component`. */
export const componentLabels = {
  standalonePodClique: "pcs-podclique",
  memberPodClique: "pcsg-podclique",
  scalingGroup: "pcs-podcliquescalinggroup",
  podGang: "podgang",
  headlessService: "pcs-headless-service",
  autoscaler: "pcs-hpa",
  role: "pod-role",
  roleBinding: "pod-role-binding",
  serviceAccount: "pod-service-account",
  tokenSecret: "pod-sa-token-secret",
  resourceClaim: "resource-claim",
} as const;

/** Every managed object carries these; the parent set is always found by `part-of`. */
export function managedLabels(set: string): Record<string, string> {
  return { [labelKeys.managedBy]: managedBy, [labelKeys.partOf]: set };
}

/** A label selector as text, in the form of `status.hpaPodSelector`. */
export function selectorText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

/** Labels with this prefix are ours: they are not mirrored from a set to its PodGangs. */
export const ownPrefix = "grove.io/";

export const annotationKeys = {
  /** Any change of it on a PodCliqueSet requests a reconcile without a change of the spec. */
  reconcileTrigger: "grove.io/reconcile-trigger",
  topologyName: "grove.io/topology-name",
  multiNodeNvlinkGroup: "grove.io/mnnvl-group",
  disableProtection: "grove.io/disable-managed-resource-protection",
  /** `Ignore` on a PodCliqueSet: its gangs are not held back, whether they fit or not. */
  gangFit: "lockstep.dev/gang-fit",
} as const;

export const finalizers = {
  podCliqueSet: "grove.io/podcliqueset.grove.io",
  scalingGroup: "grove.io/podcliquescalinggroup.grove.io",
  podClique: "grove.io/podclique.grove.io",
} as const;

/** Holds a pod back from the scheduler until its PodGang lists it. */
export const podGangGate = "grove.io/podgang-pending-creation";

export const variables = {
  podCliqueSetName: "GROVE_PCS_NAME",
  podCliqueSetIndex: "GROVE_PCS_INDEX",
  podCliqueName: "GROVE_PCLQ_NAME",
  headlessService: "GROVE_HEADLESS_SERVICE",
  podIndex: "GROVE_PCLQ_POD_INDEX",
  scalingGroupName: "GROVE_PCSG_NAME",
  scalingGroupIndex: "GROVE_PCSG_INDEX",
  scalingGroupTemplatePods: "GROVE_PCSG_TEMPLATE_NUM_PODS",
} as const;
