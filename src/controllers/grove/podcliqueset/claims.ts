/** What a set shares among its replicas: one claim for all of them, or one for each. */
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import type { ClaimNeeds } from "../align-claims.ts";
import { replicasUpTo, podCliqueSetLevel } from "../claim-sharing.ts";
import type { Observed } from "./observe.ts";
import type { Plan } from "./plan.ts";

/** Undefined where the set itself shares nothing. */
export function claimNeeds(
  { set, name, spec }: Observed,
  { replicaPlans }: Pick<Plan, "replicaPlans">,
): ClaimNeeds | undefined {
  const { template, replicas } = spec;
  if ((template.resourceSharing ?? []).length === 0) return undefined;
  const staying = replicaPlans
    .filter(({ action }) => action !== "remove")
    .map(({ index }) => index);
  return {
    resource: podCliqueSetResource,
    owner: set,
    level: podCliqueSetLevel(name, template),
    templates: template.resourceClaimTemplates,
    // Surge has indices of its own.
    indices: replicasUpTo(replicas, staying),
    leaving: replicaPlans.filter(({ action }) => action === "remove").map(({ index }) => index),
  };
}
