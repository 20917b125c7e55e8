/** Schemas of ClusterManagementAddOn and ManagedClusterAddOn, as far as installing by Placement needs them. */
import * as z from "zod";
import { conditions } from "../../grove/schema/fields.ts";
import type { IntOrPercent } from "../../int-or-percent.ts";

/** A number or a share; what is out of range counts as the default, so the schema does not refuse it. */
const amount = (description: string): z.ZodOptional<z.ZodCustom<IntOrPercent, IntOrPercent>> =>
  z
    .custom<IntOrPercent>()
    .optional()
    .meta({
      anyOf: [{ type: "integer" }, { type: "string" }],
      pattern: "^((100|[0-9]{1,2})%|[0-9]+)$",
      "x-kubernetes-int-or-string": true,
      description,
    });

const pace = {
  minSuccessTime: z.string().default("0").meta({
    description:
      "How long an add-on has to stay available before others may follow. All does not wait. Default: 0. Example: 5m.",
  }),
  progressDeadline: z
    .string()
    .regex(/^(([0-9])+[h|m|s])|None$/)
    .default("None")
    .meta({
      description:
        "After this time without success a cluster has timed out, which is a failure. Default: None, which is never. " +
        "Example: 10m.",
    }),
  maxFailures: amount(
    "How many clusters may fail before the rollout stops; under ProgressivePerGroup, of each group. " +
      "All never stops. Default: 0. Example: 10%.",
  ),
};

const mandatoryDecisionGroups = z
  .array(
    z.object({
      groupName: z.string().optional().meta({
        description:
          "Name of a decision group. Default: none, so that groupIndex counts. Example: canary.",
      }),
      groupIndex: z.int32().optional().meta({
        description:
          "Number of a decision group; counts where no name is given. Default: 0. Example: 1.",
      }),
    }),
  )
  .optional()
  .meta({
    description:
      "Groups that go first, one after the other; none of their clusters may fail. Default: none.",
  });

export const rolloutStrategy = z
  .object({
    type: z.enum(["All", "Progressive", "ProgressivePerGroup"]).default("All").meta({
      description:
        "All at once, some at a time, or one decision group after the other. Default: All. Example: Progressive.",
    }),
    all: z.object(pace).optional().meta({ description: "For type All. Default: no deadline." }),
    progressive: z
      .object({
        ...pace,
        mandatoryDecisionGroups,
        maxConcurrency: amount(
          "How many clusters change at a time. Default: all of them. Example: 25%.",
        ),
      })
      .optional()
      .meta({
        description: "For type Progressive. Default: all clusters at once, and none may fail.",
      }),
    progressivePerGroup: z
      .object({ ...pace, mandatoryDecisionGroups })
      .optional()
      .meta({
        description:
          "For type ProgressivePerGroup. Default: no group first, no cluster may fail, no deadline.",
      }),
  })
  .meta({ description: "In which order clusters get the add-on. Default: all at once." });

const addOnConfig = z.object({
  group: z.string().default("").meta({
    description:
      "API group of the configuration. Default: empty, the core group. Example: addon.open-cluster-management.io.",
  }),
  resource: z
    .string()
    .min(1)
    .meta({ description: "Its resource, in the plural. Example: addondeploymentconfigs." }),
  namespace: z.string().optional().meta({
    description: "Its namespace, if it has one. Default: none. Example: open-cluster-management.",
  }),
  name: z.string().min(1).meta({ description: "Its name. Example: small." }),
});

export const clusterManagementAddOnSpec = z.object({
  addOnMeta: z
    .object({
      displayName: z.string().optional().meta({
        description: "The name that people see. Default: none. Example: Metrics collector.",
      }),
      description: z.string().optional().meta({
        description:
          "What the add-on is for. Default: none. Example: Collects metrics of the cluster.",
      }),
    })
    .optional()
    .meta({ description: "What people see of the add-on. Default: nothing." }),
  supportedConfigs: z
    .array(
      z.object({
        group: z
          .string()
          .default("")
          .meta({
            description:
              "API group of the configuration. Default: empty, the core group. " +
              "Example: addon.open-cluster-management.io.",
          }),
        resource: z
          .string()
          .min(1)
          .meta({ description: "Its resource, in the plural. Example: addondeploymentconfigs." }),
        defaultConfig: z
          .object({
            namespace: z.string().optional().meta({
              description:
                "Its namespace, if it has one. Default: none. Example: open-cluster-management.",
            }),
            name: z.string().min(1).meta({ description: "Its name. Example: small." }),
          })
          .optional()
          .meta({
            description:
              "Meant for clusters that have none of their own; Lockstep does not apply it. Default: none.",
          }),
      }),
    )
    .optional()
    .meta({
      description:
        "Kinds of configuration that the add-on understands; Lockstep applies none. Default: none.",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["group", "resource"],
    }),
  installStrategy: z
    .object({
      type: z
        .enum(["Manual", "Placements"])
        .default("Manual")
        .meta({
          description:
            "Placements installs the add-on on the clusters that Placements select, Manual nowhere. Default: Manual. " +
            "Example: Placements.",
        }),
      placements: z
        .array(
          z.object({
            namespace: z
              .string()
              .min(1)
              .meta({ description: "Namespace of the Placement. Example: default." }),
            name: z
              .string()
              .min(1)
              .meta({ description: "Name of the Placement. Example: all-clusters." }),
            configs: z.array(addOnConfig).optional().meta({
              description:
                "Configurations of the add-on on these clusters; they have no effect and are reported. Default: none.",
            }),
            rolloutStrategy: rolloutStrategy.default({ type: "All" }),
          }),
        )
        .optional()
        .meta({
          description:
            "The Placements whose clusters get the add-on; the first that selects a cluster counts. Default: none.",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["namespace", "name"],
        }),
    })
    .default({ type: "Manual" })
    .meta({
      description: "Where the add-on is installed. Default: where people install it by hand.",
    }),
});

const configReference = z.object({
  ...addOnConfig.shape,
  desiredConfigSpecHash: z.string().optional().meta({ description: "What it should be." }),
  lastAppliedConfigSpecHash: z.string().optional().meta({ description: "What it was last." }),
});

const count = (description: string): z.ZodOptional<z.ZodInt32> =>
  z.int32().optional().meta({ description });

export const clusterManagementAddOnStatus = z.object({
  observedGeneration: z.int().optional().meta({
    description: "The spec that this status is about.",
  }),
  selectedClusters: count("Clusters that the Placements select."),
  installedAddOns: count("Selected clusters that have the add-on."),
  availableAddOns: count("Selected clusters whose add-on is available."),
  conditions: conditions().optional(),
  installProgressions: z
    .array(
      z.object({
        namespace: z
          .string()
          .meta({ description: "Namespace of the Placement. Example: default." }),
        name: z.string().meta({ description: "Name of the Placement. Example: all-clusters." }),
        configReferences: z.array(configReference).optional().meta({
          description: "Configurations that are being rolled out.",
        }),
        conditions: conditions().optional(),
      }),
    )
    .optional()
    .meta({
      description: "How far the installation has come, for each Placement.",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["namespace", "name"],
    }),
});

export const managedClusterAddOnSpec = z.object({
  installNamespace: z
    .string()
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
    .default("open-cluster-management-agent-addon")
    .meta({
      description:
        "Namespace on the managed cluster that the agent runs in. Default: open-cluster-management-agent-addon. " +
        "Example: metrics.",
    }),
  configs: z.array(addOnConfig).optional().meta({
    description: "Configurations for this cluster; Lockstep does not apply them. Default: none.",
  }),
});

export const managedClusterAddOnStatus = z.object({
  namespace: z.string().optional().meta({ description: "Where the agent runs." }),
  configReferences: z.array(configReference).optional().meta({
    description: "Configurations in use.",
  }),
  conditions: conditions().optional(),
});
