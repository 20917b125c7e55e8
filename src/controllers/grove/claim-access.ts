/** What it takes to share devices; asked for only where a PodCliqueSet does. */
import { resourceClaimResource, resourceClaimTemplateResource } from "../../api/resource-claim.ts";
import type { Access } from "../engine/kind-definition.ts";

const why = "Devices that a PodCliqueSet shares; asked for only where one does.";

export const claimAccess: readonly Access[] = [
  { resource: resourceClaimResource, verbs: ["create", "patch", "delete"], why },
  { resource: resourceClaimTemplateResource, verbs: ["get"], why },
];
