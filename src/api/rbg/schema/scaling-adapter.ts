/** Schema of the RoleBasedGroupScalingAdapter. */
import * as z from "zod";
import { conditions, count, roleName, time } from "./fields.ts";

export const scalingAdapterSpec = z.object({
  replicas: count().optional().meta({
    description:
      "The size of the role, written by an autoscaler. Default: what the role has when it is bound. Example: 8.",
  }),
  scaleTargetRef: z
    .object({
      name: z.string().min(1).max(253).meta({
        description: "The RoleBasedGroup, in the same namespace. Example: chat.",
      }),
      role: roleName().meta({ description: "The role in it. Example: decode." }),
    })
    .meta({ description: "The role that is scaled." }),
});

export const scalingAdapterStatus = z.object({
  phase: z.enum(["", "NotBound", "Bound"]).optional().meta({
    description: "Bound while the group and the role exist.",
  }),
  replicas: count().optional().meta({ description: "Pods of the role that exist." }),
  readyReplicas: count().optional().meta({ description: "Pods of the role that are ready." }),
  selector: z.string().optional().meta({ description: "Finds the pods of the role." }),
  lastScaleTime: time().optional().meta({ description: "When the size was last changed." }),
  conditions: conditions().optional(),
});
