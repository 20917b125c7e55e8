/** Schema of the PodClique: pods of one role. */
import { z } from "zod";
import { autoScaling, conditions, count, int32, lastErrors, podSpec, time } from "./fields.ts";
import { childUpdateStrategy } from "./update-strategy.ts";

/** What the clique of a template and the PodClique made from it have in common. */
const cliqueFields = {
  roleName: z.string(),
  podSpec: podSpec(),
  minAvailable: int32().optional(),
  startsAfter: z.array(z.string()).optional(),
  autoScalingConfig: autoScaling.optional(),
};

/** `spec` of a clique in a PodCliqueSet. */
export const cliqueSpec = z.object({ ...cliqueFields, replicas: count().default(1) });

export const podCliqueSpec = z.object({
  ...cliqueFields,
  replicas: count(),
  updateStrategy: childUpdateStrategy.optional(),
});

const updateProgress = z.object({
  updateStartedAt: time(),
  updateEndedAt: time().optional(),
  podCliqueSetGenerationHash: z.string(),
  podTemplateHash: z.string(),
  readyPodsSelectedToUpdate: z
    .object({ current: z.string(), completed: z.array(z.string()).optional() })
    .optional(),
  updatingPods: z.array(z.string()).optional(),
  surgePods: z.array(z.string()).optional(),
});

export const podCliqueStatus = z.object({
  observedGeneration: z.int().optional(),
  replicas: int32().optional(),
  readyReplicas: int32().default(0),
  updatedReplicas: int32().default(0),
  scheduleGatedReplicas: int32().default(0),
  scheduledReplicas: int32().default(0),
  hpaPodSelector: z.string().optional(),
  conditions: conditions().optional(),
  lastErrors: lastErrors.optional(),
  currentPodCliqueSetGenerationHash: z.string().optional(),
  currentPodTemplateHash: z.string().optional(),
  updateProgress: updateProgress.optional(),
});
