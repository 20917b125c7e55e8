/** Short descriptions for `kubectl explain`, in our own words; fields without one show their type only. */
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
  template: "What its pods look like.",
  conditions: "What is true of it at the moment, with reasons.",
  observedGeneration: "The generation of the spec that this status belongs to.",
};

const byType: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ObjectMeta: {
    name: "Unique among objects of the kind in a namespace; cannot be changed.",
    generateName: "A prefix; the server adds a random ending when no name is given.",
    namespace: "The namespace the object lives in; cannot be changed.",
    labels: "Short keys and values that selectors find the object by.",
    annotations: "Keys and values for tools; selectors do not look at them.",
    uid: "Set by the server; tells two objects of the same name apart.",
    resourceVersion: "Changes with every write; send it back to detect writes in between.",
    generation: "Counts the changes of what is wanted.",
    creationTimestamp: "When the object was created.",
    deletionTimestamp: "When deletion was asked for, plus the grace period.",
    finalizers: "Who must agree before the object is gone.",
    ownerReferences: "Objects it belongs to; it is deleted when all of them are gone.",
  },
  PodSpec: {
    containers: "The containers that run side by side; at least one.",
    initContainers: "Containers that run one after the other before the others start.",
    nodeName: "The node the pod runs on; set by the scheduler.",
    nodeSelector: "Labels the node must have.",
    affinity: "Which nodes, and which neighbours, the pod needs, likes or avoids.",
    tolerations: "Taints of nodes the pod puts up with.",
    topologySpreadConstraints: "How evenly pods are spread over zones, racks or nodes.",
    schedulingGates: "While there is one, the pod is not scheduled. They can only be taken away.",
    restartPolicy: "When containers that end are started again.",
    terminationGracePeriodSeconds: "How long containers may take to end before they are killed.",
    volumes: "Storage the containers may mount.",
    serviceAccountName: "The account the pod acts as.",
    priorityClassName: "Which pods go first when room is short.",
    schedulerName: "The scheduler that places the pod.",
    readinessGates: "Conditions beyond the containers' that must hold for the pod to be ready.",
    imagePullSecrets: "Credentials for the registries of the images.",
    hostname: "Name of the pod inside; its own name where absent.",
    subdomain: "The headless service under which the pod has a DNS name.",
  },
  Container: {
    name: "Unique in the pod; cannot be changed.",
    image: "The image to run.",
    imagePullPolicy: "When the image is fetched anew.",
    command: "Replaces the image's entry point.",
    args: "Arguments of the command.",
    env: "Environment variables.",
    ports: "Ports the container listens on.",
    resources: "What the container needs (requests) and may use at most (limits).",
    readinessProbe: "Tells whether the container can serve.",
    livenessProbe: "Tells whether the container must be restarted.",
    startupProbe: "Tells whether the container has started; the other probes wait for it.",
    volumeMounts: "Where volumes appear in the file system.",
    lifecycle: "What to run after the start and before the end.",
  },
  StatefulSetSpec: {
    serviceName: "The headless service that names the pods.",
    podManagementPolicy: "OrderedReady: one pod after the other. Parallel: all at once.",
    updateStrategy: "How pods of an older template are replaced.",
    volumeClaimTemplates: "Claims that every pod gets of its own.",
    revisionHistoryLimit: "How many old revisions are kept.",
    minReadySeconds: "How long a pod must be ready before it counts as available.",
    persistentVolumeClaimRetentionPolicy:
      "What becomes of claims whose pod is not wanted any more.",
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
  Namespace: "A scope for names; what is in it goes with it.",
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
  ResourceClaimTemplate: "What the claim of each pod looks like.",
  ServiceAccount: "Who a pod is when it talks to the API.",
  HorizontalPodAutoscaler: "Scales a workload by what is measured.",
  CustomResourceDefinition: "A kind of one's own.",
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
