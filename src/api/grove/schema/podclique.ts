/** Schema of the PodClique: pods of one role. */
import * as z from "zod";
import {
  autoScaling,
  conditions,
  count,
  int32,
  lastErrors,
  mostCliques,
  observedGeneration,
  podSpec,
  surgeReleased,
  updateTimes,
} from "./fields.ts";
import { withRules } from "../../definition/custom-kind.ts";
import { nameBudget } from "../names.ts";
import { cliqueSpecRules, frozenValue, recreate } from "./rules.ts";
import { childUpdateStrategy } from "./update-strategy.ts";

/** What the clique of a template and the PodClique made from it have in common. */
const cliqueFields = {
  podSpec: podSpec(),
  minAvailable: int32()
    .min(1)
    .optional()
    .meta({
      description:
        "Fewest ready pods with which the clique does its work; the gang is scheduled and kept with them. " +
        "Cannot be changed. Default: replicas. Example: 2.",
    }),
  autoScalingConfig: autoScaling.optional(),
};

const roleName = z.string().min(1).max(253);

/** `spec` of a clique in a PodCliqueSet. */
export const cliqueSpec = z
  .object({
    roleName: roleName.meta({
      description:
        "What the pods are in the graph; used once per set. Cannot be changed. Example: decode.",
      ...withRules([frozenValue("roleName", recreate)]),
    }),
    ...cliqueFields,
    replicas: count()
      .default(1)
      .meta({
        description:
          "How many pods a new PodClique starts with; later its scale subresource decides: kubectl scale pclq. " +
          "Default: 1. Example: 4.",
      }),
    startsAfter: z
      .array(z.string().min(1).max(nameBudget))
      .max(mostCliques)
      .optional()
      .meta({
        description:
          "Cliques that have to be ready before the pods of this one start, under CliqueStartupTypeExplicit. " +
          "Cannot be changed. Default: none. Example: [prefill].",
        "x-kubernetes-list-type": "set",
      }),
  })
  .meta({
    description: "The pods of the clique and how many there are.",
    ...withRules(cliqueSpecRules),
  });

export const podCliqueSpec = z.object({
  roleName: roleName.meta({ description: "What the pods are in the graph. Example: decode." }),
  ...cliqueFields,
  replicas: count().meta({
    description:
      "How many pods there should be; autoscalers and kubectl scale write it. Example: 4.",
  }),
  startsAfter: z.array(z.string()).optional().meta({
    description:
      "PodCliques that have to be ready before the pods of this one start. Default: none. Example: [chat-0-router].",
  }),
  updateStrategy: childUpdateStrategy.optional(),
});

const updateProgress = z.object({
  ...updateTimes,
  podCliqueSetGenerationHash: z.string().meta({
    description: "The revision of the PodCliqueSet that the update goes to, an opaque string.",
  }),
  podTemplateHash: z.string().meta({
    description: "The template that the update goes to, an opaque string.",
  }),
  readyPodsSelectedToUpdate: z
    .object({
      current: z.string().meta({ description: "The first of the pods in transition." }),
      completed: z.array(z.string()).optional().meta({ description: "Pods that are updated." }),
    })
    .optional()
    .meta({ description: "One of the pods in transition; updatingPods has all of them." }),
  updatingPods: z.array(z.string()).optional().meta({
    description: "Pods that are being replaced now.",
  }),
  surgePods: z.array(z.string()).optional().meta({
    description: "Pods above replicas that stand in during the update.",
  }),
  surgeReleased: surgeReleased(),
});

export const podCliqueStatus = z.object({
  observedGeneration: observedGeneration(),
  replicas: int32().optional().meta({ description: "Pods there are, terminating ones aside." }),
  readyReplicas: int32().default(0).meta({ description: "Pods that are ready." }),
  updatedReplicas: int32().default(0).meta({
    description: "Pods of the newest template of the set.",
  }),
  scheduleGatedReplicas: int32().default(0).meta({
    description: "Pods that wait behind a scheduling gate: for their gang, or for another clique.",
  }),
  scheduledReplicas: int32().default(0).meta({ description: "Pods that have a node." }),
  hpaPodSelector: z.string().optional().meta({
    description: "Selects the pods, for autoscalers. Absent on members of scaling groups.",
  }),
  conditions: conditions().optional(),
  lastErrors: lastErrors.optional(),
  currentPodCliqueSetGenerationHash: z.string().optional().meta({
    description: "The revision of the PodCliqueSet that all pods have reached.",
  }),
  currentPodTemplateHash: z.string().optional().meta({
    description: "The template that all pods have reached.",
  }),
  updateProgress: updateProgress.optional().meta({
    description: "The update that is under way, or the last one.",
  }),
});
