/** Tells the scaling groups of a replica that its gang starts over, so that nobody restarts it again meanwhile. */
import { conditionReasons, conditionTypes } from "../../../api/grove/conditions.ts";
import type { PodCliqueScalingGroup } from "../../../api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import type { Client } from "../../../runtime/client.ts";
import { mergeConditions } from "../../engine/conditions.ts";
import type { ReplicaState } from "./replica-state.ts";
import type { Observed } from "./observe.ts";

export async function markRestarting(
  client: Client,
  { nowMs }: Observed,
  { groups, index }: ReplicaState,
): Promise<void> {
  const condition = {
    type: conditionTypes.gangTerminationInProgress,
    status: "True",
    reason: conditionReasons.gangTerminationActive,
    message: `replica ${index} was below minAvailable for longer than terminationDelay`,
  } as const;
  for (const { object } of groups) {
    if (object?.status === undefined || isMarked(object)) continue;
    const conditions = mergeConditions(object.status.conditions, [condition], nowMs);
    const next = { ...object, status: { ...object.status, conditions } };
    await client.update(scalingGroupResource, next, { subresource: "status" });
  }
}

export const isMarked = ({ status }: PodCliqueScalingGroup): boolean =>
  status?.conditions?.some(
    (condition) =>
      condition.type === conditionTypes.gangTerminationInProgress && condition.status === "True",
  ) ?? false;
