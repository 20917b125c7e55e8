/** Schema of the PodGang: what the scheduler places all at once or not at all. */
import * as z from "zod";
import { conditions, int32 } from "./fields.ts";

const label = "topology.kubernetes.io/rack";

const packConstraint = z
  .object({
    packConstraint: z
      .object({
        required: z
          .string()
          .optional()
          .meta({
            description: `Pods are placed only on nodes with one value of this label. Default: any. Example: ${label}.`,
          }),
        preferred: z
          .string()
          .optional()
          .meta({
            description: `Pods share one value of this label if they fit. Default: any. Example: ${label}.`,
          }),
      })
      .optional()
      .meta({
        description: "How closely the pods are packed, in labels of nodes. Default: not at all.",
      }),
  })
  .meta({ description: "Where the pods may be placed together. Default: anywhere." });

const namespacedName = z.object({
  namespace: z.string().meta({ description: "Its namespace. Example: default." }),
  name: z.string().meta({ description: "Its name. Example: chat-0-leader-0." }),
});

export const podGangSpec = z.object({
  podgroups: z
    .array(
      z.object({
        name: z.string().meta({ description: "The PodClique. Example: chat-0-decode." }),
        podReferences: z
          .array(namespacedName)
          .meta({ description: "Its pods, also those that do not exist yet." }),
        minReplicas: int32().meta({
          description: "So many of them are placed at once, or none. Example: 2.",
        }),
        topologyConstraint: packConstraint.optional(),
      }),
    )
    .meta({ description: "The cliques of the gang." }),
  topologyConstraint: packConstraint.optional(),
  topologyConstraintGroupConfigs: z
    .array(
      z.object({
        name: z.string().meta({
          description: "The PodCliqueScalingGroup with its replica. Example: chat-0-decode-0.",
        }),
        podGroupNames: z.array(z.string()).meta({
          description: "The cliques that it is about. Example: [chat-0-decode-0-leader].",
        }),
        topologyConstraint: packConstraint.optional(),
      }),
    )
    .optional()
    .meta({ description: "Constraints of some of the cliques together. Default: none." }),
  priorityClassName: z.string().optional().meta({
    description: "The priority of the gang. Default: none. Example: serving.",
  }),
  reuseReservationRef: namespacedName.optional().meta({
    description: "A gang whose place it may take; schedulers may use it. Default: none.",
  }),
});

export const podGangStatus = z.object({
  phase: z.enum(["Pending", "Starting", "Running"]).meta({
    description: "Pending until the pods have nodes, Starting until they are ready, then Running.",
  }),
  conditions: conditions().optional(),
  placementScore: z.number().optional().meta({
    description: "How well the pods are packed, from 0 to 1; written by the scheduler.",
  }),
});
