/** Schema of one role of a RoleBasedGroup. */
import * as z from "zod";
import { withRules } from "../../definition/custom-kind.ts";
import type { WrittenTemplate } from "./fields.ts";
import {
  count,
  intOrPercent,
  loosePodTemplate,
  mapList,
  mostRoles,
  podTemplate,
  roleName,
  servicePort,
  templatePatch,
} from "./fields.ts";
import { roleRules } from "./role-rules.ts";

export const restartPolicies = [
  "None",
  "RecreateRoleInstanceOnPodRestart",
  "RecreateRBGOnPodRestart",
] as const;

const texts = () => z.record(z.string(), z.string()).optional();

const rolloutStrategy = z.object({
  type: z.enum(["RollingUpdate"]).default("RollingUpdate").meta({
    description: "The only one there is. Default: RollingUpdate. Example: RollingUpdate.",
  }),
  rollingUpdate: z
    .object({
      partition: intOrPercent().default(0).meta({
        description:
          "Pods with a lower ordinal keep their revision: a number, or a share, rounded up. Default: 0. Example: 2.",
      }),
      maxUnavailable: intOrPercent()
        .default(1)
        .meta({
          description:
            "How many pods may be unavailable while the role is updated: a number, or a share, rounded down and at " +
            "least one. Default: 1. Example: 25%.",
        }),
      maxSurge: intOrPercent()
        .default(0)
        .meta({
          description:
            "How many pods may exist above replicas. StatefulSets have no surge: there it has no effect. " +
            "Default: 0. Example: 1.",
        }),
      type: z.enum(["Recreate", "InPlaceIfPossible"]).optional().meta({
        description:
          "Accepted for compatibility; pods are always recreated. Default: none. Example: Recreate.",
      }),
      paused: z.boolean().optional().meta({
        description: "Holds the rollout of this role where it is. Default: false. Example: true.",
      }),
      inPlaceUpdateStrategy: z
        .object({
          gracePeriodSeconds: z.int32().min(0).optional().meta({
            description:
              "Accepted for compatibility; it has no effect. Default: none. Example: 30.",
          }),
        })
        .optional()
        .meta({
          description:
            "Accepted for compatibility; pods are always recreated. Default: none. Example: Recreate.",
        }),
    })
    .optional()
    .meta({
      description: "How far and how fast the role is updated. Default: {maxUnavailable: 1}.",
    }),
});

const workload = z.object({
  apiVersion: z
    .string()
    .max(317)
    .default("apps/v1")
    .meta({ description: "Group and version of kind. Default: apps/v1. Example: apps/v1." }),
  kind: z
    .string()
    .max(63)
    .default("StatefulSet")
    .meta({
      description:
        "What runs the pods: StatefulSet, Deployment, LeaderWorkerSet, or Pod for pods that Lockstep manages itself. " +
        "Default: StatefulSet. Example: Deployment.",
    }),
});

const leaderWorkerSet = z.object({
  size: z.int32().min(1).default(1).meta({
    description: "Pods of one replica, the leader included. Default: 1. Example: 4.",
  }),
  patchLeaderTemplate: templatePatch()
    .optional()
    .meta({
      description:
        "What the leader has differently from template, as a strategic merge patch. " +
        "Default: the leader looks like the workers. Example: {metadata: {labels: {part: leader}}}.",
    }),
  patchWorkerTemplate: templatePatch()
    .optional()
    .meta({
      description:
        "What workers have differently from template, as a strategic merge patch. " +
        "Default: workers look like template. Example: {metadata: {labels: {part: worker}}}.",
    }),
});

const engineRuntime = z.looseObject({
  profileName: z.string().meta({ description: "The profile that is meant. Example: vllm." }),
});

const settings = {
  name: roleName().meta({
    description: "Names the role in workloads, hostnames and labels. Example: prefill.",
  }),
  replicas: count().default(1).meta({
    description: "How many pods, or groups of a leader and its workers. Default: 1. Example: 4.",
  }),
  labels: texts().meta({
    description:
      "Labels of the workload, beside those of Lockstep; v1 Pod takes those of template alone. Default: none. " +
      "Example: {team: search}.",
  }),
  annotations: texts().meta({
    description:
      "Annotations of the workload, beside those of Lockstep; v1 Pod takes those of template alone. Default: none. " +
      "Example: {owner: search}.",
  }),
  rolloutStrategy: rolloutStrategy.optional().meta({
    description:
      "How this role is updated where no coordination updates it. A role in a RollingUpdate coordination may " +
      "not have one. Default: {rollingUpdate: {maxUnavailable: 1}}.",
  }),
  restartPolicy: z
    .enum(restartPolicies)
    .optional()
    .meta({
      description:
        "What follows when a container of the role restarts. None: nothing. RecreateRoleInstanceOnPodRestart: the " +
        "pod, or the leader with its workers, is replaced. RecreateRBGOnPodRestart: all pods of the group are " +
        "replaced. Default: RecreateRoleInstanceOnPodRestart for LeaderWorkerSet, else None. " +
        "Example: RecreateRBGOnPodRestart.",
    }),
  dependencies: z
    .array(roleName())
    .max(mostRoles)
    .optional()
    .meta({
      description:
        "Roles that are ready before this one is started for the first time. Default: none. " +
        "Example: [prefill].",
      "x-kubernetes-list-type": "set",
    }),
  workload: workload.default({ apiVersion: "apps/v1", kind: "StatefulSet" }).meta({
    description:
      "What runs the pods of this role. Roles in an AffinityScheduling coordination are run as v1 Pod. " +
      "Default: {apiVersion: apps/v1, kind: StatefulSet}.",
  }),
};

const extras = {
  leaderWorkerSet: leaderWorkerSet.optional().meta({
    description:
      "Size and differences of leader and workers under LeaderWorkerSet. Default: {size: 1}. Example: {size: 4}.",
  }),
  servicePorts: z
    .array(servicePort())
    .max(64)
    .optional()
    .meta({
      description:
        "Ports that the discovery file lists for this role. Default: none. " +
        "Example: [{name: http, port: 8000}].",
      "x-kubernetes-list-type": "atomic",
    }),
  engineRuntimes: z.array(engineRuntime).max(16).optional().meta({
    description: "Accepted for compatibility; nothing is injected. Default: none.",
    "x-kubernetes-list-type": "atomic",
  }),
  scalingAdapter: z
    .object({
      enable: z.boolean().default(false).meta({
        description:
          "Makes a RoleBasedGroupScalingAdapter for the role. Default: false. Example: true.",
      }),
    })
    .optional()
    .meta({
      description:
        "Lets an autoscaler scale this role. Default: {enable: false}. Example: {enable: true}.",
    }),
  minReadySeconds: count().default(0).meta({
    description: "How long a pod is ready before it counts as available. Default: 0. Example: 30.",
  }),
};

/** The template that a role's pods are made from, written out or in a loose form. */
const roleSchema = <T extends z.ZodType<WrittenTemplate, WrittenTemplate>>(template: T) =>
  z
    .object({
      ...settings,
      template: template.optional().meta({
        description:
          "What the pods look like. Default: what templateRef names; exactly one of the two is set.",
      }),
      templateRef: z
        .object({
          name: z
            .string()
            .min(1)
            .max(63)
            .meta({ description: "Name in roleTemplates. Example: engine." }),
        })
        .optional()
        .meta({
          description:
            "The entry of roleTemplates that pods are made from. Default: none; template is needed then. " +
            "Example: {name: vllm}.",
        }),
      templatePatch: templatePatch()
        .optional()
        .meta({
          description:
            "What this role has differently from templateRef, as a strategic merge patch. Default: nothing. " +
            "Example: {spec: {priorityClassName: high}}.",
        }),
      ...extras,
    })
    .meta(withRules(roleRules));

export const role = roleSchema(podTemplate());
/** In a RoleBasedGroupSet; its groups are checked when they are made. */
export const looseRole = roleSchema(loosePodTemplate());

export const roleTemplate = z.object({
  name: z.string().min(1).max(63).meta({
    description: "What templateRef of a role refers to. Example: vllm.",
  }),
  template: loosePodTemplate().meta({
    description: "A pod template that several roles are made from.",
  }),
});

export const roleTemplates = () =>
  z
    .array(roleTemplate)
    .max(mostRoles)
    .optional()
    .meta({
      description: "Pod templates that roles share. Default: none, every role has its own.",
      ...mapList("name"),
    });
