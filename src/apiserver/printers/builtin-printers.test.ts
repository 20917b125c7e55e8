import { expect, test } from "vitest";
import type { JsonObject } from "../served-resource.ts";
import { decoderOf } from "../schema/decode.ts";
import { durationText } from "./age.ts";
import { printerOf } from "./builtin-printers.ts";

const nowMs = Date.parse("2026-01-01T02:00:00Z");
const metadata = { name: "x", creationTimestamp: "2026-01-01T01:58:30Z" };

interface Case {
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly given: JsonObject;
  readonly want: readonly unknown[];
}

const core = (kind: string, given: JsonObject, want: unknown[]): Case => ({ kind, given, want });
const apps = (kind: string, given: JsonObject, want: unknown[]): Case => ({
  group: "apps",
  kind,
  given,
  want,
});
const workload = (status: JsonObject): JsonObject => ({
  spec: {
    replicas: 3,
    selector: {
      matchLabels: { a: "b" },
      matchExpressions: [{ key: "z", operator: "DoesNotExist" }],
    },
    template: {
      spec: {
        containers: [
          { name: "a", image: "i:a" },
          { name: "b", image: "i:b" },
        ],
      },
    },
  },
  status,
});
const target = { kind: "Deployment", name: "w" };
const subsets = [
  { addresses: [{ ip: "1.1.1.1" }, { ip: "::1" }], ports: [{ port: 80 }, { port: 81 }] },
];
const utilization = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
};
const perPod = {
  type: "Pods",
  pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "10" } },
};

/** Cells as a real server showed them for objects like these. */
const cases: Record<string, Case> = {
  "a namespace": core("Namespace", { status: { phase: "Active" } }, ["x", "Active", "90s"]),
  "a node without news": core("Node", { spec: { unschedulable: true } }, [
    "x",
    "Unknown,SchedulingDisabled",
    "<none>",
    "90s",
    "",
    "<none>",
    "<none>",
    "<unknown>",
    "<unknown>",
    "<unknown>",
  ]),
  "a node with roles": core(
    "Node",
    {
      metadata: {
        ...metadata,
        labels: { "node-role.kubernetes.io/worker": "", "kubernetes.io/role": "zz" },
      },
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        addresses: [{ type: "InternalIP", address: "1.2.3.4" }],
        nodeInfo: { kubeletVersion: "v1", kernelVersion: "6.1", architecture: "amd64" },
      },
    },
    [
      "x",
      "Ready",
      "worker,zz",
      "90s",
      "v1",
      "1.2.3.4",
      "<none>",
      "<unknown>",
      "6.1 (amd64)",
      "<unknown>",
    ],
  ),
  "a service on node ports": core(
    "Service",
    {
      spec: {
        type: "NodePort",
        clusterIPs: ["10.0.0.1"],
        selector: { b: "c", a: "b" },
        ports: [
          { port: 80, nodePort: 30080, protocol: "TCP" },
          { port: 81, protocol: "UDP" },
        ],
      },
    },
    ["x", "NodePort", "10.0.0.1", "<none>", "80:30080/TCP,81/UDP", "90s", "a=b,b=c"],
  ),
  "a service whose balancer is not there yet": core(
    "Service",
    { spec: { type: "LoadBalancer", clusterIPs: ["10.0.0.1"] } },
    ["x", "LoadBalancer", "10.0.0.1", "<pending>", "<none>", "90s", "<none>"],
  ),
  "endpoints, three of four": core("Endpoints", { subsets }, [
    "x",
    "1.1.1.1:80,[::1]:80,1.1.1.1:81 + 1 more...",
    "90s",
  ]),
  "a config map": core("ConfigMap", { data: { a: "1" }, binaryData: { b: "aGk=" } }, [
    "x",
    2,
    "90s",
  ]),
  "a secret": core("Secret", { type: "Opaque", data: { a: "aGk=" } }, ["x", "Opaque", 1, "90s"]),
  "a bound claim": core(
    "PersistentVolumeClaim",
    {
      spec: { volumeName: "pv", storageClassName: "sc", volumeMode: "Filesystem" },
      status: {
        phase: "Bound",
        accessModes: ["ReadOnlyMany", "ReadWriteOnce"],
        capacity: { storage: "2Gi" },
      },
    },
    ["x", "Bound", "pv", "2Gi", "RWO,ROX", "sc", "<unset>", "90s", "Filesystem"],
  ),
  "an event with a count": core(
    "Event",
    {
      involvedObject: { kind: "Pod", name: "p", fieldPath: "spec.containers{a}" },
      reason: "R",
      message: " hello \n",
      type: "Warning",
      count: 5,
      firstTimestamp: "2026-01-01T01:00:00Z",
      lastTimestamp: "2026-01-01T01:59:00Z",
      source: { component: "kubelet", host: "n1" },
    },
    ["60s", "Warning", "R", "pod/p", "spec.containers{a}", "kubelet, n1", "hello", "60m", 5, "x"],
  ),
  "an event with a series": core(
    "Event",
    {
      involvedObject: { kind: "Pod" },
      eventTime: "2026-01-01T01:00:00.000000Z",
      series: { count: 7, lastObservedTime: "2026-01-01T01:55:00.000000Z" },
      reportingComponent: "rc",
    },
    ["5m", "", "", "pod", "", "rc", "", "60m", 7, "x"],
  ),
  "a StatefulSet": apps("StatefulSet", workload({ readyReplicas: 2 }), [
    "x",
    "2/3",
    "90s",
    "a,b",
    "i:a,i:b",
  ]),
  "a Deployment": apps("Deployment", workload({ readyReplicas: 2, updatedReplicas: 1 }), [
    "x",
    "2/3",
    1,
    0,
    "90s",
    "a,b",
    "i:a,i:b",
    "a=b,!z",
  ]),
  "a ReplicaSet": apps("ReplicaSet", workload({ replicas: 3, readyReplicas: 2 }), [
    "x",
    3,
    3,
    2,
    "90s",
    "a,b",
    "i:a,i:b",
    "a=b,!z",
  ]),
  "a revision": apps(
    "ControllerRevision",
    {
      metadata: {
        ...metadata,
        ownerReferences: [
          { apiVersion: "apps/v1", kind: "StatefulSet", name: "w", uid: "u", controller: true },
        ],
      },
      revision: 4,
    },
    ["x", "statefulset.apps/w", 4, "90s"],
  ),
  "a disruption budget": {
    group: "policy",
    kind: "PodDisruptionBudget",
    given: { spec: { minAvailable: "50%" }, status: { disruptionsAllowed: 2 } },
    want: ["x", "50%", "N/A", 2, "90s"],
  },
  "an autoscaler": {
    group: "autoscaling",
    version: "v2",
    kind: "HorizontalPodAutoscaler",
    given: {
      spec: { scaleTargetRef: target, maxReplicas: 5, metrics: [utilization, perPod, perPod] },
      status: {
        currentMetrics: [
          { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 33 } } },
        ],
      },
    },
    want: ["x", "Deployment/w", "cpu: 33%/50%, <unknown>/10 + 1 more...", "<unset>", 5, 0, "90s"],
  },
  "a role binding": {
    group: "rbac.authorization.k8s.io",
    kind: "RoleBinding",
    given: {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "a" },
      subjects: [
        { kind: "User", name: "u" },
        { kind: "ServiceAccount", name: "s", namespace: "n" },
      ],
    },
    want: ["x", "Role/a", "90s", "u", "", "n/s"],
  },
  "a role, which has no table of its own": {
    group: "rbac.authorization.k8s.io",
    kind: "Role",
    given: {},
    want: ["x", "2026-01-01T01:58:30Z"],
  },
};

test.each(Object.entries(cases))(
  "%s",
  (_name, { group = "", version = "v1", kind, given, want }) => {
    const { object } = decoderOf({ group, version, kind })({ metadata, ...given });
    const printer = printerOf(kind);
    expect(printer.cells(object, nowMs)).toEqual(want);
    expect(printer.columns).toHaveLength(want.length);
  },
);

const minutes = 60;
const hours = 60 * minutes;
const days = 24 * hours;
const durations: readonly (readonly [seconds: number, want: string])[] = [
  [-2, "<invalid>"],
  [-1, "0s"],
  [0, "0s"],
  [119, "119s"],
  [2 * minutes, "2m"],
  [9 * minutes + 59, "9m59s"],
  [10 * minutes + 59, "10m"],
  [3 * hours - 1, "179m"],
  [3 * hours, "3h"],
  [3 * hours + 15 * minutes, "3h15m"],
  [8 * hours + 59 * minutes, "8h"],
  [47 * hours, "47h"],
  [2 * days, "2d"],
  [2 * days + 5 * hours, "2d5h"],
  [8 * days + 5 * hours, "8d"],
  [729 * days, "729d"],
  [731 * days, "2y1d"],
  [8 * 365 * days, "8y"],
];

test.each(durations)("%d seconds are shown as %s", (seconds, want) => {
  expect(durationText(seconds * 1000)).toBe(want);
});
