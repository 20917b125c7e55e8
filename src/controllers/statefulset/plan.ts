/** From what was observed to one decision: the units of a set, its rollout, and the planner's answer. */
import type { Deadline, Decision, Policy, Rollout, Snapshot } from "../../planner/index.ts";
import { decide, nothingRequested } from "../../planner/index.ts";
import { parseTime } from "../../api/time-text.ts";
import { podHealth } from "../engine/pod-health.ts";
import { latestOf, movingSinceMs, progressDeadline } from "../engine/progress-deadline.ts";
import type { Observed } from "./observe.ts";
import { desiredReplicas } from "./policy.ts";
import type { SetPodState } from "./set-pod.ts";
import { podStateOf } from "./set-pod.ts";

/** The names of the two revisions a set moves between. */
export interface RevisionNames {
  readonly current: string;
  readonly update: string;
}

export interface RolloutPlan {
  readonly pods: readonly SetPodState[];
  readonly names: RevisionNames;
  readonly policy: Policy;
  readonly decision: Decision;
  readonly deadline: Deadline;
}

const firstOrdinal = ({ set }: Pick<Observed, "set">): number => set.spec.ordinals?.start ?? 0;

export function planRollout(observed: Observed, names: RevisionNames, policy: Policy): RolloutPlan {
  const pods = assessPods(observed);
  const rollout = rolloutOf(observed, names, pods);
  const snapshot: Snapshot = {
    nowMs: observed.nowMs,
    rollout,
    units: pods.map(({ unit }) => unit),
    requested: nothingRequested,
  };
  return { pods, names, policy, decision: decide(snapshot, policy), deadline: rollout.deadline };
}

export function assessPods(observed: Observed): SetPodState[] {
  const { set, nowMs } = observed;
  const start = firstOrdinal(observed);
  const { minReadySeconds = 0 } = set.spec;
  const shape = { minReadySeconds, firstOrdinal: start, endOrdinal: start + desiredReplicas(set) };
  return observed.pods.map((setPod) => {
    const known = setPod.assess(shape);
    if (known.health.health !== "ready") return known;
    // Time alone makes it available.
    return podStateOf(setPod, podHealth(setPod.pod, minReadySeconds, nowMs), known.isCondemned);
  });
}

function rolloutOf(
  observed: Observed,
  names: RevisionNames,
  pods: readonly SetPodState[],
): Rollout & { readonly deadline: Deadline } {
  const { set, overrides } = observed;
  return {
    name: set.metadata.name ?? "",
    noun: "pod",
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
  let movedMs = Number.NEGATIVE_INFINITY;
  for (const state of pods) {
    if (state.revision === names.update) movedMs = Math.max(movedMs, state.movedAtMs);
  }
  const moved = Number.isFinite(movedMs) ? movedMs : undefined;
  const movingMs = movingSinceMs(set.status, nowMs);
  return latestOf([movingMs, parseTime(recorded ?? ""), moved], nowMs);
}
