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
    description:
      "How many units may be down at once, a number or a percentage that rounds down. Default: 1. Example: 25%.",
  }),
  maxSurge: intOrPercent("^(0|[1-9][0-9]{0,2})%$")
    .optional()
    .meta({
      description:
        "How many units may exist above replicas, a number or a percentage that rounds up; they need room on the " +
        "nodes. Default: 0. Example: 1.",
    }),
};

const strategyType = z
  .enum(strategyTypes)
  .default("RollingRecreate")
  .meta({
    description:
      "RollingRecreate, also called RollingUpdate: replica by replica, each component under its own budget. " +
      "ReplicaRecreate: whole replicas, so that one replica never runs two revisions. OnDelete: only what users " +
      "delete. Default: RollingRecreate. Example: ReplicaRecreate.",
  });
const partition = count().optional().meta({
  description:
    "Units with an index below it keep their revision: a canary. Default: 0. Example: 3, with 4 units: one is updated.",
});
const paused = z.boolean().optional().meta({
  description: "Stops the rollout where it is; nothing is put back. Default: false. Example: true.",
});
const progressDeadlineSeconds = int32()
  .min(1)
  .optional()
  .meta({
    description:
      "How long a rollout may make no progress before it counts as stuck. Default: 1800, because large models load " +
      "slowly. Example: 600.",
  });
const onStuck = z
  .enum(stuckAnswers)
  .optional()
  .meta({
    description:
      "What is done when a rollout is stuck: Wait reports it, ReleaseSurge deletes surge that does not fit, Rollback " +
      "puts the last revision back into the spec. Default: Wait. Example: Rollback.",
  });

/** `spec.updateStrategy` of a PodCliqueSet. */
export const setUpdateStrategy = z
  .object({
    type: strategyType,
    rollingUpdate: z
      .object(budgetFields)
      .meta({
        description:
          "The budget of ReplicaRecreate, in replicas of the set. Default: one down, no surge.",
        ...withRules(budgetRules),
      })
      .optional(),
    paused,
    partition,
    progressDeadlineSeconds,
    onStuck,
  })
  .meta({
    description:
      "How outdated replicas are replaced. Default: RollingRecreate, one unit at a time.",
  });

/** `updateStrategy` of a clique or a scaling group in the template. */
export const componentUpdateStrategy = z.object({ ...budgetFields, partition }).meta({
  description:
    "How its units are replaced under RollingRecreate. Default: one down at a time, no surge.",
  ...withRules(budgetRules),
});

/** What a PodCliqueSet writes into its PodClique and PodCliqueScalingGroup objects. */
export const childUpdateStrategy = z
  .object({
    type: strategyType,
    ...budgetFields,
    paused,
    partition,
    progressDeadlineSeconds,
    onStuck,
  })
  .meta({
    description: "How its units are replaced; written by the PodCliqueSet. Default: one at a time.",
  });
