/** What a server refuses of a new pod, with its words. */
import { container, pod } from "../objects.ts";
import type { Refusals } from "../refusals.ts";
import { refusalTests } from "../refusals.ts";
import type { Cluster } from "../scene.ts";
import { dnsLabelRule, labelValueRule, qualifiedNameRule } from "../wording.ts";

const ofContainer = (changes: Record<string, unknown>): { ask: string; body: unknown } => ({
  ask: "POST pods",
  body: pod("a", { containers: [{ ...container(), ...changes }] }),
});
const ofPod = (changes: Record<string, unknown>): { ask: string; body: unknown } => ({
  ask: "POST pods",
  body: pod("a", changes),
});
const podRefusals: Refusals = {
  "a pod without containers": {
    ...ofPod({ containers: [] }),
    want: '422 Invalid: Pod "a" is invalid: spec.containers: Required value',
  },
  "a container without a name": {
    ...ofContainer({ name: "" }),
    want: '422 Invalid: Pod "a" is invalid: spec.containers[0].name: Required value',
  },
  "a container name with capitals": {
    ...ofContainer({ name: "Main" }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.containers[0].name: Invalid value: "Main": ' +
      dnsLabelRule,
  },
  "a container without an image": {
    ...ofContainer({ image: "" }),
    want: '422 Invalid: Pod "a" is invalid: spec.containers[0].image: Required value',
  },
  "two containers of one name": {
    ...ofPod({ containers: [container(), container()] }),
    want: '422 Invalid: Pod "a" is invalid: spec.containers[1].name: Duplicate value: "main"',
  },
  "an unknown restart policy": {
    ...ofPod({ restartPolicy: "Sometimes" }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.restartPolicy: Unsupported value: "Sometimes": ' +
      'supported values: "Always", "OnFailure", "Never"',
  },
  "an unknown pull policy": {
    ...ofContainer({ imagePullPolicy: "Maybe" }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.containers[0].imagePullPolicy: Unsupported value: ' +
      '"Maybe": supported values: "Always", "IfNotPresent", "Never"',
  },
  "a port out of range": {
    ...ofContainer({ ports: [{ containerPort: 70_000 }] }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.containers[0].ports[0].containerPort: Invalid ' +
      "value: 70000: must be between 1 and 65535, inclusive",
  },
  "an unknown protocol": {
    ...ofContainer({ ports: [{ containerPort: 80, protocol: "ICMP" }] }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.containers[0].ports[0].protocol: Unsupported ' +
      'value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
  },
  "a port name that is too long": {
    ...ofContainer({ ports: [{ containerPort: 80, name: "a-very-long-port-name" }] }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.containers[0].ports[0].name: Invalid value: ' +
      '"a-very-long-port-name": must be no more than 15 characters',
  },
  "an environment variable without a name": {
    ...ofContainer({ env: [{ name: "" }] }),
    want: '422 Invalid: Pod "a" is invalid: spec.containers[0].env[0].name: Required value',
  },
  "a mount of an unknown volume": {
    ...ofContainer({ volumeMounts: [{ name: "data", mountPath: "/data" }] }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.containers[0].volumeMounts[0].name: Not found: ' +
      '"data"',
  },
  "two volumes of one name": {
    ...ofPod({
      volumes: [
        { name: "v", emptyDir: {} },
        { name: "v", emptyDir: {} },
      ],
    }),
    want: '422 Invalid: Pod "a" is invalid: spec.volumes[1].name: Duplicate value: "v"',
  },
  "a limit below its request": {
    ...ofContainer({ resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.containers[0].resources.requests: Invalid value: ' +
      '"2": must be less than or equal to cpu limit of 1',
  },
  "a quantity that is none": {
    ...ofContainer({ resources: { requests: { cpu: "lots" } } }),
    want:
      '400 BadRequest: Pod in version "v1" cannot be handled as a Pod: quantities must match ' +
      "the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  },
  "a negative quantity": {
    ...ofContainer({ resources: { requests: { memory: "-1Mi" } } }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.containers[0].resources.requests[memory]: Invalid ' +
      'value: "-1Mi": must be greater than or equal to 0',
  },
  "half a GPU": {
    ...ofContainer({ resources: { limits: { "nvidia.com/gpu": "500m" } } }),
    want:
      '422 Invalid: Pod "a" is invalid: [spec.containers[0].resources.limits[nvidia.com/gpu]: ' +
      'Invalid value: "500m": must be an integer, ' +
      'spec.containers[0].resources.requests[nvidia.com/gpu]: Invalid value: "500m": must be ' +
      "an integer]",
  },
  "a GPU request without a limit": {
    ...ofContainer({ resources: { requests: { "nvidia.com/gpu": "1" } } }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.containers[0].resources.limits: Required value: ' +
      "Limit must be set for non overcommitable resources",
  },
  "an unknown resource name": {
    ...ofContainer({ resources: { requests: { disk: "1" } } }),
    want:
      '422 Invalid: Pod "a" is invalid: [spec.containers[0].resources.requests[disk]: Invalid ' +
      'value: "disk": must be a standard resource type or fully qualified, ' +
      'spec.containers[0].resources.requests[disk]: Invalid value: "disk": must be a standard ' +
      "resource for containers]",
  },
  "a node selector with a bad value": {
    ...ofPod({ nodeSelector: { zone: "a b" } }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.nodeSelector: Invalid value: "a b": ' + labelValueRule,
  },
  "a toleration that exists with a value": {
    ...ofPod({ tolerations: [{ key: "a", operator: "Exists", value: "b" }] }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.tolerations[0].operator: Invalid value: "b": ' +
      "value must be empty when `operator` is 'Exists'",
  },
  "an unknown toleration effect": {
    ...ofPod({ tolerations: [{ key: "a", operator: "Exists", effect: "Never" }] }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.tolerations[0].effect: Unsupported value: ' +
      '"Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
  },
  "an affinity operator that is unknown": {
    ...ofPod({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: "a", operator: "Is", values: ["b"] }] },
            ],
          },
        },
      },
    }),
    want:
      '422 Invalid: Pod "a" is invalid: ' +
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTe" +
      'rms[0].matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
  },
  "a pod affinity without a topology key": {
    ...ofPod({
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: {}, topologyKey: "" }],
        },
      },
    }),
    want:
      '422 Invalid: Pod "a" is invalid: ' +
      "[spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey" +
      ": Required value: can not be empty, " +
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey:" +
      ' Invalid value: "": name part must be non-empty, ' +
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey:" +
      ' Invalid value: "": name part ' +
      qualifiedNameRule +
      "]",
  },
  "a topology spread of zero": {
    ...ofPod({
      topologySpreadConstraints: [
        { maxSkew: 0, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" },
      ],
    }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.topologySpreadConstraints[0].maxSkew: Invalid ' +
      "value: 0: must be greater than zero",
  },
  "two scheduling gates of one name": {
    ...ofPod({ schedulingGates: [{ name: "a.b/c" }, { name: "a.b/c" }] }),
    want: '422 Invalid: Pod "a" is invalid: spec.schedulingGates[1]: Duplicate value: "a.b/c"',
  },
  "a scheduling gate with a bad name": {
    ...ofPod({ schedulingGates: [{ name: "a b" }] }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.schedulingGates[0]: Invalid value: "a b": name ' +
      "part " +
      qualifiedNameRule,
  },
  "a gated pod that has a node": {
    ...ofPod({ schedulingGates: [{ name: "a.b/c" }], nodeName: "n" }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.nodeName: Forbidden: cannot be set until all ' +
      "schedulingGates have been cleared",
  },
  "a probe with two actions": {
    ...ofContainer({
      readinessProbe: { httpGet: { path: "/", port: 80 }, exec: { command: ["true"] } },
    }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.containers[0].readinessProbe.httpGet: Forbidden: ' +
      "may not specify more than 1 handler type",
  },
  "a probe without an action": {
    ...ofContainer({ readinessProbe: {} }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.containers[0].readinessProbe: Required value: ' +
      "must specify a handler type",
  },
  "a hostname with dots": {
    ...ofPod({ hostname: "a.b" }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.hostname: Invalid value: "a.b": must not contain ' +
      "dots",
  },
  "a DNS policy that is unknown": {
    ...ofPod({ dnsPolicy: "Mine" }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.dnsPolicy: Unsupported value: "Mine": supported ' +
      'values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
  },
  "a priority class that is unknown": {
    ...ofPod({ priorityClassName: "$ns-none" }),
    want: '403 Forbidden: pods "a" is forbidden: no PriorityClass with name $ns-none was found',
  },
  "an active deadline of zero": {
    ...ofPod({ activeDeadlineSeconds: 0 }),
    want:
      '422 Invalid: Pod "a" is invalid: spec.activeDeadlineSeconds: Invalid value: 0: must be ' +
      "between 1 and 2147483647, inclusive",
  },
  "an init container without an image": {
    ...ofPod({ initContainers: [{ name: "init" }] }),
    want: '422 Invalid: Pod "a" is invalid: spec.initContainers[0].image: Required value',
  },
  "containers that are no list": {
    ...ofPod({ containers: {} }),
    want:
      '400 BadRequest: Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal ' +
      "object into Go struct field PodSpec.spec.containers of type []v1.Container",
  },
  "a port that is a string": {
    ...ofContainer({ ports: [{ containerPort: "80" }] }),
    want:
      '400 BadRequest: Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal ' +
      "string into Go struct field ContainerPort.spec.containers.ports.containerPort of type " +
      "int32",
  },
  "a boolean that is a string": {
    ...ofPod({ hostNetwork: "yes" }),
    want:
      '400 BadRequest: Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal ' +
      "string into Go struct field PodSpec.spec.hostNetwork of type bool",
  },
};

export const podValidation = (cluster: () => Cluster): void => refusalTests(cluster, podRefusals);
