/** The update strategies of the three levels. */
import { z } from "zod";
import { count, int32, intOrPercent } from "./fields.ts";

export const strategyTypes = [
  "RollingRecreate",
  "RollingUpdate",
  "ReplicaRecreate",
  "OnDelete",
] as const;

export const stuckAnswers = ["Wait", "ReleaseSurge", "Rollback"] as const;

const budgetFields = {
  maxUnavailable: intOrPercent().optional(),
  maxSurge: intOrPercent().optional(),
};

const strategyType = z.enum(strategyTypes).default("RollingRecreate");
const partition = count().optional();
const paused = z.boolean().optional();
const progressDeadlineSeconds = int32().min(1).optional();
const onStuck = z.enum(stuckAnswers).optional();

/** `spec.updateStrategy` of a PodCliqueSet. */
export const setUpdateStrategy = z.object({
  type: strategyType,
  rollingUpdate: z.object(budgetFields).optional(),
  paused,
  partition,
  progressDeadlineSeconds,
  onStuck,
});

/** `updateStrategy` of a clique or a scaling group in the template. */
export const componentUpdateStrategy = z.object({ ...budgetFields, partition });

/** What a PodClique or PodCliqueScalingGroup object is told by its PodCliqueSet. */
export const childUpdateStrategy = z.object({
  type: strategyType,
  ...budgetFields,
  paused,
  partition,
  progressDeadlineSeconds,
  onStuck,
});
