/** Schema of the PodClique: pods of one role. */
import * as z from "zod";
import {
  autoScaling,
  conditions,
  count,
  int32,
  lastErrors,
  mostCliques,
  podSpec,
  time,
} from "./fields.ts";
import { withRules } from "../../definition/custom-kind.ts";
import { nameBudget } from "../names.ts";
import { cliqueSpecRules, frozenValue, recreate } from "./rules.ts";
import { childUpdateStrategy } from "./update-strategy.ts";

/** What the clique of a template and the PodClique made from it have in common. */
const cliqueFields = {
  podSpec: podSpec(),
  minAvailable: int32().min(1).optional().meta({
    description: "Fewest ready pods with which the clique does its work; defaults to replicas.",
  }),
  autoScalingConfig: autoScaling.optional(),
};

const roleName = z.string().min(1).max(253);

/** `spec` of a clique in a PodCliqueSet. */
export const cliqueSpec = z
  .object({
    roleName: roleName.meta({
      description: "What the pods are in the graph; used once per set.",
      ...withRules([frozenValue("roleName", recreate)]),
    }),
    ...cliqueFields,
    replicas: count()
      .default(1)
      .meta({ description: "How many pods a new PodClique starts with." }),
    startsAfter: z.array(z.string().min(1).max(nameBudget)).max(mostCliques).optional().meta({
      description: "Cliques that have to be ready before the pods of this one start.",
      "x-kubernetes-list-type": "set",
    }),
  })
  .meta(withRules(cliqueSpecRules));

export const podCliqueSpec = z.object({
  roleName,
  ...cliqueFields,
  replicas: count(),
  startsAfter: z.array(z.string()).optional(),
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
  surgeReleased: z.boolean().optional(),
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
