/** Schema of the PodGang: what the scheduler places all at once or not at all. */
import * as z from "zod";
import { conditions, int32 } from "./fields.ts";

const packConstraint = z.object({
  packConstraint: z
    .object({ required: z.string().optional(), preferred: z.string().optional() })
    .optional(),
});

const namespacedName = z.object({ namespace: z.string(), name: z.string() });

export const podGangSpec = z.object({
  podgroups: z.array(
    z.object({
      name: z.string(),
      podReferences: z.array(namespacedName),
      minReplicas: int32(),
      topologyConstraint: packConstraint.optional(),
    }),
  ),
  topologyConstraint: packConstraint.optional(),
  topologyConstraintGroupConfigs: z
    .array(
      z.object({
        name: z.string(),
        podGroupNames: z.array(z.string()),
        topologyConstraint: packConstraint.optional(),
      }),
    )
    .optional(),
  priorityClassName: z.string().optional(),
  reuseReservationRef: namespacedName.optional(),
});

export const podGangStatus = z.object({
  phase: z.enum(["Pending", "Starting", "Running"]),
  conditions: conditions().optional(),
  placementScore: z.number().optional(),
});
