/** Watches pods, but ignores most of what a kubelet writes: it changes nothing for a rollout. */
import { isTerminating } from "../../api/object.ts";
import { isSameJson } from "../../api/same-json.ts";
import type { ContainerStatus, Pod } from "../../api/pod.ts";
import { isReady, podCondition } from "../../api/pod.ts";
import type { Cache, Change } from "../../runtime/cache.ts";
import type { DueOf, KeysOf, Watch } from "../../runtime/controller.ts";
import { watch } from "../../runtime/controller.ts";
import { controllerOf } from "./ownership.ts";

/** A change that no decision waits for is reconciled together with what follows it, after this delay at the latest. */
export const laterMs = 1_000;

/** Whether a reconcile would decide the same for both. */
type Alike = (a: Pod, b: Pod) => boolean;

interface PodPredicates {
  /** A pod that stays the same by this causes no reconcile; by default, while it serves alike. */
  readonly isAlike?: Alike;
  /** Changes that no decision waits for. */
  readonly mayWait?: (change: Change<Pod>) => boolean;
}

export function watchPods(
  cache: Cache<Pod>,
  keys: KeysOf<Pod>,
  { isAlike = servesAlike, mayWait = () => false }: PodPredicates = {},
): Watch {
  const due: DueOf<Pod> = (change) => {
    if (change.type === "updated" && isAlike(change.old, change.object)) return undefined;
    return mayWait(change) ? laterMs : 0;
  };
  return watch(cache, keys, due);
}

/** Only scheduling: it was created without a gate, a node was found for it, or none yet. */
export function isOnlyPlacing(change: Change<Pod>): boolean {
  switch (change.type) {
    case "added":
      return isUntouched(change.object);
    case "updated":
      return isSameRun(change.old, change.object);
    case "deleted":
      return false;
    default:
      return change satisfies never;
  }
}

/** It has a controller and no node; it is neither gated nor terminating. */
function isUntouched(pod: Pod): boolean {
  const { spec, status } = pod;
  return (
    controllerOf(pod) !== undefined &&
    !isTerminating(pod) &&
    (spec.nodeName ?? "") === "" &&
    gatesOf(pod) === 0 &&
    (status?.phase ?? "Pending") === "Pending" &&
    (status?.containerStatuses ?? []).length === 0
  );
}

/** Alike in everything that distinguishes a pod that starts from one in trouble, and since when. */
export const isCloselyAlike: Alike = (a, b) =>
  isSameRun(a, b) && a.spec.nodeName === b.spec.nodeName && placedBecause(a) === placedBecause(b);

const placedBecause = (pod: Pod): string | undefined => podCondition(pod, "PodScheduled")?.reason;

/** Alike in all but where they are placed. */
function isSameRun(a: Pod, b: Pod): boolean {
  const [ready, other] = [podCondition(a, "Ready"), podCondition(b, "Ready")];
  return (
    isSameShow(a, b) &&
    ready?.reason === other?.reason &&
    ready?.lastTransitionTime === other?.lastTransitionTime &&
    a.status?.reason === b.status?.reason &&
    areAlike(a.status?.containerStatuses, b.status?.containerStatuses, isSameRunning)
  );
}

function isSameRunning(a: ContainerStatus, b: ContainerStatus): boolean {
  return (
    isSameJson(a.state, b.state) &&
    a.lastState?.terminated?.exitCode === b.lastState?.terminated?.exitCode &&
    a.started === b.started &&
    a.ready === b.ready
  );
}

/** Alike in what says whether a pod serves, and whether the scheduler has a place for it. */
function servesAlike(a: Pod, b: Pod): boolean {
  return (
    a.spec.nodeName === b.spec.nodeName &&
    isUnschedulable(a) === isUnschedulable(b) &&
    isSameShow(a, b)
  );
}

const isUnschedulable = (pod: Pod): boolean => placedBecause(pod) === "Unschedulable";

function isSameShow(a: Pod, b: Pod): boolean {
  const [one, other] = [a.status ?? {}, b.status ?? {}];
  return (
    // A shorter grace period moves the deletion time; the pod terminates as before.
    isTerminating(a) === isTerminating(b) &&
    controllerOf(a)?.uid === controllerOf(b)?.uid &&
    gatesOf(a) === gatesOf(b) &&
    one.phase === other.phase &&
    isReady(a) === isReady(b) &&
    areAlike(one.initContainerStatuses, other.initContainerStatuses, isSameTrouble) &&
    areAlike(one.containerStatuses, other.containerStatuses, isSameTrouble) &&
    isSameJson(a.metadata.labels, b.metadata.labels)
  );
}

const gatesOf = ({ spec }: Pod): number => spec.schedulingGates?.length ?? 0;

const isSameTrouble = (a: ContainerStatus, b: ContainerStatus): boolean =>
  a.restartCount === b.restartCount && waitingFor(a) === waitingFor(b);

const waitingFor = ({ state }: ContainerStatus): string => state?.waiting?.reason ?? "";

function areAlike(
  a: readonly ContainerStatus[] = [],
  b: readonly ContainerStatus[] = [],
  isAlike: (one: ContainerStatus, other: ContainerStatus) => boolean,
): boolean {
  return (
    a.length === b.length &&
    a.every((status, index) => {
      const other = b[index];
      return other !== undefined && isAlike(status, other);
    })
  );
}
