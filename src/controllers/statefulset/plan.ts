/** From what was observed to one decision: the units of a set, its rollout, and the planner's answer. */
import type { Decision, Policy, Rollout, Snapshot } from "../../planner/index.ts";
import { decide, nothingRequested } from "../../planner/index.ts";
import { parseTime } from "../../api/time-text.ts";
import type { PodState } from "../engine/pod-health.ts";
import { podHealth, unitOfPod } from "../engine/pod-health.ts";
import { latestOf, movingSinceMs, progressDeadline } from "../engine/progress-deadline.ts";
import { revisionLabel } from "./identity.ts";
import type { Observed } from "./observe.ts";
import { desiredReplicas } from "./policy.ts";

/** The names of the two revisions a set moves between. */
export interface RevisionNames {
  readonly current: string;
  readonly update: string;
}

export interface SetPodState extends PodState {
  /** Outside `[start, start + replicas)`: it goes when scaling lets it. */
  readonly isCondemned: boolean;
}

export interface RolloutPlan {
  readonly pods: readonly SetPodState[];
  readonly names: RevisionNames;
  readonly policy: Policy;
  readonly decision: Decision;
}

const firstOrdinal = ({ set }: Pick<Observed, "set">): number => set.spec.ordinals?.start ?? 0;

export function planRollout(observed: Observed, names: RevisionNames, policy: Policy): RolloutPlan {
  const pods = assessPods(observed);
  const snapshot: Snapshot = {
    nowMs: observed.nowMs,
    rollout: rolloutOf(observed, names, pods),
    units: pods.map(unitOfPod),
    requested: nothingRequested,
  };
  return { pods, names, policy, decision: decide(snapshot, policy) };
}

export function assessPods(observed: Observed): SetPodState[] {
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

function rolloutOf(
  observed: Observed,
  names: RevisionNames,
  pods: readonly SetPodState[],
): Rollout {
  const { set, overrides } = observed;
  return {
    name: set.metadata.name ?? "",
    targetRevision: names.update,
    previousRevision: names.current,
    desired: desiredReplicas(set),
    firstOrdinal: firstOrdinal(observed),
    paused: overrides.paused,
    deadline: progressDeadline(
      overrides.progressDeadlineSeconds,
      lastProgressMs(observed, names, pods),
    ),
  };
}

/** When the rollout last moved: a pod of the target revision was created or began to serve, or the rollout began. */
function lastProgressMs(
  { set, revisions, nowMs }: Observed,
  names: RevisionNames,
  pods: readonly SetPodState[],
): number {
  const recorded = revisions.find(({ metadata }) => metadata.name === names.update)?.metadata
    .creationTimestamp;
  const moments = pods
    .filter(({ revision }) => revision === names.update)
    .flatMap(({ pod, health }) => [
      parseTime(pod.metadata.creationTimestamp ?? ""),
      health.health === "available" ? health.sinceMs : undefined,
    ]);
  const movingMs = movingSinceMs(set.status, nowMs);
  return latestOf([movingMs, parseTime(recorded ?? ""), ...moments], nowMs);
}
