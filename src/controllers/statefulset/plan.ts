/** From what was observed to one decision: the units of a set, its rollout, and the planner's answer. */
import type { Decision, Policy, Rollout, Snapshot, Unit } from "../../planner/index.ts";
import { decide, nothingRequested } from "../../planner/index.ts";
import { parseTime } from "../../api/time-text.ts";
import type { PodHealth } from "../engine/pod-health.ts";
import { isScheduled, podHealth } from "../engine/pod-health.ts";
import { revisionLabel } from "./identity.ts";
import type { Observed, SetPod } from "./observe.ts";
import { desiredReplicas } from "./policy.ts";

/** The names of the two revisions a set moves between. */
export interface RevisionNames {
  readonly current: string;
  readonly update: string;
}

export interface PodState extends SetPod {
  readonly health: PodHealth;
  readonly revision: string;
  /** Outside `[start, start + replicas)`: it goes when scaling lets it. */
  readonly isCondemned: boolean;
}

export interface Plan {
  readonly pods: readonly PodState[];
  readonly names: RevisionNames;
  readonly snapshot: Snapshot;
  readonly policy: Policy;
  readonly decision: Decision;
}

export const firstOrdinal = ({ set }: Pick<Observed, "set">): number =>
  set.spec.ordinals?.start ?? 0;

export function plan(observed: Observed, names: RevisionNames, policy: Policy): Plan {
  const pods = assessPods(observed);
  const snapshot: Snapshot = {
    nowMs: observed.nowMs,
    rollout: rolloutOf(observed, names, pods),
    units: pods.map(unitOf),
    requested: nothingRequested,
  };
  return { pods, names, snapshot, policy, decision: decide(snapshot, policy) };
}

export function assessPods(observed: Observed): PodState[] {
  const { set, nowMs } = observed;
  const start = firstOrdinal(observed);
  const end = start + desiredReplicas(set);
  return observed.pods.map(({ pod, ordinal }) => ({
    pod,
    ordinal,
    health: podHealth(pod, set.spec.minReadySeconds ?? 0, nowMs),
    revision: pod.metadata.labels?.[revisionLabel] ?? "",
    isCondemned: ordinal < start || ordinal >= end,
  }));
}

function unitOf({ pod, ordinal, health, revision }: PodState): Unit {
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

function rolloutOf(observed: Observed, names: RevisionNames, pods: readonly PodState[]): Rollout {
  const { set, overrides } = observed;
  const seconds = overrides.progressDeadlineSeconds;
  return {
    name: set.metadata.name ?? "",
    targetRevision: names.update,
    previousRevision: names.current,
    desired: desiredReplicas(set),
    firstOrdinal: firstOrdinal(observed),
    paused: overrides.paused,
    ...(seconds === undefined
      ? {}
      : {
          deadline: {
            afterMs: seconds * 1000,
            lastProgressAtMs: lastProgressMs(observed, names, pods),
            onStuck: "Wait" as const,
          },
        }),
  };
}

/**
 * When the rollout last moved, told by the objects alone, so that a restarted operator knows it too: a pod
 * of the target revision was made or began to serve, or the rollout itself began.
 */
export function lastProgressMs(
  { set, revisions, nowMs }: Observed,
  names: RevisionNames,
  pods: readonly PodState[],
): number {
  const began = set.status?.conditions?.find(
    ({ type, status }) => type === "Progressing" && status === "True",
  )?.lastTransitionTime;
  const recorded = revisions.find(({ metadata }) => metadata.name === names.update)?.metadata
    .creationTimestamp;
  const moments = pods
    .filter(({ revision }) => revision === names.update)
    .flatMap(({ pod, health }) => [
      parseTime(pod.metadata.creationTimestamp ?? ""),
      health.health === "available" ? health.sinceMs : undefined,
    ]);
  const known = [parseTime(began ?? ""), parseTime(recorded ?? ""), ...moments].filter(
    (ms) => ms !== undefined,
  );
  return known.length === 0 ? nowMs : Math.max(...known);
}
