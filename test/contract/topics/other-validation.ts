/** What a server refuses of the other built-in kinds, with its words. */
import { service } from "../objects.ts";
import type { Refusals } from "../refusals.ts";
import { refusalTests } from "../refusals.ts";
import type { Cluster } from "../scene.ts";

const gpuRequest = { name: "gpu", exactly: { deviceClassName: "gpu.example.com" } };

const otherRefusals: Refusals = {
  "a service without ports": {
    ask: "POST services",
    body: service("a", { ports: [] }),
    want: '422 Invalid: Service "a" is invalid: spec.ports: Required value',
  },
  "a service port out of range": {
    ask: "POST services",
    body: service("a", { ports: [{ port: 0 }] }),
    want:
      '422 Invalid: Service "a" is invalid: [spec.ports[0].port: Invalid value: 0: must be ' +
      "between 1 and 65535, inclusive, spec.ports[0].targetPort: Invalid value: 0: must be " +
      "between 1 and 65535, inclusive]",
  },
  "two service ports without names": {
    ask: "POST services",
    body: service("a", { ports: [{ port: 80 }, { port: 81 }] }),
    want:
      '422 Invalid: Service "a" is invalid: [spec.ports[0].name: Required value, ' +
      "spec.ports[1].name: Required value]",
  },
  "a service of an unknown type": {
    ask: "POST services",
    body: service("a", { type: "Public" }),
    want:
      '422 Invalid: Service "a" is invalid: spec.type: Unsupported value: "Public": supported ' +
      'values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
  },
  "a service with an address that is none": {
    ask: "POST services",
    body: service("a", { clusterIP: "10.0.0" }),
    want:
      '422 Invalid: Service "a" is invalid: spec.clusterIPs[0]: Invalid value: "10.0.0": must ' +
      "be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
  },
  "a config map key with a slash": {
    ask: "POST configmaps",
    body: { metadata: { name: "a" }, data: { "a/b": "x" } },
    want:
      '422 Invalid: ConfigMap "a" is invalid: data[a/b]: Invalid value: "a/b": a valid config ' +
      "key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or " +
      "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
  },
  "a config map key in data and binaryData": {
    ask: "POST configmaps",
    body: { metadata: { name: "a" }, data: { a: "x" }, binaryData: { a: "eA==" } },
    want:
      '422 Invalid: ConfigMap "a" is invalid: data[a]: Invalid value: "a": duplicate of key ' +
      "present in binaryData",
  },
  "a config map value that is a number": {
    ask: "POST configmaps",
    body: { metadata: { name: "a" }, data: { a: 1 } },
    want:
      '400 BadRequest: ConfigMap in version "v1" cannot be handled as a ConfigMap: json: ' +
      "cannot unmarshal number into Go struct field ConfigMap.data of type string",
  },
  "a secret whose data is not base64": {
    ask: "POST secrets",
    body: { metadata: { name: "a" }, data: { a: "***" } },
    want:
      '400 BadRequest: Secret in version "v1" cannot be handled as a Secret: illegal base64 ' +
      "data at input byte 0",
  },
  "a docker secret without its key": {
    ask: "POST secrets",
    body: { metadata: { name: "a" }, type: "kubernetes.io/dockerconfigjson", data: {} },
    want: '422 Invalid: Secret "a" is invalid: data[.dockerconfigjson]: Required value',
  },
  "a claim without access modes": {
    ask: "POST persistentvolumeclaims",
    body: { metadata: { name: "a" }, spec: { resources: { requests: { storage: "1Gi" } } } },
    want:
      '422 Invalid: PersistentVolumeClaim "a" is invalid: spec.accessModes: Required value: at ' +
      "least 1 access mode is required",
  },
  "a claim without a size": {
    ask: "POST persistentvolumeclaims",
    body: { metadata: { name: "a" }, spec: { accessModes: ["ReadWriteOnce"] } },
    want:
      '422 Invalid: PersistentVolumeClaim "a" is invalid: spec.resources[storage]: Required ' +
      "value",
  },
  "a claim of an unknown access mode": {
    ask: "POST persistentvolumeclaims",
    body: {
      metadata: { name: "a" },
      spec: { accessModes: ["WriteOften"], resources: { requests: { storage: "1Gi" } } },
    },
    want:
      '422 Invalid: PersistentVolumeClaim "a" is invalid: spec.accessModes: Unsupported value: ' +
      '"WriteOften": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", ' +
      '"ReadWriteOncePod"',
  },
  "a disruption budget with both bounds": {
    ask: "POST poddisruptionbudgets",
    body: { metadata: { name: "a" }, spec: { minAvailable: 1, maxUnavailable: 1 } },
    want:
      '422 Invalid: PodDisruptionBudget.policy "a" is invalid: spec: Invalid value: ' +
      '{"MinAvailable":1,"Selector":null,"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}:' +
      " minAvailable and maxUnavailable cannot be both set",
  },
  "a disruption budget with a negative bound": {
    ask: "POST poddisruptionbudgets",
    body: { metadata: { name: "a" }, spec: { minAvailable: -1 } },
    want:
      '422 Invalid: PodDisruptionBudget.policy "a" is invalid: spec.minAvailable: Invalid ' +
      "value: -1: must be greater than or equal to 0",
  },
  "an autoscaler whose bounds are upside down": {
    ask: "POST horizontalpodautoscalers",
    body: {
      metadata: { name: "a" },
      spec: {
        minReplicas: 5,
        maxReplicas: 2,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      },
    },
    want:
      '422 Invalid: HorizontalPodAutoscaler.autoscaling "a" is invalid: spec.maxReplicas: ' +
      "Invalid value: 2: must be greater than or equal to `minReplicas`",
  },
  "an autoscaler without a target": {
    ask: "POST horizontalpodautoscalers",
    body: { metadata: { name: "a" }, spec: { maxReplicas: 2, scaleTargetRef: {} } },
    want:
      '422 Invalid: HorizontalPodAutoscaler.autoscaling "a" is invalid: ' +
      "[spec.scaleTargetRef.kind: Required value, spec.scaleTargetRef.name: Required value, " +
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group]',
  },
  "a lease of no length": {
    ask: "POST leases",
    body: { metadata: { name: "a" }, spec: { leaseDurationSeconds: 0 } },
    want:
      '422 Invalid: Lease.coordination.k8s.io "a" is invalid: spec.leaseDurationSeconds: ' +
      "Invalid value: 0: must be greater than 0",
  },
  "a lease with negative transitions": {
    ask: "POST leases",
    body: { metadata: { name: "a" }, spec: { leaseTransitions: -1 } },
    want:
      '422 Invalid: Lease.coordination.k8s.io "a" is invalid: spec.leaseTransitions: Invalid ' +
      "value: -1: must be greater than or equal to 0",
  },
  "a lease time with milliseconds": {
    ask: "POST leases",
    body: { metadata: { name: "a" }, spec: { renewTime: "2026-01-01T00:00:00.000Z" } },
    want:
      '400 BadRequest: Lease in version "v1" cannot be handled as a Lease: parsing time ' +
      '"2026-01-01T00:00:00.000Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".000Z" ' +
      'as ".000000"',
  },
  "a role whose rule has no verbs": {
    ask: "POST roles",
    body: { metadata: { name: "a" }, rules: [{ apiGroups: [""], resources: ["pods"] }] },
    want:
      '422 Invalid: Role.rbac.authorization.k8s.io "a" is invalid: rules[0].verbs: Required ' +
      "value: verbs must contain at least one value",
  },
  "a role binding to an unknown kind": {
    ask: "POST rolebindings",
    body: {
      metadata: { name: "a" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Rule", name: "a" },
    },
    want:
      '422 Invalid: RoleBinding.rbac.authorization.k8s.io "a" is invalid: roleRef.kind: ' +
      'Unsupported value: "Rule": supported values: "Role", "ClusterRole"',
  },
  "a role binding of a subject without a name": {
    ask: "POST rolebindings",
    body: {
      metadata: { name: "a" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "" }],
    },
    want:
      '422 Invalid: RoleBinding.rbac.authorization.k8s.io "a" is invalid: subjects[0].name: ' +
      "Required value",
  },
  "a priority class above the users' range": {
    ask: "POST priorityclasses",
    body: { metadata: { name: "$ns" }, value: 1_000_000_001 },
    want:
      '422 Invalid: PriorityClass.scheduling.k8s.io "$ns" is invalid: value: Forbidden: ' +
      "maximum allowed value of a user defined priority is 1000000000",
  },
  "a priority class with a reserved name": {
    ask: "POST priorityclasses",
    body: { metadata: { name: "system-$ns" }, value: 1 },
    want:
      '422 Invalid: PriorityClass.scheduling.k8s.io "system-$ns" is invalid: metadata.name: ' +
      "Forbidden: priority class names with 'system-' prefix are reserved for system use only. " +
      "error: system-$ns is not a known system priority class",
  },
  "a request for devices without a class": {
    ask: "POST resourceclaims",
    body: {
      metadata: { name: "a" },
      spec: { devices: { requests: [{ name: "gpu", exactly: {} }] } },
    },
    want:
      '422 Invalid: ResourceClaim.resource.k8s.io "a" is invalid: ' +
      "spec.devices.requests[0].exactly.deviceClassName: Required value",
  },
  "two requests for devices of one name": {
    ask: "POST resourceclaims",
    body: {
      metadata: { name: "a" },
      spec: { devices: { requests: [gpuRequest, gpuRequest] } },
    },
    want:
      '422 Invalid: ResourceClaim.resource.k8s.io "a" is invalid: ' +
      'spec.devices.requests[1]: Duplicate value: "gpu"',
  },
  "an event of another namespace's object": {
    ask: "POST events",
    body: {
      metadata: { name: "a" },
      involvedObject: { kind: "Pod", name: "p", namespace: "other" },
    },
    want:
      '422 Invalid: Event "a" is invalid: involvedObject.namespace: Invalid value: "other": ' +
      "does not match event.namespace",
  },
  "a node taint with an unknown effect": {
    ask: "POST nodes",
    body: { metadata: { name: "$ns" }, spec: { taints: [{ key: "a", effect: "Never" }] } },
    want:
      '422 Invalid: Node "$ns" is invalid: metadata.taints[0].effect: Unsupported value: ' +
      '"Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
  },
};

export const otherValidation = (cluster: () => Cluster): void =>
  refusalTests(cluster, otherRefusals);
