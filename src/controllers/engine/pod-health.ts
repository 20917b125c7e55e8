/** A pod as a unit of the planner: does it serve, since when, and if not, why not. */
import { isTerminating } from "../../api/object.ts";
import type { ContainerStatus, Pod } from "../../api/pod.ts";
import { isFinished, isReady, podCondition, podResource } from "../../api/pod.ts";
import { parseTime } from "../../api/time-text.ts";
import type { Unit, UnitHealth } from "../../planner/unit.ts";
import type { DeleteWrite } from "./write.ts";
import { keyOfObject } from "./write.ts";

export interface PodHealth {
  readonly health: UnitHealth;
  /** For a ready pod: when it counts as available. */
  readonly availableAtMs?: number;
  readonly sinceMs?: number;
  /** It ended for good and only a successor can help. */
  readonly failed: boolean;
  /** What is broken about it, in the words of its node: `ImagePullBackOff: ...`. */
  readonly trouble?: string;
}

/** What keeps a pod from serving, quoted from its node or from the scheduler; undefined where it is merely starting. */
export const causeOf = (pod: Pod, { trouble }: PodHealth): string | undefined =>
  trouble ?? unschedulable(pod);

/** What keeps these pods from serving, each with the pod's name. */
export const causesIn = (states: readonly Pick<PodState, "pod" | "health">[]): string[] =>
  states.flatMap(({ pod, health }) => {
    const cause = causeOf(pod, health);
    return cause === undefined ? [] : [`${pod.metadata.name}: ${cause}`];
  });

export const isBroken = ({ health }: Pick<PodState, "health">): boolean =>
  health.trouble !== undefined;

function unschedulable(pod: Pod): string | undefined {
  const { status, reason, message } = podCondition(pod, "PodScheduled") ?? {};
  if (status !== "False" || reason !== "Unschedulable" || isTerminating(pod)) return undefined;
  return `not scheduled: ${message === undefined ? "the scheduler does not say why" : quoted(message)}`;
}

/**
 * Other words follow a quotation, so it loses its full stop. What preemption and other plugins tried says nothing about
 * the lack: `no new claims to deallocate, preemption: 0/4 nodes are available: ...`.
 */
const quoted = (message: string): string =>
  message.replace(/(?:(?<=\.) [^.:]*,)? preemption: .*$/s, "").replace(/\.\s*$/, "");

/** A pod of a workload, in its place. */
export interface PodState {
  readonly pod: Pod;
  readonly ordinal: number;
  readonly revision: string;
  readonly health: PodHealth;
}

export function unitOfPod({ pod, ordinal, revision, health }: PodState): Unit {
  const { name = "", uid = "", creationTimestamp = "" } = pod.metadata;
  return {
    name,
    id: uid,
    ordinal,
    revision,
    health: health.health,
    scheduled: isScheduled(pod),
    createdAtMs: parseTime(creationTimestamp) ?? 0,
    availableAtMs: health.availableAtMs,
    healthSinceMs: health.sinceMs,
    failed: health.failed,
  };
}

/** Whatever has happened to it since, a pod that serves is deleted; another only in the state that was assessed. */
export const podDelete = ({ pod, health }: Pick<PodState, "pod" | "health">): DeleteWrite => ({
  verb: "delete",
  resource: podResource,
  key: keyOfObject(pod),
  uid: pod.metadata.uid ?? "",
  ...(health.health === "available" ? {} : { resourceVersion: pod.metadata.resourceVersion }),
});

/** Waiting reasons that do not end by themselves soon. */
const brokenReasons = new Set([
  "CrashLoopBackOff",
  "ImagePullBackOff",
  "ErrImagePull",
  "ErrImageNeverPull",
  "InvalidImageName",
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
]);

/** Readiness comes first: a Ready pod with an old crash in its history is Ready. */
export function podHealth(pod: Pod, minReadySeconds: number, nowMs: number): PodHealth {
  const ready = podCondition(pod, "Ready");
  const sinceMs = timeOf(ready?.lastTransitionTime);
  if (isTerminating(pod)) {
    return {
      health: "terminating",
      sinceMs: timeOf(pod.metadata.deletionTimestamp),
      failed: false,
    };
  }
  if (isFinished(pod)) {
    return { health: "unavailable", sinceMs, failed: true, trouble: endedBecause(pod) };
  }
  if (isReady(pod)) return readyHealth(sinceMs, minReadySeconds, nowMs);
  const trouble = troubleOf(pod);
  return {
    health: trouble === undefined ? "pending" : "unavailable",
    sinceMs,
    failed: false,
    trouble,
  };
}

/** What is broken about a pod that is not going anyway. */
export const troubleIn = (pod: Pod): string | undefined => podHealth(pod, 0, 0).trouble;

export const isInTrouble = (pod: Pod): boolean => troubleIn(pod) !== undefined;

/** Whether a node has been found for it. */
export const isScheduled = (pod: Pod): boolean => (pod.spec.nodeName ?? "") !== "";

const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : parseTime(text);

function readyHealth(
  sinceMs: number | undefined,
  minReadySeconds: number,
  nowMs: number,
): PodHealth {
  if (minReadySeconds === 0) return { health: "available", sinceMs, failed: false };
  // Without a time it is unknown how long it has been ready.
  if (sinceMs === undefined) return { health: "ready", failed: false };
  const availableAtMs = sinceMs + minReadySeconds * 1000;
  if (availableAtMs <= nowMs) return { health: "available", sinceMs: availableAtMs, failed: false };
  return { health: "ready", sinceMs, availableAtMs, failed: false };
}

const containersOf = ({ status }: Pod): readonly ContainerStatus[] => [
  ...(status?.initContainerStatuses ?? []),
  ...(status?.containerStatuses ?? []),
];

/** The container that the trouble of a pod is about. */
export const containerInTrouble = (pod: Pod): string | undefined =>
  containersOf(pod).find((status) => containerTrouble(status) !== undefined)?.name;

function troubleOf(pod: Pod): string | undefined {
  for (const status of containersOf(pod)) {
    const text = containerTrouble(status);
    if (text !== undefined) return text;
  }
  const ready = podCondition(pod, "Ready");
  return ready?.reason === "NodeNotReady" || pod.status?.phase === "Unknown"
    ? "its node does not answer"
    : undefined;
}

function containerTrouble(status: ContainerStatus): string | undefined {
  const { reason = "", message } = status.state?.waiting ?? {};
  if (brokenReasons.has(reason)) {
    return message === undefined ? reason : `${reason}: ${quoted(message)}`;
  }
  const restarts = status.restartCount;
  if (status.ready || restarts === 0) return undefined;
  return `container ${status.name} restarted ${restarts} time${restarts === 1 ? "" : "s"}`;
}

function endedBecause(pod: Pod): string {
  const { reason, message } = pod.status ?? {};
  const ended = `the pod ended as ${pod.status?.phase}`;
  return reason === undefined
    ? ended
    : `${ended} (${reason}${message === undefined ? "" : `: ${quoted(message)}`})`;
}
