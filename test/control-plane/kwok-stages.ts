/** The kwok stages that simulate nodes and pods on a real API server. */
import { stringify } from "yaml";

export interface PodLife {
  /** From binding to Running and Ready. */
  readonly startDelayMs?: number;
  /** From the deletion request until the pod is gone. */
  readonly stopDelayMs?: number;
  /** Pods with this label never start; they wait with ImagePullBackOff. */
  readonly failingLabel?: string;
}

const stage = (name: string, kind: "Node" | "Pod", spec: Record<string, unknown>): unknown => ({
  apiVersion: "kwok.x-k8s.io/v1alpha1",
  kind: "Stage",
  metadata: { name },
  spec: { resourceRef: { apiGroup: "v1", kind }, ...spec },
});

const absent = (key: string): unknown => ({ key, operator: "DoesNotExist" });
const present = (key: string): unknown => ({ key, operator: "Exists" });

const nodeReady = stage("node-ready", "Node", {
  selector: {
    matchExpressions: [
      {
        key: '.status.conditions.[] | select( .type == "Ready" ) | .status',
        operator: "NotIn",
        values: ["True"],
      },
    ],
  },
  next: {
    statusTemplate: `
{{ $now := Now }}
conditions:
- type: Ready
  status: "True"
  reason: KubeletReady
  message: simulated
  lastHeartbeatTime: {{ $now | Quote }}
  lastTransitionTime: {{ $now | Quote }}
`,
  },
});

const podStatus = `
{{ $now := Now }}
phase: Running
startTime: {{ $now | Quote }}
{{ $host := or .spec.hostNetwork false }}
{{ with .metadata }}
podIP: {{ PodIPWith $.spec.nodeName $host .uid .name .namespace | Quote }}
{{ end }}
conditions:
{{ range $type := (split "," "Initialized,Ready,ContainersReady") }}
- type: {{ $type | Quote }}
  status: "True"
  lastTransitionTime: {{ $now | Quote }}
{{ end }}
{{ range .spec.readinessGates }}
- type: {{ .conditionType | Quote }}
  status: "True"
  lastTransitionTime: {{ $now | Quote }}
{{ end }}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: {{ .image | Quote }}
  ready: true
  started: true
  restartCount: 0
  state:
    running:
      startedAt: {{ $now | Quote }}
{{ end }}
`;

const waitingStatus = `
phase: Pending
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  ready: false
  started: false
  restartCount: 0
  state:
    waiting:
      reason: ImagePullBackOff
      message: "Back-off pulling image"
{{ end }}
`;

export function kwokStages(life: PodLife = {}): string {
  const { startDelayMs = 0, stopDelayMs = 0, failingLabel = "lockstep.dev/failing" } = life;
  const label = `.metadata.labels["${failingLabel}"]`;
  const toStart = [
    absent(".metadata.deletionTimestamp"),
    present(".spec.nodeName"),
    absent(".status.podIP"),
  ];
  const stages = [
    nodeReady,
    stage("pod-ready", "Pod", {
      selector: { matchExpressions: [...toStart, absent(label)] },
      delay: { durationMilliseconds: startDelayMs },
      next: { statusTemplate: podStatus },
    }),
    stage("pod-failing", "Pod", {
      selector: {
        matchExpressions: [...toStart, present(label), absent(".status.containerStatuses.[].name")],
      },
      delay: { durationMilliseconds: startDelayMs },
      next: { statusTemplate: waitingStatus },
    }),
    stage("pod-delete", "Pod", {
      selector: {
        matchExpressions: [
          present(".metadata.deletionTimestamp"),
          // A terminating pod must not be deleted again: without a uid the
          // second request would hit its successor of the same name.
          {
            key: ".metadata.deletionGracePeriodSeconds | tostring",
            operator: "NotIn",
            values: ["0"],
          },
        ],
      },
      delay: { durationMilliseconds: stopDelayMs },
      next: { delete: true },
    }),
  ];
  return stages.map((document) => stringify(document)).join("---\n");
}
