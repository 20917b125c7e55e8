/** A pod as a leaf of the tree: does it serve, and if not, why not, in the words of its node or scheduler. */
import type { Pod } from "../api/pod.ts";
import { podCondition } from "../api/pod.ts";
import { timeText } from "../api/time-text.ts";
import type { PodHealth } from "../controllers/engine/pod-health.ts";
import {
  causeOf,
  containerInTrouble,
  isScheduled,
  podHealth,
} from "../controllers/engine/pod-health.ts";
import type { NodeHealth, RevisionView, RolloutNode } from "./view.ts";

export interface PodPlace {
  readonly ordinal: number;
  readonly revision: RevisionView | undefined;
  readonly isUpdated: boolean;
  readonly isSurge?: boolean;
  readonly minReadySeconds?: number;
  /** Why its owner keeps it from the scheduler, where it does. */
  readonly heldBack?: string | undefined;
}

/** Of a cause, or of what a container waits for. */
export const badImage = /^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull)/;

export function podNode(pod: Pod, place: PodPlace, nowMs: number): RolloutNode {
  const { minReadySeconds = 0, isSurge = false, ordinal, isUpdated, revision } = place;
  const { name = "", creationTimestamp } = pod.metadata;
  const assessed = podHealth(pod, minReadySeconds, nowMs);
  const health = healthOf(assessed.health);
  const statuses = pod.status?.containerStatuses ?? [];
  const unready =
    health === "available"
      ? {}
      : {
          cause: causeOf(pod, assessed) ?? heldBy(pod, place.heldBack) ?? waitsFor(pod),
          container: hasSeveral(pod) ? containerInTrouble(pod) : undefined,
          badImages: withoutImage(pod),
        };
  return {
    kind: "Pod",
    name,
    label: name,
    ordinal,
    isUpdated,
    health,
    ...present({
      revision,
      isSurge: isSurge || undefined,
      ...unready,
      since: sinceText(pod, assessed),
      createdAt: creationTimestamp,
      node: isScheduled(pod) ? pod.spec.nodeName : undefined,
      restarts: statuses.reduce((sum, { restartCount }) => sum + restartCount, 0) || undefined,
    }),
    children: [],
  };
}

/** A deletion carries the time at which its grace is over, not the one at which it was asked for. */
function sinceText(pod: Pod, { health, sinceMs }: PodHealth): string | undefined {
  // What is on no node has no kubelet that would say since when it is not ready.
  if (sinceMs === undefined)
    return isScheduled(pod) ? undefined : podCondition(pod, "PodScheduled")?.lastTransitionTime;
  const { deletionGracePeriodSeconds = 0 } = pod.metadata;
  return timeText(
    health === "terminating" ? sinceMs - deletionGracePeriodSeconds * 1_000 : sinceMs,
  );
}

const hasSeveral = ({ spec: { initContainers = [], containers } }: Pod): boolean =>
  initContainers.length + containers.length > 1;

/** Containers, also those that run first, whose image cannot be had. */
function withoutImage({ status = {} }: Pod): readonly string[] | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  const names = [...initContainerStatuses, ...containerStatuses]
    .filter(({ state }) => badImage.test(state?.waiting?.reason ?? ""))
    .map(({ name }) => name);
  return names.length === 0 ? undefined : names;
}

/** Without the fields that have no value: views are printed as data. */
const present = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<T>;

const healths = {
  available: "available",
  ready: "ready",
  pending: "starting",
  unavailable: "broken",
  terminating: "terminating",
  missing: "missing",
} as const satisfies Record<string, NodeHealth>;

const healthOf = (health: keyof typeof healths): NodeHealth => healths[health];

/** What a pod without a problem of its own is waiting for. */
function waitsFor(pod: Pod): string | undefined {
  const { deletionTimestamp, finalizers = [] } = pod.metadata;
  if (deletionTimestamp !== undefined)
    return finalizers.length === 0 ? undefined : `held by ${finalizers.join(", ")}`;
  return isScheduled(pod) ? startingText(pod) : schedulingText(pod);
}

const heldBy = (pod: Pod, reason: string | undefined): string | undefined =>
  reason !== undefined && (pod.spec.schedulingGates ?? []).length > 0
    ? `held back: ${reason}`
    : undefined;

function schedulingText(pod: Pod): string {
  const gates = (pod.spec.schedulingGates ?? []).map(({ name }) => name);
  if (gates.length > 0) return `held back by the scheduling gate ${gates.join(", ")}`;
  return "waits for the scheduler";
}

function startingText(pod: Pod): string {
  const statuses = pod.status?.containerStatuses ?? [];
  const unready = statuses.filter(({ ready }) => !ready);
  const waiting = unready.find(({ state }) => state?.waiting?.reason !== undefined);
  if (waiting !== undefined) return `container ${waiting.name}: ${waiting.state?.waiting?.reason}`;
  const [first] = unready;
  if (first !== undefined) return `container ${first.name} is not ready yet`;
  return statuses.length === 0 ? "its containers have not started" : "is not ready yet";
}
