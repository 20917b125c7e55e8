/** What may not change once it exists, kind by kind, with the server's words. */
import { container, pod, template, workload } from "../objects.ts";
import type { Refusals } from "../refusals.ts";
import { refusalTests } from "../refusals.ts";
import type { Cluster } from "../scene.ts";
import { labelValueRule } from "../wording.ts";

const claim = (storage: string): unknown => ({
  metadata: { name: "a" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
});
const binding = (name: string): unknown => ({
  metadata: { name: "a" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
});
const deviceClaim = (deviceClassName: string): unknown => ({
  metadata: { name: "a" },
  spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName } }] } },
});
const gated = (changes: Record<string, unknown>): unknown =>
  pod("a", { schedulingGates: [{ name: "a.b/c" }], ...changes });

const refusals: Refusals = {
  "a set's service name": {
    given: [["statefulsets", workload("a")]],
    ask: "PUT statefulsets/a",
    body: workload("a", { serviceName: "other" }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: spec: Forbidden: updates to statefulset ' +
      "spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
      "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' " +
      "are forbidden",
  },
  "a set's pod management": {
    given: [["statefulsets", workload("a")]],
    ask: "PUT statefulsets/a",
    body: workload("a", { podManagementPolicy: "Parallel" }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: spec: Forbidden: updates to statefulset ' +
      "spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
      "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' " +
      "are forbidden",
  },
  "a deployment's selector": {
    given: [["deployments", workload("a")]],
    ask: "PUT deployments/a",
    body: workload("a", {
      selector: { matchLabels: { app: "b" } },
      template: template({ app: "b" }),
    }),
    want:
      '422 Invalid: Deployment.apps "a" is invalid: spec.selector: Invalid value: ' +
      '{"matchLabels":{"app":"b"}}: field is immutable',
  },
  "a replica set's selector": {
    given: [["replicasets", workload("a")]],
    ask: "PUT replicasets/a",
    body: workload("a", {
      selector: { matchLabels: { app: "b" } },
      template: template({ app: "b" }),
    }),
    want:
      '422 Invalid: ReplicaSet.apps "a" is invalid: spec.selector: Invalid value: ' +
      '{"matchLabels":{"app":"b"}}: field is immutable',
  },
  "a controller revision's data": {
    given: [["controllerrevisions", { metadata: { name: "a" }, revision: 1, data: { a: 1 } }]],
    ask: "PUT controllerrevisions/a",
    body: { metadata: { name: "a" }, revision: 1, data: { a: 2 } },
    want:
      '422 Invalid: ControllerRevision.apps "a" is invalid: data: Invalid value: {"a":2}: ' +
      "field is immutable",
  },
  "an immutable config map's data": {
    given: [["configmaps", { metadata: { name: "a" }, immutable: true, data: { a: "1" } }]],
    ask: "PUT configmaps/a",
    body: { metadata: { name: "a" }, immutable: true, data: { a: "2" } },
    want:
      '422 Invalid: ConfigMap "a" is invalid: data: Forbidden: field is immutable when ' +
      "`immutable` is set",
  },
  "that a config map is immutable": {
    given: [["configmaps", { metadata: { name: "a" }, immutable: true }]],
    ask: "PUT configmaps/a",
    body: { metadata: { name: "a" }, immutable: false },
    want:
      '422 Invalid: ConfigMap "a" is invalid: immutable: Forbidden: field is immutable when ' +
      "`immutable` is set",
  },
  "a secret's type": {
    given: [["secrets", { metadata: { name: "a" }, type: "Opaque" }]],
    ask: "PUT secrets/a",
    body: { metadata: { name: "a" }, type: "mine" },
    want: '422 Invalid: Secret "a" is invalid: type: Invalid value: "mine": field is immutable',
  },
  "an immutable secret's data": {
    given: [["secrets", { metadata: { name: "a" }, immutable: true }]],
    ask: "PUT secrets/a",
    body: { metadata: { name: "a" }, immutable: true, stringData: { a: "b" } },
    want:
      '422 Invalid: Secret "a" is invalid: data: Forbidden: field is immutable when ' +
      "`immutable` is set",
  },
  "a claim's access modes": {
    given: [["persistentvolumeclaims", claim("1Gi")]],
    ask: "PUT persistentvolumeclaims/a",
    body: {
      metadata: { name: "a" },
      spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } },
    },
    want:
      '422 Invalid: PersistentVolumeClaim "a" is invalid: spec: Forbidden: spec is immutable ' +
      "after creation except resources.requests and volumeAttributesClassName for bound claims",
  },
  "a role binding's role": {
    given: [["rolebindings", binding("view")]],
    ask: "PUT rolebindings/a",
    body: binding("edit"),
    want:
      '422 Invalid: RoleBinding.rbac.authorization.k8s.io "a" is invalid: roleRef: Invalid ' +
      'value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"edit"}: ' +
      "cannot change roleRef",
  },
  "a priority class's value": {
    given: [["priorityclasses", { metadata: { name: "$ns" }, value: 1 }]],
    ask: "PUT priorityclasses/$ns",
    body: { metadata: { name: "$ns" }, value: 2 },
    want:
      '422 Invalid: PriorityClass.scheduling.k8s.io "$ns" is invalid: value: Forbidden: may ' +
      "not be changed in an update.",
  },
  "what a claim for devices asks for": {
    given: [["resourceclaims", deviceClaim("a.example.com")]],
    ask: "PUT resourceclaims/a",
    body: deviceClaim("b.example.com"),
    want:
      '422 Invalid: ResourceClaim.resource.k8s.io "a" is invalid: spec: Invalid value: ' +
      '{"Devices":{"Requests":[{"Name":"gpu","Exactly":{"DeviceClassName":"b.example.com",' +
      '"Selectors":null,"AllocationMode":"ExactCount","Count":1,"AdminAccess":null,' +
      '"Tolerations":null,"Capacity":null},"FirstAvailable":null}],"Constraints":null,' +
      '"Config":null}}: field is immutable',
  },
  "the containers' number of a pod": {
    given: [["pods", pod("a")]],
    ask: "PUT pods/a",
    body: pod("a", { containers: [container(), container("second")] }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.containers: Forbidden: pod updates may not add or ' +
      "remove containers",
  },
  "a scheduling gate may not be added": {
    given: [["pods", gated({})]],
    ask: "PUT pods/a",
    body: gated({ schedulingGates: [{ name: "a.b/c" }, { name: "a.b/d" }] }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.schedulingGates[1].name: Forbidden: only deletion ' +
      "is allowed, but found new scheduling gate 'a.b/d'",
  },
  "a label value that becomes wrong": {
    given: [["configmaps", { metadata: { name: "a" } }]],
    ask: "PUT configmaps/a",
    body: { metadata: { name: "a", labels: { app: "a b" } } },
    want:
      '422 Invalid: ConfigMap "a" is invalid: metadata.labels: Invalid value: "a b": ' +
      labelValueRule,
  },
};

export const immutability = (cluster: () => Cluster): void => refusalTests(cluster, refusals);
