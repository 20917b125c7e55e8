/** Turns a StatefulSet's strategy and annotations into the planner's policy, and refuses what is too large. Pure. */
import type { StatefulSet } from "../../api/apps.ts";
import type { Pacing, Policy, RollingPolicy } from "../../planner/index.ts";
import {
  onDeletePolicy,
  resolveStatefulSetBudget,
  statefulSetPolicy,
} from "../../planner/index.ts";
import type { AnnotationOverrides } from "./annotations.ts";
import { sizeProblem, tooLargeText } from "../engine/size-limits.ts";
import { highestOrdinal } from "./identity.ts";

export const desiredReplicas = (set: StatefulSet): number => set.spec.replicas ?? 1;

export const isOnDelete = (set: StatefulSet): boolean =>
  set.spec.updateStrategy?.type === "OnDelete";

/** A strategy of a newer API server; to guess what it means could take a set down. */
export function unknownStrategy(set: StatefulSet): string | undefined {
  const { type = "RollingUpdate" } = set.spec.updateStrategy ?? {};
  return isOnDelete(set) || type === "RollingUpdate" ? undefined : type;
}

/** We are the StatefulSet controller: the set's own strategy decides. */
export function fullPolicy(set: StatefulSet, overrides: AnnotationOverrides): Policy {
  const pacing = pacingOf(set, overrides);
  if (isOnDelete(set) || unknownStrategy(set) !== undefined) {
    return onDeletePolicy(desiredReplicas(set), "highestOrdinal", pacing);
  }
  // A missing block means its defaults, not "the first so many keep their revision" as upstream reads it.
  const { partition = 0, maxUnavailable } = set.spec.updateStrategy?.rollingUpdate ?? {};
  const budget = resolveStatefulSetBudget(
    maxUnavailable ?? overrides.maxUnavailable,
    desiredReplicas(set),
  );
  const brokenUnits = overrides.brokenPodsWait ? "wait" : "replace";
  return withAhead(statefulSetPolicy(budget, partition, pacing, brokenUnits), overrides);
}

/**
 * The cluster's own controller makes the pods and we only delete, so order is ours alone to pace: what
 * comes back when is not.
 */
export function assistPolicy(set: StatefulSet, overrides: AnnotationOverrides): Policy {
  const budget = resolveStatefulSetBudget(overrides.maxUnavailable, desiredReplicas(set));
  const brokenUnits = overrides.brokenPodsWait ? "wait" : "replace";
  const { partition = 0 } = overrides;
  const policy = statefulSetPolicy(budget, partition, pacingOf(set, overrides), brokenUnits);
  return withAhead(policy, overrides);
}

const withAhead = (policy: RollingPolicy, { ahead }: AnnotationOverrides): RollingPolicy =>
  ahead === undefined ? policy : { ...policy, ahead };

function pacingOf(set: StatefulSet, overrides: AnnotationOverrides): Pacing {
  if (set.spec.podManagementPolicy === "Parallel") return "parallel";
  return overrides.strict ? "strict" : "rounds";
}

export function tooLarge(set: StatefulSet): string | undefined {
  const replicas = desiredReplicas(set);
  const start = set.spec.ordinals?.start ?? 0;
  const claims = (set.spec.volumeClaimTemplates ?? []).length;
  const problem =
    sizeProblem("spec.replicas", replicas, "pods") ??
    sizeProblem("spec.volumeClaimTemplates", replicas * claims, "claims");
  if (problem !== undefined || start + replicas - 1 <= highestOrdinal) return problem;
  return tooLargeText(
    `spec.ordinals.start ${start} gives pods ordinals above ${highestOrdinal}, the highest possible`,
  );
}
