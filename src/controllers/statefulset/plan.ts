/** From what was observed to one decision: the units of a set, its rollout, and the planner's answer. */
import type { Deadline, Decision, Policy, Rollout, Snapshot, Unit } from "../../planner/index.ts";
import { decide, nothingRequested } from "../../planner/index.ts";
import { parseTime } from "../../api/time-text.ts";
import { memoizeByIdentity, memoizeOnce } from "../engine/memoize.ts";
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
  readonly deadline: Deadline;
}

const firstOrdinal = ({ set }: Pick<Observed, "set">): number => set.spec.ordinals?.start ?? 0;

export function planRollout(observed: Observed, names: RevisionNames, policy: Policy): RolloutPlan {
  const pods = assessPods(observed);
  const rollout = rolloutOf(observed, names, pods);
  const snapshot: Snapshot = {
    nowMs: observed.nowMs,
    rollout,
    units: pods.map((state) => unitOf(state)),
    requested: nothingRequested,
  };
  return { pods, names, policy, decision: decide(snapshot, policy), deadline: rollout.deadline };
}

export function assessPods(observed: Observed): SetPodState[] {
  const { set, nowMs } = observed;
  const start = firstOrdinal(observed);
  const end = start + desiredReplicas(set);
  const minReadySeconds = set.spec.minReadySeconds ?? 0;
  return observed.pods.map((setPod) => {
    const known = assessPod(setPod, minReadySeconds, start, end);
    if (known.health.health !== "ready") return known;
    // Time alone makes it available.
    return { ...known, health: podHealth(setPod.pod, minReadySeconds, nowMs) };
  });
}

/** As it is before minReadySeconds are over; the very same until the pod changes. */
const assessPod = memoizeByIdentity(
  (
    { pod, ordinal }: Observed["pods"][number],
    minReadySeconds: number,
    start: number,
    end: number,
  ): SetPodState => ({
    pod,
    ordinal,
    health: podHealth(pod, minReadySeconds, Number.NEGATIVE_INFINITY),
    revision: pod.metadata.labels?.[revisionLabel] ?? "",
    isCondemned: ordinal < start || ordinal >= end,
  }),
);

const unitOf = memoizeOnce((state: SetPodState): Unit => unitOfPod(state));

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
    if (state.revision === names.update) movedMs = Math.max(movedMs, movedAtMs(state));
  }
  const moved = Number.isFinite(movedMs) ? movedMs : undefined;
  const movingMs = movingSinceMs(set.status, nowMs);
  return latestOf([movingMs, parseTime(recorded ?? ""), moved], nowMs);
}

/** When a pod was created or began to serve, the later of the two. */
const movedAtMs = memoizeOnce(({ pod, health }: SetPodState): number => {
  const createdMs = parseTime(pod.metadata.creationTimestamp ?? "") ?? Number.NEGATIVE_INFINITY;
  const servesMs = health.health === "available" ? health.sinceMs : undefined;
  return Math.max(createdMs, servesMs ?? Number.NEGATIVE_INFINITY);
});
