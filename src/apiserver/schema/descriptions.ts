/** Short descriptions for `kubectl explain`, in our own words; fields without one show their type only. */
import { metricFields } from "./descriptions/metric-fields.ts";
import { podFields } from "./descriptions/pod-fields.ts";
import { volumeFields } from "./descriptions/volume-fields.ts";
import { shortTypeName } from "./type-table.ts";

/** Fields that mean the same in every type. */
const anywhere: Readonly<Record<string, string>> = {
  apiVersion: "The group and version this object is written in.",
  kind: "The kind of this object.",
  metadata: "Name, labels and what else every object carries.",
  spec: "What is wanted.",
  status: "What was last observed. Written by the controllers, read by everyone.",
  replicas: "How many pods there should be, or are.",
  selector: "Which pods belong to it, by their labels.",
  template: "The template of its pods.",
  conditions: "What is true of it at the moment, with reasons.",
  observedGeneration: "The generation of the spec that this status belongs to.",
};

const byType: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...podFields,
  ...volumeFields,
  ...metricFields,
  ObjectMeta: {
    name: "Unique among objects of the kind in a namespace; cannot be changed.",
    generateName: "A prefix; the server adds a random ending when no name is given.",
    namespace: "The namespace the object lives in; cannot be changed.",
    labels: "Short keys and values that selectors find the object by.",
    annotations: "Keys and values for tools; selectors ignore them.",
    uid: "Set by the server; differs between objects that had the same name.",
    resourceVersion: "Changes with every write; send it back to detect writes in between.",
    generation: "Counts the changes of what is wanted.",
    creationTimestamp: "When the object was created.",
    deletionTimestamp: "When deletion was asked for, plus the grace period.",
    finalizers: "Names that must be removed before the object is deleted.",
    ownerReferences: "Objects it belongs to; it is deleted when all of them are gone.",
  },
  StatefulSetSpec: {
    serviceName: "The headless service that names the pods.",
    podManagementPolicy: "OrderedReady: one pod after the other. Parallel: all at once.",
    updateStrategy: "How pods of an older template are replaced.",
    volumeClaimTemplates: "Claims that every pod gets of its own.",
    revisionHistoryLimit: "How many old revisions are kept.",
    minReadySeconds: "How long a pod must be ready before it counts as available.",
    persistentVolumeClaimRetentionPolicy: "What happens to claims whose pod is no longer wanted.",
    ordinals: "Where the numbering of the pods starts.",
  },
  RollingUpdateStatefulSetStrategy: {
    partition: "Pods with a lower ordinal keep their revision.",
    maxUnavailable: "How many pods may be down during the update: a number or a percentage.",
  },
  DeploymentSpec: {
    strategy: "How pods of an older template are replaced.",
    minReadySeconds: "How long a pod must be ready before it counts as available.",
    progressDeadlineSeconds: "After how long without progress the rollout is reported as stuck.",
    paused: "Changes of the template wait while this is set.",
    revisionHistoryLimit: "How many old ReplicaSets are kept.",
  },
  ServiceSpec: {
    type: "How the service is reached: inside the cluster, on nodes, or from outside.",
    ports: "Ports of the service and where they lead.",
    clusterIP: "Address inside the cluster; None for a headless service.",
  },
  PodDisruptionBudgetSpec: {
    minAvailable: "How many pods must stay available: a number or a percentage.",
    maxUnavailable: "How many pods may be down: a number or a percentage.",
  },
  LeaseSpec: {
    holderIdentity: "Who holds the lease.",
    leaseDurationSeconds: "How long a holder who does not renew keeps it.",
    renewTime: "When it was last renewed.",
    acquireTime: "When the holder got it.",
    leaseTransitions: "How often it went to another holder.",
  },
  ConfigMap: {
    data: "Entries as text.",
    binaryData: "Entries as bytes, in base64.",
    immutable: "Once set, the entries cannot be changed.",
  },
  Secret: {
    data: "Entries as bytes, in base64.",
    stringData: "Entries as text; written into data, never shown.",
    type: "What the secret is for.",
    immutable: "Once set, the entries cannot be changed.",
  },
};

const types: Readonly<Record<string, string>> = {
  Pod: "Containers that run together on one node.",
  Node: "A machine that runs pods.",
  Namespace: "A scope for names; deleting it deletes what is in it.",
  Service: "A stable address for a changing set of pods.",
  ConfigMap: "Settings for pods to read.",
  Secret: "Settings for pods to read that not everyone should see.",
  StatefulSet: "Pods with stable names and storage, numbered from 0.",
  Deployment: "Interchangeable pods, replaced step by step when their template changes.",
  ReplicaSet: "A number of interchangeable pods.",
  ControllerRevision: "A template as it once was.",
  PodDisruptionBudget: "How many pods of a set may be evicted at a time.",
  Lease: "Who is in charge, for how long.",
  Event: "Something that happened to an object.",
  PriorityClass: "A name for how important pods are.",
  ResourceClaim: "Devices that pods share.",
  ResourceClaimTemplate: "The template of the claim of each pod.",
  ServiceAccount: "The identity of a pod when it uses the API.",
  HorizontalPodAutoscaler: "Scales a workload by what is measured.",
  CustomResourceDefinition: "The definition of a custom kind.",
};

export function typeDescription(typeName: string): string {
  const name = shortTypeName(typeName);
  return types[name] ?? `${name} of the Kubernetes API.`;
}

export function fieldDescription(typeName: string, field: string): string | undefined {
  const own = byType[shortTypeName(typeName)];
  if (own !== undefined && Object.hasOwn(own, field)) return own[field];
  return Object.hasOwn(anywhere, field) ? anywhere[field] : undefined;
}
