/** Schema of the RoleBasedGroupSet. */
import * as z from "zod";
import { conditions, count, observedGeneration } from "./fields.ts";
import { looseGroupSpec } from "./rolebasedgroup.ts";

export const groupSetSpec = z.object({
  replicas: count().default(1).meta({ description: "How many groups. Default: 1. Example: 3." }),
  template: looseGroupSpec.meta({
    description:
      "The spec of every group. Pod templates in it are checked when the groups are made.",
  }),
});

export const groupSetStatus = z.object({
  observedGeneration: observedGeneration(),
  replicas: count().optional().meta({ description: "Groups that exist." }),
  readyReplicas: count().optional().meta({ description: "Groups whose condition Ready is True." }),
  updatedReplicas: count()
    .optional()
    .meta({ description: "Groups that have the present template and are rolled out to it." }),
  conditions: conditions().optional(),
});
