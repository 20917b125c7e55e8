/** Schemas of Placement and PlacementDecision. */
import * as z from "zod";
import { withRules } from "../../definition/custom-kind.ts";
import type { IntOrPercent } from "../../int-or-percent.ts";
import { conditions, int32, time } from "../../grove/schema/fields.ts";
import { claimSelector, labelSelector, qualifiedName, taintEffects } from "./selectors.ts";

export const decisionUpdateTypes = ["All", "RollingUpdate"] as const;

const predicates = z
  .array(
    z.object({
      requiredClusterSelector: z
        .object({
          labelSelector: labelSelector(
            "Chooses clusters by their labels. Default: every cluster.",
          ).optional(),
          claimSelector: claimSelector.optional(),
          celSelector: z
            .object({
              celExpressions: z
                .array(z.string())
                .optional()
                .meta({
                  description:
                    "Expressions over `managedCluster`; all of them have to be true. " +
                    "An error in one is no match. Default: none. " +
                    "Example: managedCluster.metadata.labels['region'] == 'eu'.",
                }),
            })
            .optional()
            .meta({
              description:
                "Chooses clusters by expressions over the whole object. Default: every cluster.",
            }),
        })
        .optional()
        .meta({ description: "All selectors given here have to match. Default: every cluster." }),
    }),
  )
  .optional()
  .meta({
    description: "A cluster is a candidate when one of these matches. Default: all clusters.",
  });

const scoreCoordinate = z
  .object({
    type: z.enum(["BuiltIn", "AddOn"]).default("BuiltIn").meta({
      description:
        "Whether Lockstep computes the score or an add-on publishes it. Default: BuiltIn. Example: AddOn.",
    }),
    builtIn: z
      .string()
      .optional()
      .meta({
        description:
          "Balance, Steady, ResourceAllocatableCPU or ResourceAllocatableMemory. Default: none. " +
          "Example: ResourceAllocatableMemory.",
      }),
    addOn: z
      .object({
        resourceName: z.string().meta({
          description:
            "Name of the AddOnPlacementScore in the namespace of every cluster. Example: latency.",
        }),
        scoreName: z.string().meta({ description: "Name of the score in it. Example: from-eu." }),
      })
      .optional()
      .meta({ description: "Where the score of an add-on is found. Default: none." }),
  })
  .meta({ description: "Which score is meant." });

const prioritizerPolicy = z
  .object({
    mode: z
      .string()
      .default("Additive")
      .meta({
        description:
          "Additive: what is not listed keeps its default weight (Balance and Steady 1, others 0). " +
          "Exact: only what is listed counts. Default: Additive. Example: Exact.",
      }),
    configurations: z
      .array(
        z.object({
          scoreCoordinate,
          weight: int32().min(-10).max(10).default(1).meta({
            description:
              "The factor of this score; 0 leaves it out, a negative one turns it round. Default: 1. Example: -1.",
          }),
        }),
      )
      .optional()
      .meta({ description: "Weights of scores. Default: those of the mode." }),
  })
  .optional()
  .meta({
    description:
      "How candidates are ranked where fewer than all are wanted. Default: by Balance and Steady.",
  });

const spreadPolicy = z
  .object({
    spreadConstraints: z
      .array(
        z.object({
          topologyKey: z.string().regex(qualifiedName).max(316).meta({
            description: "The label or claim whose values are the domains. Example: region.",
          }),
          topologyKeyType: z.enum(["Label", "Claim"]).meta({
            description: "Whether the key is that of a label or of a claim. Example: Label.",
          }),
          maxSkew: int32().min(1).default(1).meta({
            description:
              "How many more clusters one domain may have than another. Default: 1. Example: 2.",
          }),
          whenUnsatisfiable: z
            .enum(["DoNotSchedule", "ScheduleAnyway"])
            .default("ScheduleAnyway")
            .meta({
              description:
                "Whether the skew is a limit or only preferred. Default: ScheduleAnyway. Example: DoNotSchedule.",
            }),
        }),
      )
      .max(8)
      .optional()
      .meta({
        description: "Domains over which clusters are spread; not supported. Default: none.",
      }),
  })
  .optional()
  .meta({
    description:
      "Spreading over domains; not supported, so constraints are refused. Default: none.",
    ...withRules([
      {
        rule: "!has(self.spreadConstraints) || self.spreadConstraints.size() == 0",
        message:
          "spreading is not supported by Lockstep: remove spreadConstraints, " +
          "or choose one domain per Placement with predicates",
      },
    ]),
  });

const tolerations = z
  .array(
    z.object({
      key: z.string().regex(qualifiedName).max(316).optional().meta({
        description:
          "The key of the taint; none stands for every key and needs operator Exists. Default: none. Example: gpu.",
      }),
      operator: z.string().default("Equal").meta({
        description: "Equal compares the value, Exists takes any. Default: Equal. Example: Exists.",
      }),
      value: z.string().max(1024).optional().meta({
        description:
          "The value of the taint; has to be empty with operator Exists. Default: empty. Example: broken.",
      }),
      effect: z.enum(taintEffects).optional().meta({
        description: "The effect of the taint. Default: every effect. Example: NoSelect.",
      }),
      tolerationSeconds: z.int().optional().meta({
        description:
          "How long after `timeAdded` the taint is tolerated. Default: for ever. Example: 300.",
      }),
    }),
  )
  .optional()
  .meta({ description: "Taints that do not keep a cluster from being selected. Default: none." });

const perGroup = "^((100|[1-9][0-9]?)%|[1-9][0-9]*)$";

const groupStrategy = z
  .object({
    clustersPerDecisionGroup: z
      .custom<IntOrPercent>()
      .optional()
      .meta({
        anyOf: [{ type: "integer" }, { type: "string" }],
        pattern: perGroup,
        "x-kubernetes-int-or-string": true,
        default: "100%",
        description:
          "How many clusters a group has at most: a number, or a share of all selected ones, " +
          "rounded up. Default: 100%. Example: 25%.",
      }),
    decisionGroups: z
      .array(
        z.object({
          groupName: z
            .string()
            .regex(/^[a-zA-Z0-9][-A-Za-z0-9_.]{0,61}[a-zA-Z0-9]$/)
            .meta({
              description:
                "The name of the group, also in a label of its decisions. Example: canary.",
            }),
          groupClusterSelector: z
            .object({
              labelSelector: labelSelector(
                "Chooses clusters by their labels. Default: every cluster.",
              ).optional(),
              claimSelector: claimSelector.optional(),
            })
            .meta({ description: "Which of the selected clusters belong to the group." }),
        }),
      )
      .optional()
      .meta({ description: "Groups with a name; they come first, in this order. Default: none." }),
  })
  .optional()
  .meta({ description: "How selected clusters are divided into groups. Default: one group." });

const decisionStrategy = z
  .object({
    groupStrategy,
    updateStrategy: z
      .object({
        type: z
          .enum(decisionUpdateTypes)
          .default("All")
          .meta({
            description:
              "All: every PlacementDecision is written in place, so a moving cluster may be listed nowhere " +
              "for a moment. RollingUpdate: decisions grow before any shrinks, so it never is. Default: All. " +
              "Example: RollingUpdate.",
          }),
      })
      .optional()
      .meta({
        description:
          "How PlacementDecisions are written when the selection changes. Default: in place.",
      }),
  })
  .optional()
  .meta({
    description:
      "How the selected clusters are listed in PlacementDecisions. Default: in one group, updated in place.",
  });

export const placementSpec = z.object({
  clusterSets: z
    .array(z.string())
    .optional()
    .meta({
      description:
        "ManagedClusterSets to select from; only those bound to the namespace count. Default: all bound ones. " +
        "Example: [global].",
    }),
  numberOfClusters: int32().optional().meta({
    description:
      "How many clusters are wanted, those with the highest scores. Default: all. Example: 3.",
  }),
  predicates,
  prioritizerPolicy,
  spreadPolicy,
  tolerations,
  decisionStrategy,
  sortBy: z
    .enum(["ClusterName", "Score"])
    .optional()
    .meta({
      description:
        "How clusters are ordered in decisions: by name. Score is not supported. Default: ClusterName. " +
        "Example: ClusterName.",
      ...withRules([
        {
          rule: "self == 'ClusterName'",
          message:
            "decisions are ordered by cluster name: remove sortBy, or use ClusterName. " +
            "An order by score would move clusters whenever a score changes",
        },
      ]),
    }),
  scoreRateLimit: z
    .string()
    .regex(/^[0-9]+[hms]$/)
    .optional()
    .meta({
      description:
        "Belongs to sortBy Score, which is not supported: it changes nothing. Default: none. Example: 10s.",
    }),
});

export const placementStatus = z.object({
  numberOfSelectedClusters: int32().optional().meta({ description: "How many are selected." }),
  decisionGroups: z
    .array(
      z.object({
        decisionGroupIndex: int32().meta({ description: "The number of the group, from 0." }),
        decisionGroupName: z.string().optional().meta({ description: "Its name, if it has one." }),
        decisions: z.array(z.string()).optional().meta({
          description: "Names of the PlacementDecisions that list its clusters.",
        }),
        clusterCount: int32().meta({ description: "How many clusters it has." }),
      }),
    )
    .optional()
    .meta({ description: "The groups that the selected clusters are divided into." }),
  conditions: conditions().optional(),
  lastScoreUpdateTime: time().optional().meta({ description: "Written by others only." }),
});

export const placementDecisionStatus = z.object({
  decisions: z
    .array(
      z.object({
        clusterName: z.string().meta({ description: "Name of a selected ManagedCluster." }),
        reason: z.string().meta({ description: "Always empty." }),
        score: z.int().optional().meta({ description: "Written by others only." }),
      }),
    )
    .meta({
      description: "Clusters, ordered by name; at most 100, more only while a surge lasts.",
    }),
});
