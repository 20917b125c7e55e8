/** Schema of the PodCliqueSet: replicas of a whole serving graph. */
import { z } from "zod";
import {
  autoScaling,
  conditions,
  count,
  int32,
  lastErrors,
  time,
  topologyConstraint,
} from "./fields.ts";
import { cliqueSpec } from "./podclique.ts";
import { componentUpdateStrategy, setUpdateStrategy } from "./update-strategy.ts";

export const startupTypes = [
  "CliqueStartupTypeAnyOrder",
  "CliqueStartupTypeInOrder",
  "CliqueStartupTypeExplicit",
] as const;

const sharingFields = {
  name: z.string(),
  namespace: z.string().optional(),
  scope: z.enum(["AllReplicas", "PerReplica"]),
};

const resourceClaimTemplate = z.object({
  name: z.string(),
  templateSpec: z.looseObject({
    spec: z.looseObject({
      devices: z.looseObject({ requests: z.array(z.looseObject({})).min(1) }),
    }),
  }),
});

const cliqueTemplate = z.object({
  name: z.string(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  topologyConstraint: topologyConstraint.optional(),
  resourceSharing: z.array(z.object(sharingFields)).optional(),
  updateStrategy: componentUpdateStrategy.optional(),
  spec: cliqueSpec,
});

const scalingGroupTemplate = z.object({
  name: z.string(),
  cliqueNames: z.array(z.string()).min(1),
  annotations: z.record(z.string(), z.string()).optional(),
  replicas: int32().min(1).default(1),
  minAvailable: int32().min(1).default(1),
  scaleConfig: autoScaling.optional(),
  resourceSharing: z
    .array(
      z.object({
        ...sharingFields,
        filter: z.object({ childCliqueNames: z.array(z.string()).optional() }).optional(),
      }),
    )
    .optional(),
  topologyConstraint: topologyConstraint.optional(),
  updateStrategy: componentUpdateStrategy.optional(),
});

const template = z.object({
  cliques: z.array(cliqueTemplate).min(1),
  cliqueStartupType: z.enum(startupTypes).default("CliqueStartupTypeAnyOrder"),
  priorityClassName: z.string().optional(),
  headlessServiceConfig: z
    .object({ publishNotReadyAddresses: z.boolean().default(true) })
    .default({ publishNotReadyAddresses: true }),
  topologyConstraint: topologyConstraint.optional(),
  terminationDelay: z.string().default("4h"),
  resourceClaimTemplates: z.array(resourceClaimTemplate).optional(),
  resourceSharing: z
    .array(
      z.object({
        ...sharingFields,
        filter: z
          .object({
            childCliqueNames: z.array(z.string()).optional(),
            childScalingGroupNames: z.array(z.string()).optional(),
          })
          .optional(),
      }),
    )
    .optional(),
  podCliqueScalingGroups: z.array(scalingGroupTemplate).optional(),
});

export const podCliqueSetSpec = z.object({
  replicas: count().default(0),
  updateStrategy: setUpdateStrategy.optional(),
  template,
});

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
