/** The update strategies of the three levels. */
import * as z from "zod";
import { withRules } from "../../definition/custom-kind.ts";
import { budgetRules } from "./rules.ts";
import { count, int32, intOrPercent } from "./fields.ts";

export const strategyTypes = [
  "RollingRecreate",
  "RollingUpdate",
  "ReplicaRecreate",
  "OnDelete",
] as const;

export const stuckAnswers = ["Wait", "ReleaseSurge", "Rollback"] as const;

const budgetFields = {
  maxUnavailable: intOrPercent("^(0|[1-9][0-9]?|100)%$").optional().meta({
    description: "How many may be down at once, a number or a percentage; rounds down. Default 1.",
  }),
  maxSurge: intOrPercent("^(0|[1-9][0-9]{0,2})%$").optional().meta({
    description:
      "How many may exist above replicas, a number or a percentage; rounds up. Default 0.",
  }),
};

const strategyType = z
  .enum(strategyTypes)
  .default("RollingRecreate")
  .meta({
    description:
      "RollingRecreate, also called RollingUpdate: replica by replica, each component under its own budget. " +
      "ReplicaRecreate: whole replicas. OnDelete: only what somebody deletes.",
  });
const partition = count().optional().meta({
  description: "Units with an index below it keep their revision: a canary.",
});
const paused = z.boolean().optional().meta({ description: "Holds the rollout where it is." });
const progressDeadlineSeconds = int32().min(1).optional().meta({
  description: "How long a rollout may stand still before it is called stuck.",
});
const onStuck = z.enum(stuckAnswers).optional().meta({
  description:
    "What is done when a rollout is stuck: wait, give up the surge, or go back to the revision before.",
});

/** `spec.updateStrategy` of a PodCliqueSet. */
export const setUpdateStrategy = z.object({
  type: strategyType,
  rollingUpdate: z.object(budgetFields).meta(withRules(budgetRules)).optional(),
  paused,
  partition,
  progressDeadlineSeconds,
  onStuck,
});

/** `updateStrategy` of a clique or a scaling group in the template. */
export const componentUpdateStrategy = z
  .object({ ...budgetFields, partition })
  .meta(withRules(budgetRules));

/** What a PodCliqueSet writes into its PodClique and PodCliqueScalingGroup objects. */
export const childUpdateStrategy = z.object({
  type: strategyType,
  ...budgetFields,
  paused,
  partition,
  progressDeadlineSeconds,
  onStuck,
});
