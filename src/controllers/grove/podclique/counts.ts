/** How many pods of a clique are where, as status and conditions count them. */
import { isTerminating } from "../../../api/object.ts";
import { isReady, podCondition } from "../../../api/pod.ts";
import { isScheduled } from "../../engine/pod-health.ts";
import type { Observed } from "./observe.ts";
import type { CliquePodState, Plan } from "./plan.ts";
import { newestTemplate } from "./templates.ts";

export interface Counts {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly updatedReplicas: number;
  readonly scheduledReplicas: number;
  readonly scheduleGatedReplicas: number;
}

/** Terminating pods do not count, whatever they still report. */
export const livePods = ({ pods }: Plan): readonly CliquePodState[] =>
  pods.filter(({ pod, isLeftover }) => !isLeftover && !isTerminating(pod));

export function countPods(plan: Plan): Counts {
  const live = livePods(plan);
  const count = (holds: (state: CliquePodState) => boolean): number => live.filter(holds).length;
  return {
    replicas: live.length,
    readyReplicas: count(({ pod }) => isReady(pod)),
    updatedReplicas: count(({ revision }) => revision === plan.targetRevision),
    scheduledReplicas: count(({ pod }) => isScheduled(pod)),
    scheduleGatedReplicas: count(
      ({ pod }) => podCondition(pod, "PodScheduled")?.reason === "SchedulingGated",
    ),
  };
}

/** A clique that waits for its turn has none, although its pods are as its own template says. */
export function updatedPods({ clique, revisions }: Observed, plan: Plan): number {
  const target = newestTemplate(clique, revisions) ?? plan.targetRevision;
  // Surge stands in for pods that are yet to be updated; elsewhere an index says nothing.
  const size = plan.policy.kind === "rolling" ? clique.spec.replicas : Infinity;
  return livePods(plan).filter(({ revision, ordinal }) => revision === target && ordinal < size)
    .length;
}
