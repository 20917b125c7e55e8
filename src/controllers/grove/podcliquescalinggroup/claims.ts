/** What a scaling group shares among its replicas: one claim for all of them, or one for each. */
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import type { ClaimNeeds } from "../align-claims.ts";
import { groupLevel, replicasUpTo } from "../claim-sharing.ts";
import type { Observed } from "./observe.ts";
import type { MemberCreation } from "./plan.ts";

/** Undefined where the group itself shares nothing. */
export function claimNeeds(
  { group, groupName, set, spec, setReplica, replicas }: Observed,
  creations: readonly MemberCreation[],
): ClaimNeeds | undefined {
  const { podCliqueScalingGroups, resourceClaimTemplates } = spec.template;
  const template = podCliqueScalingGroups.find(({ name }) => name === groupName);
  if (template === undefined || (template.resourceSharing ?? []).length === 0) return undefined;
  return {
    resource: scalingGroupResource,
    owner: group,
    level: groupLevel({ set: set.metadata.name ?? "", setReplica }, template),
    templates: resourceClaimTemplates,
    indices: replicasUpTo(
      group.spec.replicas ?? 1,
      creations.map(({ index }) => index),
    ),
    leaving: replicas.map(({ index }) => index),
  };
}
