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
  time,
  topologyConstraint,
} from "./fields.ts";
import { withRules } from "../../definition/custom-kind.ts";
import { cliqueRules, filterRules, frozenValue, recreate, scalingGroupRules } from "./rules.ts";
import { specRules, templateRules } from "./template-rules.ts";
import { cliqueSpec } from "./podclique.ts";
import { componentUpdateStrategy, setUpdateStrategy } from "./update-strategy.ts";

export const startupTypes = [
  "CliqueStartupTypeAnyOrder",
  "CliqueStartupTypeInOrder",
  "CliqueStartupTypeExplicit",
] as const;

const sharingFields = {
  name: z.string().min(1).max(253),
  namespace: z.string().max(63).optional(),
  scope: z.enum(["AllReplicas", "PerReplica"]),
};

const resourceClaimTemplate = z.object({
  name: z.string().min(1).max(253),
  templateSpec: z.looseObject({
    spec: z.looseObject({
      devices: z.looseObject({ requests: z.array(z.looseObject({})).min(1) }),
    }),
  }),
});

/** `label=value` maps; keys are checked where pods are made. */
const mapList = (key: string) => ({
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": [key],
});

const names = () => z.array(dnsLabel()).min(1).max(mostCliques);

const cliqueTemplate = z
  .object({
    name: dnsLabel(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
    topologyConstraint: topologyConstraint.optional(),
    resourceSharing: z.array(z.object(sharingFields)).max(16).optional().meta(mapList("name")),
    updateStrategy: componentUpdateStrategy.optional(),
    spec: cliqueSpec,
  })
  .meta(withRules(cliqueRules));

const scalingGroupTemplate = z
  .object({
    name: dnsLabel(),
    cliqueNames: names().meta({
      "x-kubernetes-list-type": "set",
      ...withRules([frozenValue("cliqueNames", recreate)]),
    }),
    annotations: z.record(z.string(), z.string()).optional(),
    replicas: int32().min(1).default(1),
    minAvailable: int32()
      .min(1)
      .default(1)
      .meta(withRules([frozenValue("minAvailable", recreate)])),
    scaleConfig: autoScaling.optional(),
    resourceSharing: z
      .array(
        z.object({
          ...sharingFields,
          filter: z.object({ childCliqueNames: names() }).optional(),
        }),
      )
      .max(16)
      .optional()
      .meta(mapList("name")),
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
    cliques: z.array(cliqueTemplate).min(1).max(mostCliques).meta(mapList("name")),
    cliqueStartupType: z
      .enum(startupTypes)
      .default("CliqueStartupTypeAnyOrder")
      .meta(withRules([frozenValue("cliqueStartupType", recreate)])),
    priorityClassName: z.string().optional(),
    headlessServiceConfig: z
      .object({ publishNotReadyAddresses: z.boolean().default(true) })
      .default({ publishNotReadyAddresses: true }),
    topologyConstraint: topologyConstraint.optional(),
    terminationDelay: z
      .string()
      .max(32)
      .regex(/^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$/)
      .default("4h")
      .meta(withRules([positiveDelay])),
    resourceClaimTemplates: z.array(resourceClaimTemplate).max(32).optional().meta(mapList("name")),
    resourceSharing: z
      .array(
        z.object({
          ...sharingFields,
          filter: z
            .object({
              childCliqueNames: names().optional(),
              childScalingGroupNames: names().optional(),
            })
            .meta(withRules(filterRules))
            .optional(),
        }),
      )
      .max(16)
      .optional()
      .meta(mapList("name")),
    podCliqueScalingGroups: z
      .array(scalingGroupTemplate)
      .max(mostScalingGroups)
      .optional()
      .meta(mapList("name")),
  })
  .meta(withRules(templateRules));

export const podCliqueSetSpec = z
  .object({
    replicas: count().default(0),
    updateStrategy: setUpdateStrategy.optional(),
    template,
  })
  .meta(withRules(specRules));

const updateProgress = z.object({
  updateStartedAt: time(),
  updateEndedAt: time().optional(),
  updatedPodCliquesCount: int32().optional(),
  totalPodCliquesCount: int32().optional(),
  updatedPodCliqueScalingGroupsCount: int32().optional(),
  totalPodCliqueScalingGroupsCount: int32().optional(),
  currentlyUpdating: z
    .array(
      z.object({
        replicaIndex: int32(),
        updateStartedAt: time().optional(),
        updateEndedAt: time().optional(),
      }),
    )
    .optional(),
  surgeReplicaIndices: z.array(int32()).optional(),
});

const podGangStatus = z.object({
  name: z.string(),
  phase: z.enum(["Pending", "Starting", "Running", "Failed", "Succeeded"]),
  conditions: conditions().optional(),
});

export const podCliqueSetStatus = z.object({
  observedGeneration: z.int().optional(),
  replicas: int32().optional(),
  updatedReplicas: int32().default(0),
  availableReplicas: int32().default(0),
  hpaPodSelector: z.string().optional(),
  conditions: conditions().optional(),
  lastErrors: lastErrors.optional(),
  podGangStatuses: z.array(podGangStatus).optional(),
  currentGenerationHash: z.string().optional(),
  currentRevision: z.string().optional(),
  updateRevision: z.string().optional(),
  collisionCount: int32().optional(),
  updateProgress: updateProgress.optional(),
});
