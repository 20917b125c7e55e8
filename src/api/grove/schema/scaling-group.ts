/** Schema of the PodCliqueScalingGroup: cliques that are scaled and replaced together. */
import * as z from "zod";
import { conditions, int32, lastErrors, time } from "./fields.ts";
import { childUpdateStrategy } from "./update-strategy.ts";

export const scalingGroupSpec = z.object({
  replicas: int32().min(0).default(1),
  minAvailable: int32().min(1).default(1),
  cliqueNames: z.array(z.string()).min(1),
  updateStrategy: childUpdateStrategy.optional(),
});

const updateProgress = z.object({
  updateStartedAt: time(),
  updateEndedAt: time().optional(),
  podCliqueSetGenerationHash: z.string(),
  updatedPodCliquesCount: int32().optional(),
  totalPodCliquesCount: int32().optional(),
  readyReplicaIndicesSelectedToUpdate: z
    .object({ current: int32(), completed: z.array(int32()).optional() })
    .optional(),
  updatingReplicaIndices: z.array(int32()).optional(),
  surgeReplicaIndices: z.array(int32()).optional(),
  surgeReleased: z.boolean().optional(),
});

export const scalingGroupStatus = z.object({
  observedGeneration: z.int().optional(),
  replicas: int32().optional(),
  scheduledReplicas: int32().default(0),
  availableReplicas: int32().default(0),
  updatedReplicas: int32().default(0),
  selector: z.string().optional(),
  conditions: conditions().optional(),
  lastErrors: lastErrors.optional(),
  currentPodCliqueSetGenerationHash: z.string().optional(),
  observedRevision: z.string().optional().meta({
    description: "The revision that its members are made from; none of an earlier one will come.",
  }),
  updateProgress: updateProgress.optional(),
});
