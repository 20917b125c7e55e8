/** The two conditions that users of Open Cluster Management know, in its words. */
import type { Schedule } from "../../planner/index.ts";
import type { ConditionText } from "../engine/conditions.ts";
import type { Failure } from "../engine/reconcile.ts";
import type { Observed } from "./observe.ts";
import type { DecisionPlan } from "./plan.ts";

const placementConditions = {
  satisfied: "PlacementSatisfied",
  misconfigured: "PlacementMisconfigured",
} as const;

/** The first that applies, in the order that users of Open Cluster Management know. */
export function satisfiedCondition(
  observed: Observed,
  { decided, schedule }: DecisionPlan,
  failure: Failure | undefined,
): ConditionText {
  const { boundSets, eligibleSets, setProblem, clusters, placement } = observed;
  const not = (reason: string, message: string): ConditionText => ({
    type: placementConditions.satisfied,
    status: "False",
    reason,
    message,
  });
  if (boundSets.length === 0) {
    const message = "No valid ManagedClusterSetBindings found in placement namespace";
    return not("NoManagedClusterSetBindings", message);
  }
  if (eligibleSets.length === 0) {
    const wanted = (placement.spec.clusterSets ?? []).join(",");
    return not(
      "NoIntersection",
      `None of ManagedClusterSets [${wanted}] is bound to placement namespace`,
    );
  }
  if (clusters.length === 0 && setProblem === undefined) {
    const message = `All ManagedClusterSets [${eligibleSets.join(",")}] have no member ManagedCluster`;
    return not("AllManagedClusterSetsEmpty", message);
  }
  if (failure !== undefined) return not("NotAllDecisionsScheduled", failure.message);
  if (schedule === undefined) return not("NotAllDecisionsScheduled", decided.reason.message);
  if (schedule.selected === 0) return not("NoManagedClusterMatched", whyNone(observed, schedule));
  if (schedule.unscheduled > 0) {
    return not("NotAllDecisionsScheduled", `${schedule.unscheduled} cluster decisions unscheduled`);
  }
  return {
    type: placementConditions.satisfied,
    status: "True",
    reason: "AllDecisionsScheduled",
    message: "All cluster decisions scheduled",
  };
}

function whyNone({ placement }: Observed, { feasible, tainted }: Schedule): string {
  if (feasible > 0 && placement.spec.numberOfClusters === 0)
    return "spec.numberOfClusters is 0, so no ManagedCluster is selected";
  if (tainted === undefined) return "No ManagedCluster matches any of the cluster predicate";
  const { clusters, first, taint } = tainted;
  const text = `${taint.key}${taint.value === "" ? "" : `=${taint.value}`}:${taint.effect}`;
  const which = `${first} has ${text}`;
  return clusters === 1
    ? `1 ManagedCluster matches, but spec.tolerations does not tolerate its taint: ${which}`
    : `${clusters} ManagedClusters match, but each has a taint that spec.tolerations does not tolerate: ${which}`;
}

export const misconfiguredCondition = ({ misconfigured }: DecisionPlan): ConditionText =>
  misconfigured === undefined
    ? {
        type: placementConditions.misconfigured,
        status: "False",
        reason: "Succeedconfigured",
        message: "Placement configurations check pass",
      }
    : {
        type: placementConditions.misconfigured,
        status: "True",
        reason: "Misconfigured",
        message: misconfigured,
      };
