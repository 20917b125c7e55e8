/** Pods as marks, for tables of sentences: `v1 v2! v2?` serves, cannot pull its image, and finds no node. */
import { labelKeys, podGangGate } from "../../src/api/grove/labels.ts";
import type { ContainerStatus, Pod } from "../../src/api/pod.ts";

export const drawnAtMs = Date.parse("2026-01-01T12:00:00Z");
export const drawnAgo = (seconds: number): string =>
  new Date(drawnAtMs - seconds * 1000).toISOString().replace(".000", "");

const container = (state: ContainerStatus["state"], restartCount = 0): ContainerStatus => ({
  name: "app",
  ready: false,
  started: state?.running !== undefined,
  restartCount,
  image: "",
  imageID: "",
  ...(state === undefined ? {} : { state }),
});

const noTag = { reason: "ImagePullBackOff", message: "no such tag" };
const noName = { reason: "InvalidImageName", message: "couldn't parse image name" };
const backOff = { reason: "CrashLoopBackOff", message: "back-off 10s restarting app" };
const noGpu = "0/1 nodes are available: 8 Insufficient nvidia.com/gpu.";

const statuses: Readonly<Record<string, Pod["status"]>> = {
  "": { phase: "Running", conditions: [condition("Ready", "True")] },
  "!": { phase: "Pending", containerStatuses: [container({ waiting: noTag })] },
  i: { phase: "Pending", containerStatuses: [container({ waiting: noName })] },
  x: {
    phase: "Running",
    conditions: [condition("Ready", "False")],
    containerStatuses: [
      { ...container({ waiting: backOff }, 3), lastState: { terminated: { exitCode: 1 } } },
    ],
  },
  "?": {
    phase: "Pending",
    conditions: [
      { ...condition("PodScheduled", "False"), reason: "Unschedulable", message: noGpu },
    ],
  },
  u: {
    phase: "Pending",
    conditions: [{ ...condition("PodScheduled", "False"), reason: "Unschedulable" }],
  },
  "/": { phase: "Unknown" },
  r: {
    phase: "Running",
    conditions: [condition("Ready", "False")],
    containerStatuses: [container({ running: { startedAt: drawnAgo(5) } }, 2)],
  },
  "^": {
    phase: "Pending",
    conditions: [{ ...condition("PodScheduled", "False"), reason: "SchedulingGated" }],
  },
  ".": { phase: "Pending" },
  "~": { phase: "Running", conditions: [condition("Ready", "True")] },
  "#": { phase: "Failed", reason: "Evicted", message: "the node was low on memory" },
};

function condition(type: string, status: "True" | "False") {
  return { type, status, lastTransitionTime: drawnAgo(600) } as const;
}

/**
 * `!` bad image, `i` no name of one, `x` crashes, `r` restarted, `/` lost with its node, `?` finds no node,
 * `u` nor a reason for that, `^` gated, `.` starts, `~` terminating, `#` ended.
 */
export function drawnPod(name: string, index: number, mark: string): Pod {
  const [, revision = "", flag = ""] = /^(\w*?\d)([!ixr/?u^.~#]?)$/.exec(mark) ?? [];
  const isPlaced = !["?", "u", "^"].includes(flag);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: `${name}/${revision}`,
      creationTimestamp: drawnAgo(3_600),
      labels: { [labelKeys.podTemplateHash]: revision, [labelKeys.podIndex]: String(index) },
      ...(flag === "~" ? { deletionTimestamp: drawnAgo(1) } : {}),
    },
    spec: {
      containers: [{ name: "app", image: `app:${revision}` }],
      ...(isPlaced ? { nodeName: "node-0" } : {}),
      ...(flag === "^" ? { schedulingGates: [{ name: podGangGate }] } : {}),
    },
    ...(statuses[flag] === undefined ? {} : { status: statuses[flag] }),
  };
}

/** By index; `-` is missing. */
export const drawnPods = (name: string, drawing: string): { pod: Pod; ordinal: number }[] =>
  drawing
    .split(" ")
    .flatMap((mark, ordinal) =>
      mark === "-" || mark === ""
        ? []
        : [{ pod: drawnPod(`${name}-${ordinal}`, ordinal, mark), ordinal }],
    );
