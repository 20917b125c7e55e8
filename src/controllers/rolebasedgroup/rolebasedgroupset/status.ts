/** The status of a set, from the same view that its decision was made on. */
import type { Condition } from "../../../api/apps.ts";
import { isTerminating } from "../../../api/object.ts";
import type { RoleBasedGroupSetStatus } from "../../../api/rbg/rolebasedgroupset.ts";
import { isApiError } from "../../../api/status.ts";
import type { ConditionText } from "../../engine/conditions.ts";
import { isConditionTrue, mergeConditions } from "../../engine/conditions.ts";
import { NameConflictError } from "../../engine/perform.ts";
import type { Failure } from "../../engine/reconcile.ts";
import type { RolloutState } from "../../engine/rollout-conditions.ts";
import {
  rolloutConditions,
  rolloutConditionTypes,
  rolloutState,
} from "../../engine/rollout-conditions.ts";
import type { Observed } from "./observe.ts";
import type { GroupSetPlan, MemberState } from "./plan.ts";
import { desiredGroups } from "./plan.ts";

export function groupSetStatus(
  { set, revision, nowMs }: Observed,
  planned: GroupSetPlan,
  failure: Failure | undefined,
): RoleBasedGroupSetStatus {
  const present = planned.states.filter(({ group }) => !isTerminating(group));
  const ready = present.filter(({ group }) => isConditionTrue(group.status, "Ready")).length;
  const desired = desiredGroups(set);
  const { maxUnavailable } = planned.budget;
  const report = {
    ...stateOf(planned, failure),
    available: ready,
    needed: Math.max(0, desired - maxUnavailable),
    desired,
    noun: "group",
    causes: causesOf(present),
  };
  const ours = [readiness(ready, desired), ...rolloutConditions(report)];
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: present.length,
    readyReplicas: ready,
    updatedReplicas: present.filter(
      ({ unit }) => unit.revision === revision && unit.health === "available",
    ).length,
    conditions: mergeConditions(set.status?.conditions, ours, nowMs),
  };
}

function readiness(ready: number, desired: number): ConditionText {
  const isReady = ready >= desired;
  return {
    type: "Ready",
    status: isReady ? "True" : "False",
    reason: isReady ? "AllReplicasReady" : "ReplicasNotReady",
    message: isReady
      ? "All RoleBasedGroup replicas are ready"
      : `Not all RoleBasedGroup replicas are ready (${ready}/${desired})`,
  };
}

/** What the server refuses, and a group that stalls while the set waits for it, needs a person. */
function stateOf({ decision, states }: GroupSetPlan, failure: Failure | undefined): RolloutState {
  if (failure !== undefined && isRefusal(failure.cause)) {
    const message = `${decision.reason.message}, but that failed: ${failure.message}`;
    return { phase: "stalled", reason: "FailedStep", message };
  }
  const state = rolloutState(decision);
  const stalled = states.find(({ unit }) => unit.health === "unavailable");
  if (decision.kind !== "hold" || state.phase !== "moving" || stalled === undefined) return state;
  return { phase: "stalled", reason: "GroupStalled", message: decision.reason.message };
}

/** A lost race or a server that did not answer is tried again; what is refused would be refused again. */
const isRefusal = (cause: unknown): boolean =>
  isApiError(cause, "Invalid") ||
  isApiError(cause, "Forbidden") ||
  cause instanceof NameConflictError;

function causesOf(states: readonly MemberState[]): readonly string[] {
  return states.flatMap(({ group }) => {
    const find = (type: string): Condition | undefined =>
      group.status?.conditions?.find((each) => each.type === type && each.message !== "");
    const stalled = find(rolloutConditionTypes.stalled);
    const cause = stalled?.status === "True" ? stalled : find(rolloutConditionTypes.progressing);
    const isQuiet = isConditionTrue(group.status, "Ready") && stalled?.status !== "True";
    return cause === undefined || isQuiet ? [] : [`${group.metadata.name}: ${cause.message}`];
  });
}
