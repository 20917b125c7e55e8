/** Schema of the RoleBasedGroup: roles of one service that change together. */
import * as z from "zod";
import { withRules } from "../../definition/custom-kind.ts";
import { coordination, coordinationState } from "./coordination.ts";
import {
  conditions,
  count,
  mapList,
  mostCoordinations,
  mostRoles,
  observedGeneration,
  roleName,
} from "./fields.ts";
import { groupRules } from "./group-rules.ts";
import { looseRole, role, roleTemplates } from "./role.ts";

const podGroupPolicy = z
  .object({
    kubeScheduling: z
      .object({
        scheduleTimeoutSeconds: z.int32().min(1).default(60).meta({
          description:
            "How long the scheduler tries to place all of them. Default: 60. Example: 120.",
        }),
      })
      .optional()
      .meta({
        description:
          "A PodGroup of the scheduler-plugins. Default: none; volcanoScheduling is needed then.",
      }),
    volcanoScheduling: z
      .object({
        priorityClassName: z.string().max(253).optional().meta({
          description:
            "Priority of the whole group. Default: what Volcano gives a PodGroup without one. Example: high.",
        }),
        queue: z.string().max(253).optional().meta({
          description:
            "The queue that it waits in. Default: the one that Volcano chooses. Example: serving.",
        }),
      })
      .optional()
      .meta({
        description: "A PodGroup of Volcano. Default: none; kubeScheduling is needed then.",
      }),
  })
  .meta({
    description:
      "Asks a gang scheduler to place all pods of the group, or none. Default: no PodGroup is made. " +
      "Example: {kubeScheduling: {}}.",
    ...withRules([
      {
        rule: "has(self.kubeScheduling) != has(self.volcanoScheduling)",
        message: "podGroupPolicy: set exactly one of kubeScheduling and volcanoScheduling",
      },
    ]),
  });

const specOf = <R extends z.ZodType>(roleOf: R) =>
  z
    .object({
      roles: z
        .array(roleOf)
        .min(1)
        .max(mostRoles)
        .meta({ description: "The parts of the service.", ...mapList("name") }),
      roleTemplates: roleTemplates(),
      podGroupPolicy: podGroupPolicy.optional(),
      coordination: z
        .array(coordination)
        .max(mostCoordinations)
        .optional()
        .meta({
          description:
            "Which roles change or are placed together. Default: none, each role is updated on its own.",
          ...mapList("name"),
        }),
    })
    .meta(withRules(groupRules));

export const groupSpec = specOf(role);
/** The same inside a RoleBasedGroupSet. */
export const looseGroupSpec = specOf(looseRole);

const roleStatus = z.object({
  name: roleName().meta({ description: "The role that is counted." }),
  replicas: count().meta({ description: "Pods that exist." }),
  readyReplicas: count().meta({ description: "Pods that are ready." }),
  updatedReplicas: count()
    .optional()
    .meta({ description: "Pods that were made from what the role is now." }),
  availableReplicas: count()
    .optional()
    .meta({ description: "Pods that have been ready for minReadySeconds." }),
});

const restart = z.object({
  name: z.string().meta({
    description: "The pod that was replaced, or the group where all of its pods were.",
  }),
  uid: z.string().meta({ description: "Of the pod whose container restarted." }),
  count: count().meta({
    description: "How often it was replaced without 20 minutes of rest between.",
  }),
  lastTime: z.string().meta({ format: "date-time", description: "When it was replaced last." }),
});

export const groupStatus = z.object({
  observedGeneration: observedGeneration(),
  conditions: conditions().optional(),
  roleStatuses: z
    .array(roleStatus)
    .optional()
    .meta({ description: "Counts of every role.", ...mapList("name") }),
  coordinationState: z
    .array(coordinationState)
    .optional()
    .meta({ description: "Where every coordination stands.", ...mapList("name") }),
  restarts: z
    .array(restart)
    .optional()
    .meta({
      description:
        "What restartPolicy replaced of late. The next replacement of the same waits 30 s, then 60 s, " +
        "and at most 600 s.",
      ...mapList("name"),
    }),
  currentRevision: z.string().optional().meta({
    description: "The ControllerRevision that the group was last completely rolled out to.",
  }),
  updateRevision: z.string().optional().meta({
    description: "The ControllerRevision of what the spec says now.",
  }),
  collisionCount: z.int32().optional().meta({
    description: "Accepted for compatibility; Lockstep does not write it.",
  }),
});
