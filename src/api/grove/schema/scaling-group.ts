/** Schema of the PodCliqueScalingGroup: cliques that are scaled and replaced together. */
import * as z from "zod";
import {
  conditions,
  int32,
  lastErrors,
  observedGeneration,
  surgeReleased,
  updateTimes,
} from "./fields.ts";
import { childUpdateStrategy } from "./update-strategy.ts";

export const scalingGroupSpec = z.object({
  replicas: int32().min(0).default(1).meta({
    description:
      "How many replicas the group has; autoscalers and kubectl scale write it. Default: 1. Example: 3.",
  }),
  minAvailable: int32().min(1).default(1).meta({
    description:
      "Fewest replicas with which the group does its work; they are part of the base gang. Default: 1. Example: 1.",
  }),
  cliqueNames: z.array(z.string()).min(1).meta({
    description: "The cliques of one replica of the group. Example: [leader, worker].",
  }),
  updateStrategy: childUpdateStrategy.optional(),
});

const updateProgress = z.object({
  ...updateTimes,
  podCliqueSetGenerationHash: z.string().meta({
    description: "The revision of the PodCliqueSet that the update goes to, an opaque string.",
  }),
  updatedPodCliquesCount: int32().optional().meta({
    description: "PodCliques of the group whose pods are all updated.",
  }),
  totalPodCliquesCount: int32().optional().meta({ description: "PodCliques of the group." }),
  readyReplicaIndicesSelectedToUpdate: z
    .object({
      current: int32().meta({ description: "The first of the replicas in transition." }),
      completed: z.array(int32()).optional().meta({ description: "Replicas that are updated." }),
    })
    .optional()
    .meta({
      description: "One of the replicas in transition; updatingReplicaIndices has them all.",
    }),
  updatingReplicaIndices: z.array(int32()).optional().meta({
    description: "Replicas that are being replaced now.",
  }),
  surgeReplicaIndices: z.array(int32()).optional().meta({
    description: "Replicas above the desired number that stand in during the update.",
  }),
  surgeReleased: surgeReleased(),
});

export const scalingGroupStatus = z.object({
  observedGeneration: observedGeneration(),
  replicas: int32().optional().meta({ description: "The desired number of replicas." }),
  scheduledReplicas: int32().default(0).meta({
    description: "Replicas in which enough pods have a node.",
  }),
  availableReplicas: int32().default(0).meta({
    description: "Replicas that serve; surge counts for replicas in transition.",
  }),
  updatedReplicas: int32().default(0).meta({
    description: "Replicas of the target revision that serve.",
  }),
  selector: z.string().optional().meta({
    description: "Selects all pods of the group, for autoscalers.",
  }),
  conditions: conditions().optional(),
  lastErrors: lastErrors.optional(),
  currentPodCliqueSetGenerationHash: z.string().optional().meta({
    description: "The revision of the PodCliqueSet that all replicas have reached.",
  }),
  observedRevision: z.string().optional().meta({
    description: "The revision that its members are created from.",
  }),
  updateProgress: updateProgress.optional().meta({
    description: "The update that is under way, or the last one.",
  }),
});
