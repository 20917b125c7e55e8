/** One object of every built-in kind, as small as a server takes it. */
import type { Json } from "./json.ts";
import { container, pod, podSpec, service, template, workload } from "./objects.ts";

const rbac = "rbac.authorization.k8s.io";
const named = { name: "a" };
const clusterNamed = { name: "$ns" };
const gpu = { name: "gpu", exactly: { deviceClassName: "gpu.example.com" } };

export interface Sample {
  readonly resource: string;
  readonly object: Json;
}

const busyPod = podSpec({
  containers: [
    {
      ...container("main", "nginx:1.27"),
      ports: [{ containerPort: 80 }],
      env: [{ name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
      readinessProbe: { httpGet: { port: 80 } },
      livenessProbe: { exec: { command: ["true"] } },
      resources: { limits: { cpu: "1500m", memory: "1Gi", "nvidia.com/gpu": "1" } },
    },
  ],
  initContainers: [container("init", "busybox")],
  volumes: [
    { name: "a", configMap: { name: "a" } },
    { name: "b", emptyDir: {} },
    { name: "c", secret: { secretName: "c" } },
    { name: "d", hostPath: { path: "/d" } },
  ],
});

export const workloadSamples: Readonly<Record<string, Sample>> = {
  "the smallest pod": { resource: "pods", object: pod("a") },
  "a busy pod": { resource: "pods", object: { metadata: named, spec: busyPod } },
  "a pod with equal requests and limits": {
    resource: "pods",
    object: pod("a", {
      containers: [
        {
          ...container("main", "nginx@sha256:abc"),
          resources: {
            limits: { cpu: "1", memory: "1Gi" },
            requests: { cpu: "1000m", memory: "1024Mi" },
          },
        },
      ],
    }),
  },
  "a stateful set": { resource: "statefulsets", object: workload("a") },
  "a stateful set with claims": {
    resource: "statefulsets",
    object: workload("a", {
      serviceName: "web",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%" } },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    }),
  },
  "a deployment": { resource: "deployments", object: workload("a") },
  "a replica set": { resource: "replicasets", object: workload("a", { template: template() }) },
  "a controller revision": {
    resource: "controllerrevisions",
    object: { metadata: named, revision: 1, data: { spec: { a: 1 } } },
  },
};

export const otherSamples: Readonly<Record<string, Sample>> = {
  "a namespace": { resource: "namespaces", object: { metadata: { name: "$ns-second" } } },
  "a node": { resource: "nodes", object: { metadata: clusterNamed } },
  "a service": { resource: "services", object: service("a", { selector: { app: "web" } }) },
  "a headless service": { resource: "services", object: service("a", { clusterIP: "None" }) },
  "an external service": {
    resource: "services",
    object: { metadata: named, spec: { type: "ExternalName", externalName: "example.com" } },
  },
  "a config map": { resource: "configmaps", object: { metadata: named } },
  "a secret": { resource: "secrets", object: { metadata: named, data: { k: "dg==" } } },
  "a service account": { resource: "serviceaccounts", object: { metadata: named } },
  "a claim": {
    resource: "persistentvolumeclaims",
    object: {
      metadata: named,
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  },
  "an event": {
    resource: "events",
    object: {
      metadata: named,
      involvedObject: { kind: "Pod", name: "p", namespace: "$ns" },
      reason: "Started",
      message: "it started",
      type: "Normal",
    },
  },
  "a disruption budget": {
    resource: "poddisruptionbudgets",
    object: { metadata: named, spec: { selector: { matchLabels: { app: "web" } } } },
  },
  "an autoscaler": {
    resource: "horizontalpodautoscalers",
    object: {
      metadata: named,
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      },
    },
  },
  "a lease": { resource: "leases", object: { metadata: named, spec: { holderIdentity: "me" } } },
  "a role": {
    resource: "roles",
    object: { metadata: named, rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
  },
  "a role binding": {
    resource: "rolebindings",
    object: {
      metadata: named,
      roleRef: { apiGroup: rbac, kind: "Role", name: "a" },
      subjects: [{ kind: "ServiceAccount", name: "default", namespace: "$ns" }],
    },
  },
  "a cluster role": { resource: "clusterroles", object: { metadata: clusterNamed } },
  "a cluster role binding": {
    resource: "clusterrolebindings",
    object: {
      metadata: clusterNamed,
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "view" },
      subjects: [{ kind: "User", name: "me" }],
    },
  },
  "a priority class": {
    resource: "priorityclasses",
    object: { metadata: clusterNamed, value: 7 },
  },
  "a claim for devices": {
    resource: "resourceclaims",
    object: { metadata: named, spec: { devices: { requests: [gpu] } } },
  },
  "a template of claims": {
    resource: "resourceclaimtemplates",
    object: { metadata: named, spec: { spec: { devices: { requests: [gpu] } } } },
  },
};
