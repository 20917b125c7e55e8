/** Schemas of ManagedCluster, of the sets that clusters join, and of the scores that add-ons publish. */
import * as z from "zod";
import { conditions, int32, time } from "../../grove/schema/fields.ts";
import type { IntOrPercent } from "../../int-or-percent.ts";
import { labelSelector, qualifiedName, taintEffects } from "./selectors.ts";

const decimal = "(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))";

const quantities = (
  description: string,
): z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodCustom<IntOrPercent, IntOrPercent>>> =>
  z
    .record(
      z.string(),
      z.custom<IntOrPercent>().meta({
        anyOf: [{ type: "integer" }, { type: "string" }],
        pattern: `^(\\+|-)?${decimal}(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?${decimal}))?$`,
        "x-kubernetes-int-or-string": true,
      }),
    )
    .optional()
    .meta({ description });

export const managedClusterSpec = z.object({
  managedClusterClientConfigs: z
    .array(
      z.object({
        url: z.string().meta({
          description: "Address of the cluster's API server. Example: https://10.0.0.1:6443.",
        }),
        caBundle: z.string().optional().meta({
          description:
            "Certificates to trust there, in base64. Default: those of the system. Example: LS0tLS1CRUdJTi....",
          format: "byte",
        }),
      }),
    )
    .optional()
    .meta({ description: "Ways to reach the cluster's API server. Default: none." }),
  hubAcceptsClient: z.boolean().optional().meta({
    description:
      "Whether the hub lets the agent of this cluster join. Default: false. Example: true.",
  }),
  leaseDurationSeconds: int32().default(60).meta({
    description: "How often the agent renews its lease. Default: 60. Example: 30.",
  }),
  taints: z
    .array(
      z.object({
        key: z
          .string()
          .min(1)
          .max(316)
          .regex(qualifiedName)
          .meta({ description: "Its key. Example: gpu." }),
        value: z
          .string()
          .max(1024)
          .optional()
          .meta({ description: "Its value. Default: empty. Example: broken." }),
        effect: z.enum(taintEffects).meta({
          description:
            "NoSelect: not selected without a toleration. NoSelectIfNew: not newly selected. " +
            "PreferNoSelect: selected like any other. Example: NoSelect.",
        }),
        timeAdded: time().nullable().optional().meta({
          description:
            "Since when; tolerationSeconds count from here. Default: unknown. Example: 2026-01-01T00:00:00Z.",
        }),
      }),
    )
    .optional()
    .meta({ description: "What keeps Placements without a toleration away. Default: none." }),
});

export const managedClusterStatus = z.object({
  conditions: conditions().optional(),
  capacity: quantities("All resources of the cluster."),
  allocatable: quantities("Resources of the cluster that workloads can use."),
  version: z
    .object({ kubernetes: z.string().optional().meta({ description: "Of its API server." }) })
    .optional()
    .meta({ description: "Versions that the cluster runs." }),
  clusterClaims: z
    .array(
      z.object({
        name: z.string().max(253).min(1).optional().meta({ description: "Its name." }),
        value: z.string().max(1024).min(1).optional().meta({ description: "Its value." }),
      }),
    )
    .optional()
    .meta({ description: "What the cluster says of itself: region, product, version." }),
});

const exclusive = { selectorType: "ExclusiveClusterSetLabel" } as const;

export const clusterSetSpec = z
  .object({
    clusterSelector: z
      .object({
        selectorType: z
          .enum(["ExclusiveClusterSetLabel", "LabelSelector"])
          .default("ExclusiveClusterSetLabel")
          .meta({
            description:
              "ExclusiveClusterSetLabel: clusters labelled with this set's name. " +
              "LabelSelector: clusters that the selector matches. Default: ExclusiveClusterSetLabel. " +
              "Example: LabelSelector.",
          }),
        labelSelector: labelSelector(
          "With selectorType LabelSelector: an empty one matches every cluster. Default: no cluster.",
        ).optional(),
      })
      .default(exclusive)
      .meta({
        description: "Which clusters belong to the set. Default: those labelled with its name.",
      }),
  })
  .default({ clusterSelector: exclusive });

export const clusterSetStatus = z.object({ conditions: conditions().optional() });

export const clusterSetBindingSpec = z.object({
  clusterSet: z
    .string()
    .min(1)
    .optional()
    .meta({
      description:
        "The ManagedClusterSet that Placements of this namespace may select from; " +
        "the binding has its name. Default: none. Example: global.",
    }),
});

export const clusterSetBindingStatus = z.object({ conditions: conditions().optional() });

export const placementScoreStatus = z.object({
  conditions: conditions().optional(),
  validUntil: time().nullable().optional().meta({
    description: "When the scores stop counting. Default: never.",
  }),
  scores: z
    .array(
      z.object({
        name: z.string().meta({ description: "Its name." }),
        value: int32().min(-100).max(100).optional().meta({ description: "From -100 to 100." }),
      }),
    )
    .optional()
    .meta({
      description: "What the add-on thinks of the cluster.",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    }),
});
