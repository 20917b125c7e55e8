/** Schema of the PodCliqueSet: replicas of a whole serving graph. */
import * as z from "zod";
import {
  autoScaling,
  conditions,
  count,
  dnsLabel,
  int32,
  lastErrors,
  mostCliques,
  mostScalingGroups,
  observedGeneration,
  time,
  topologyConstraint,
  updateTimes,
} from "./fields.ts";
import { withRules } from "../../definition/custom-kind.ts";
import { keyed, labelValue } from "./label-rules.ts";
import {
  cliqueRules,
  eachOnce,
  filterRules,
  frozenValue,
  recreate,
  scalingGroupRules,
} from "./rules.ts";
import { specRules, templateRules } from "./template-rules.ts";
import { cliqueSpec } from "./podclique.ts";
import { componentUpdateStrategy, setUpdateStrategy } from "./update-strategy.ts";

export const startupTypes = [
  "CliqueStartupTypeAnyOrder",
  "CliqueStartupTypeInOrder",
  "CliqueStartupTypeExplicit",
] as const;

const sharingFields = {
  name: z.string().min(1).max(253).meta({
    description:
      "A template of resourceClaimTemplates, or else a ResourceClaimTemplate of that name. Example: fabric.",
  }),
  namespace: z.string().max(63).optional().meta({
    description:
      "Where the ResourceClaimTemplate is. Default: the namespace of the set. Example: infra.",
  }),
  scope: z.enum(["AllReplicas", "PerReplica"]).meta({
    description:
      "AllReplicas: one claim for all. PerReplica: one claim for each replica. Example: PerReplica.",
  }),
};

const sharing = {
  description:
    "ResourceClaims that pods share. Cannot be changed. Default: none. Example: [{name: fabric, scope: PerReplica}].",
};

const resourceClaimTemplate = z.object({
  name: z.string().min(1).max(253).meta({
    description: "What resourceSharing calls it. Example: fabric.",
  }),
  templateSpec: z
    .looseObject({
      spec: z
        .looseObject({
          devices: z
            .looseObject({
              requests: z
                .array(z.looseObject({}))
                .min(1)
                .meta({ description: "The devices that are asked for, at least one request." }),
            })
            .meta({ description: "What is asked for, as in resource.k8s.io/v1." }),
        })
        .meta({ description: "The spec of every ResourceClaim made from it." }),
    })
    .meta({ description: "As in a ResourceClaimTemplate: metadata and spec of the claims." }),
});

const labels = z
  .record(z.string(), z.string().max(63).regex(labelValue))
  .optional()
  .meta({
    description: "Labels of the PodCliques and their pods. Default: none. Example: {team: search}.",
    ...keyed("labels"),
  });

const annotations = (of: string) =>
  z
    .record(z.string(), z.string())
    .optional()
    .meta({
      description: `Annotations of the ${of}. Default: none. Example: {team: search}.`,
      ...keyed("annotations"),
    });

const mapList = (key: string) => ({
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": [key],
});

const names = () => z.array(dnsLabel()).min(1).max(mostCliques);

const cliqueTemplate = z
  .object({
    name: dnsLabel().meta({
      description:
        "A part of the names of its objects and hosts. Cannot be changed. Example: decode.",
    }),
    labels,
    annotations: annotations("PodCliques and their pods"),
    topologyConstraint: topologyConstraint.optional(),
    resourceSharing: z
      .array(z.object(sharingFields))
      .max(16)
      .optional()
      .meta({ ...sharing, ...mapList("name") }),
    updateStrategy: componentUpdateStrategy.optional(),
    spec: cliqueSpec,
  })
  .meta(withRules(cliqueRules));

const scalingGroupTemplate = z
  .object({
    name: dnsLabel().meta({
      description: "A part of the names of its objects. Cannot be changed. Example: workers.",
    }),
    cliqueNames: names().meta({
      description:
        "The cliques that are scaled and replaced together; a clique is in one group at most. Cannot be changed. " +
        "Example: [leader, worker].",
      // Two sets are equal in any order; lists are not.
      "x-kubernetes-list-type": "atomic",
      ...withRules([eachOnce("cliqueNames"), frozenValue("cliqueNames", recreate)]),
    }),
    annotations: annotations("PodCliqueScalingGroups"),
    replicas: int32()
      .min(1)
      .default(1)
      .meta({
        description:
          "How many replicas a new group starts with; later its scale subresource decides: kubectl scale pcsg. " +
          "Default: 1. Example: 4.",
      }),
    minAvailable: int32()
      .min(1)
      .default(1)
      .meta({
        description:
          "Fewest replicas with which the group does its work; they are part of the base gang, the others get gangs " +
          "of their own. Cannot be changed. Default: 1. Example: 2.",
        ...withRules([frozenValue("minAvailable", recreate)]),
      }),
    scaleConfig: autoScaling.optional(),
    resourceSharing: z
      .array(
        z.object({
          ...sharingFields,
          filter: z
            .object({
              childCliqueNames: names().meta({
                description: "Cliques of the group that use it. Example: [leader].",
              }),
            })
            .optional()
            .meta({ description: "Which cliques use the claims. Default: all of the group." }),
        }),
      )
      .max(16)
      .optional()
      .meta({ ...sharing, ...mapList("name") }),
    topologyConstraint: topologyConstraint.optional(),
    updateStrategy: componentUpdateStrategy.optional(),
  })
  .meta(withRules(scalingGroupRules));

/** Text that is not a duration is refused by the pattern. */
const positiveDelay = {
  rule: "self.matches('[1-9]') || !self.matches('[0-9]')",
  message: "terminationDelay is 0: say how long a broken gang may wait, for example 4h",
};

const template = z
  .object({
    cliques: z
      .array(cliqueTemplate)
      .min(1)
      .max(mostCliques)
      .meta({
        description:
          "The roles of the graph, each a set of equal pods. Which ones there are cannot be changed.",
        ...mapList("name"),
      }),
    cliqueStartupType: z
      .enum(startupTypes)
      .default("CliqueStartupTypeAnyOrder")
      .meta({
        description:
          "Which cliques wait for which at the start: none, each for the one before it, or as startsAfter says. " +
          "Cannot be changed. Default: CliqueStartupTypeAnyOrder. Example: CliqueStartupTypeInOrder.",
        ...withRules([frozenValue("cliqueStartupType", recreate)]),
      }),
    priorityClassName: z.string().optional().meta({
      description: "The priority of the gangs. Default: none. Example: serving.",
    }),
    headlessServiceConfig: z
      .object({
        publishNotReadyAddresses: z.boolean().default(true).meta({
          description:
            "Whether pods are in DNS before they are ready, to find each other. Default: true. Example: false.",
        }),
      })
      .default({ publishNotReadyAddresses: true })
      .meta({
        description: "The headless service of every replica. Default: pods are in DNS at once.",
      }),
    topologyConstraint: topologyConstraint.optional(),
    terminationDelay: z
      .string()
      .max(32)
      .regex(/^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$/)
      .default("4h")
      .meta({
        description:
          "How long a gang may be below minAvailable before it is recreated. Default: 4h. Example: 30m.",
        ...withRules([positiveDelay]),
      }),
    resourceClaimTemplates: z
      .array(resourceClaimTemplate)
      .max(32)
      .optional()
      .meta({
        description:
          "Templates of ResourceClaims for resourceSharing. Cannot be changed. Default: none.",
        ...mapList("name"),
      }),
    resourceSharing: z
      .array(
        z.object({
          ...sharingFields,
          filter: z
            .object({
              childCliqueNames: names().optional().meta({
                description: "Standalone cliques that use it. Default: none. Example: [frontend].",
              }),
              childScalingGroupNames: names().optional().meta({
                description:
                  "Scaling groups whose cliques use it. Default: none. Example: [workers].",
              }),
            })
            .meta({
              description: "Which pods use the claims. Default: all of the set.",
              ...withRules(filterRules),
            })
            .optional(),
        }),
      )
      .max(16)
      .optional()
      .meta({ ...sharing, ...mapList("name") }),
    podCliqueScalingGroups: z
      .array(scalingGroupTemplate)
      .max(mostScalingGroups)
      .optional()
      .meta({
        description:
          "Cliques that are scaled and replaced together, such as a leader with its workers. Which ones there are " +
          "cannot be changed. Default: none.",
        ...mapList("name"),
      }),
  })
  .meta({
    description: "One replica of the serving graph: its cliques and groups.",
    ...withRules(templateRules),
  });

export const podCliqueSetSpec = z
  .object({
    replicas: count()
      .default(0)
      .meta({
        description:
          "How many replicas of the whole serving graph (all its cliques and groups) there should be. Default: 0. " +
          "Example: 2.",
      }),
    updateStrategy: setUpdateStrategy.optional(),
    template,
  })
  .meta(withRules(specRules));

const updateProgress = z.object({
  ...updateTimes,
  updatedPodCliquesCount: int32().optional().meta({
    description:
      "Standalone cliques whose pods are all updated and available; under OnDelete it is enough that minAvailable are.",
  }),
  totalPodCliquesCount: int32().optional().meta({
    description: "Standalone cliques of all desired replicas.",
  }),
  updatedPodCliqueScalingGroupsCount: int32().optional().meta({
    description:
      "Scaling groups whose replicas are all updated and available; under OnDelete as for cliques.",
  }),
  totalPodCliqueScalingGroupsCount: int32().optional().meta({
    description: "Scaling groups of all desired replicas.",
  }),
  currentlyUpdating: z
    .array(
      z.object({
        replicaIndex: int32().meta({ description: "Which replica." }),
        updateStartedAt: time().optional().meta({ description: "When its update began." }),
        updateEndedAt: time().optional().meta({ description: "When its update ended." }),
      }),
    )
    .optional()
    .meta({ description: "The replicas in transition; several under ReplicaRecreate." }),
  surgeReplicaIndices: z.array(int32()).optional().meta({
    description: "Replicas above the desired number that stand in during the update.",
  }),
});

const podGangStatus = z.object({
  name: z.string().meta({ description: "The PodGang." }),
  phase: z.enum(["Pending", "Starting", "Running", "Failed", "Succeeded"]).meta({
    description: "Where it is between waiting for nodes and serving.",
  }),
  conditions: conditions().optional(),
});

export const podCliqueSetStatus = z.object({
  observedGeneration: observedGeneration(),
  replicas: int32().optional().meta({ description: "The desired number of replicas." }),
  updatedReplicas: int32().default(0).meta({
    description: "Desired replicas of the target revision that serve.",
  }),
  availableReplicas: int32().default(0).meta({
    description: "Whole replicas that serve; surge counts for replicas in transition.",
  }),
  hpaPodSelector: z.string().optional().meta({
    description: "Selects all pods of the set, for autoscalers.",
  }),
  conditions: conditions().optional(),
  lastErrors: lastErrors.optional(),
  podGangStatuses: z
    .array(podGangStatus)
    .optional()
    .meta({ description: "Not written: see the PodGangs." }),
  currentGenerationHash: z.string().optional().meta({
    description: "The target revision, an opaque string.",
  }),
  currentRevision: z.string().optional().meta({
    description:
      "The ControllerRevision that was rolled out last; it moves when nothing of it is left.",
  }),
  updateRevision: z.string().optional().meta({
    description: "The ControllerRevision that is being rolled out.",
  }),
  collisionCount: int32().optional().meta({
    description: "How often the name of a new revision was taken; a part of later names.",
  }),
  updateProgress: updateProgress.optional().meta({
    description: "The update that is under way, or the last one. Absent before the first.",
  }),
});
