/** What a set shares among its replicas: one claim for all of them, or one for each. */
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import type { ClaimNeeds } from "../align-claims.ts";
import { replicasUpTo, setLevel } from "../claim-sharing.ts";
import type { Observed } from "./observe.ts";
import type { Plan } from "./plan.ts";

/** Undefined where the set itself shares nothing. */
export function claimNeeds(
  { set, name, spec }: Observed,
  { aims }: Pick<Plan, "aims">,
): ClaimNeeds | undefined {
  const { template, replicas } = spec;
  if ((template.resourceSharing ?? []).length === 0) return undefined;
  const staying = aims.filter(({ aim }) => aim !== "remove").map(({ index }) => index);
  return {
    resource: podCliqueSetResource,
    owner: set,
    level: setLevel(name, template),
    templates: template.resourceClaimTemplates,
    // Surge has indices of its own.
    indices: replicasUpTo(replicas, staying),
    leaving: aims.filter(({ aim }) => aim === "remove").map(({ index }) => index),
  };
}
