/** The kwok stages that simulate nodes and pods on a real API server. */
import { stringify } from "yaml";

export interface PodLife {
  /** From binding to Running and Ready. */
  readonly startDelayMs?: number;
  /** From the deletion request until the pod is gone. */
  readonly stopDelayMs?: number;
  /** Pods with this label never start; they wait with ImagePullBackOff. */
  readonly failingLabel?: string;
  /** Images that cannot be pulled. */
  readonly brokenImages?: readonly string[];
  /** Images whose pods run and never become ready. */
  readonly neverReadyImages?: readonly string[];
  /** Pods of a StatefulSet that run and never become ready, by image and ordinal. */
  readonly neverReady?: { readonly image: string; readonly ordinals: readonly string[] };
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

const unreadyConditions = `conditions:
- type: Initialized
  status: "True"
  lastTransitionTime: {{ $now | Quote }}
{{ range $type := (split "," "Ready,ContainersReady") }}
- type: {{ $type | Quote }}
  status: "False"
  reason: ContainersNotReady
  lastTransitionTime: {{ $now | Quote }}
{{ end }}
`;

/** In the words of a kubelet. */
const cannotPullText =
  "Back-off pulling image %q: ErrImagePull: manifest unknown: manifest tagged by this name is not found";

const cannotPull = `
{{ $now := Now }}
phase: Pending
${unreadyConditions}containerStatuses:
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
      message: {{ printf "${cannotPullText}" .image | Quote }}
{{ end }}
`;

const notReady = `
{{ $now := Now }}
phase: Running
startTime: {{ $now | Quote }}
${unreadyConditions}containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: {{ .image | Quote }}
  ready: false
  started: true
  restartCount: 0
  state:
    running:
      startedAt: {{ $now | Quote }}
{{ end }}
`;

/** `web:v2` of the pod with ordinal 1 is `web:v2#1`. */
const imageKey = ".spec.containers[0].image";
const imageOfOrdinal = `${imageKey} + "#" + (.metadata.labels["apps.kubernetes.io/pod-index"] // "")`;

interface Held {
  readonly key: string;
  readonly values: readonly string[];
  readonly statusTemplate: string;
}

/** Pods that do not get any further than this. */
function heldPods({
  brokenImages = [],
  neverReadyImages = [],
  neverReady,
}: PodLife): readonly Held[] {
  const { image = "", ordinals = [] } = neverReady ?? {};
  const values = ordinals.map((ordinal) => `${image}#${ordinal}`);
  return [
    { key: imageKey, values: brokenImages, statusTemplate: cannotPull },
    { key: imageKey, values: neverReadyImages, statusTemplate: notReady },
    { key: imageOfOrdinal, values, statusTemplate: notReady },
  ].filter((each) => each.values.length > 0);
}

export function kwokStages(life: PodLife = {}): string {
  const { startDelayMs = 0, stopDelayMs = 0, failingLabel = "lockstep.dev/failing" } = life;
  const label = `.metadata.labels["${failingLabel}"]`;
  const toStart = [
    absent(".metadata.deletionTimestamp"),
    present(".spec.nodeName"),
    absent(".status.podIP"),
  ];
  const held = heldPods(life);
  const delay = { durationMilliseconds: startDelayMs };
  const waiting = (name: string, which: unknown, statusTemplate: string): unknown => {
    const notYet = absent(".status.containerStatuses.[].name");
    const selector = { matchExpressions: [...toStart, which, notYet] };
    return stage(name, "Pod", { selector, delay, next: { statusTemplate } });
  };
  const stages = [
    nodeReady,
    stage("pod-ready", "Pod", {
      selector: {
        matchExpressions: [
          ...toStart,
          absent(label),
          ...held.map(({ key, values }) => ({ key, operator: "NotIn", values })),
        ],
      },
      delay,
      next: { statusTemplate: podStatus },
    }),
    waiting("pod-failing", present(label), cannotPull),
    ...held.map(({ key, values, statusTemplate }, index) =>
      waiting(`pod-held-${index}`, { key, operator: "In", values }, statusTemplate),
    ),
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
