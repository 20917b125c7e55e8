/** How a coordination is written, in any of the three accepted shapes. */
import * as z from "zod";
import { withRules } from "../../definition/custom-kind.ts";
import { coordinationRules, stepRules } from "./coordination-rules.ts";
import { count, intOrPercent, mostRoles, mostSteps, percent, roleName, time } from "./fields.ts";

const step = z
  .object({
    roles: z.record(z.string(), intOrPercent()).meta({
      description:
        "How much of each role runs the new revision once this step is reached, rounded up; a role that is " +
        "not named stays where it is. Example: {frontend: 50%}.",
      maxProperties: mostRoles,
    }),
    pause: z
      .object({
        seconds: z.int32().min(1).optional().meta({
          description:
            "How long to wait. Default: the step waits until it is promoted. Example: 60.",
        }),
      })
      .optional()
      .meta({
        description: "Waits after the step is reached. Default: the next step follows at once.",
      }),
  })
  .meta(withRules(stepRules));

/** They stand in `strategy` itself (the flat shape) or in `strategy.rollingUpdate`. */
const rollingFields = {
  maxUnavailableRatio: intOrPercent()
    .optional()
    .meta({
      description:
        "How much of each role may be unavailable while it is updated: a share, rounded down and at least one pod, " +
        "or a number. Default: 1. Example: 5%, which is 10 of 200.",
    }),
  maxUnavailable: intOrPercent().optional().meta({
    description: "Another name of maxUnavailableRatio. Example: 10%.",
  }),
  maxSkew: percent()
    .optional()
    .meta({
      description:
        "How far the updated shares of two roles may differ, besides one whole pod. " +
        "Default: roles do not wait for each other. Example: 1%.",
    }),
  partition: intOrPercent()
    .optional()
    .meta({
      description:
        "How much of each role keeps its old revision: a share, rounded up, or a number. Pods of high ordinals " +
        "change. Default: 0. Example: 80%, which updates the ordinals 160 to 199 of 200.",
    }),
  steps: z
    .array(step)
    .min(1)
    .max(mostSteps)
    .optional()
    .meta({
      description:
        "Updated shares per role that are reached in this order, instead of maxSkew. After the last one the rollout " +
        "goes on to the end. Default: no steps. " +
        "Example: [{roles: {frontend: 50%}, pause: {}}, {roles: {backend: 100%}}].",
    }),
  progressDeadlineSeconds: z.int32().min(1).optional().meta({
    description:
      "How long the rollout may stand still before the condition Stalled says so. Default: 1800. Example: 600.",
  }),
};

const affinityScheduling = z.object({
  topologyKey: z
    .string()
    .min(1)
    .max(317)
    .default("kubernetes.io/hostname")
    .meta({
      description:
        "Label of nodes; the pods of one batch share a node, or a group of nodes, with one value of it. " +
        "Default: kubernetes.io/hostname. Example: topology.kubernetes.io/rack.",
    }),
  ratios: z.record(z.string(), z.int32().min(1)).meta({
    description:
      "How many pods of each role are in one batch. It names every role of the coordination. " +
      "Example: {prefill: 2, decode: 1}.",
    minProperties: 1,
    maxProperties: mostRoles,
  }),
  batchMode: z
    .enum(["Sequential", "Parallel"])
    .default("Sequential")
    .meta({
      description:
        "Sequential: a batch starts when all before it are ready. Parallel: all start at once. " +
        "Default: Sequential. Example: Parallel.",
    }),
});

const scaling = z.object({
  maxSkew: percent()
    .optional()
    .meta({
      description:
        "How much further than the others a role may be on its way to its replicas, besides one whole pod. " +
        "Default: 100%, roles do not wait for each other. Example: 5%.",
    }),
  progression: z
    .enum(["OrderScheduled", "OrderReady"])
    .default("OrderScheduled")
    .meta({
      description:
        "What the next pods wait for: that all before them have a node, or that they are ready. " +
        "Default: OrderScheduled. Example: OrderReady.",
    }),
});

const strategy = z
  .object({
    ...rollingFields,
    rollingUpdate: z.object(rollingFields).optional().meta({
      description:
        "How the roles are updated together. Default: the same fields in strategy itself. Example: {maxSkew: 1%}.",
    }),
    affinityScheduling: affinityScheduling.optional().meta({
      description:
        "Which pods of the roles are placed together. Type AffinityScheduling needs it. " +
        "Default: none, the coordination is about updates. Example: {ratios: {prefill: 2, decode: 1}}.",
    }),
    scaling: scaling.optional().meta({
      description:
        "How the roles grow together, from nothing and later; a role that shrinks does so at once. " +
        "Default: each grows at once. Example: {maxSkew: 10%, progression: OrderReady}.",
    }),
  })
  .meta({
    description:
      "What the coordination asks for, according to its type. Default: {}, a rolling update with the defaults below. " +
      "Example: {maxSkew: 1%}.",
  });

export const coordination = z
  .object({
    name: z
      .string()
      .min(1)
      .max(63)
      .regex(/^[a-zA-Z0-9]([-_.a-zA-Z0-9]*[a-zA-Z0-9])?$/)
      .meta({
        description:
          "Names the coordination in the status, in events and in labels. Example: prefill-decode.",
      }),
    type: z
      .enum(["RollingUpdate", "AffinityScheduling"])
      .optional()
      .meta({
        description:
          "RollingUpdate: the roles are updated side by side. AffinityScheduling: their pods are placed together in " +
          "batches. Default: what strategy contains. Example: RollingUpdate.",
      }),
    roles: z.array(roleName()).min(1).max(mostRoles).meta({
      description: "The roles that are coordinated. Example: [prefill, decode].",
      "x-kubernetes-list-type": "set",
    }),
    strategy: strategy.default({}),
  })
  .meta(withRules(coordinationRules));

export const coordinationState = z.object({
  name: z.string().meta({ description: "The coordination that this is about." }),
  state: z.string().meta({
    description:
      "Where it stands: Starting, Progressing, Waiting, Paused, AwaitingPromotion, Failing, AtPartition or Completed.",
  }),
  message: z.string().optional().meta({ description: "The state in a sentence, with its cause." }),
  revision: z.string().optional().meta({
    description: "The value of the revision label that pods of these roles have in the end.",
  }),
  progress: z
    .record(
      z.string(),
      z.object({
        strategy: z.string().meta({ description: "RollingUpdate or AffinityScheduling." }),
        state: z.string().meta({ description: "Where the role stands, as above." }),
        replicas: count().optional().meta({ description: "How many pods are wanted." }),
        updatedReplicas: count().optional().meta({ description: "Pods of the new revision." }),
        availableReplicas: count()
          .optional()
          .meta({ description: "Pods of the new revision that are available." }),
        message: z
          .string()
          .optional()
          .meta({ description: "Why the role moves or waits, with the pod and its cause." }),
      }),
    )
    .optional()
    .meta({ description: "The same for each role." }),
  steps: z
    .object({
      revision: z.string().meta({ description: "The revision that the steps lead to." }),
      passed: count().meta({ description: "How many steps are passed." }),
      reachedAt: time().optional().meta({
        description: "When the step after the passed ones was reached; absent until then.",
      }),
    })
    .optional()
    .meta({
      description: "Ordered steps: how many are passed, and since when the next one is reached.",
    }),
  promotion: z.string().optional().meta({
    description:
      "While a step waits to be promoted: the value of the annotation lockstep.dev/promote that promotes it.",
  }),
  lastUpdateTime: time().optional().meta({ description: "When the state last changed." }),
});
