/** Fields that stand in several of the kinds. */
import * as z from "zod";
import type { Condition } from "../../apps.ts";
import type { IntOrPercent } from "../../int-or-percent.ts";
import { builtinTypeKey, overlaysKey } from "../../definition/structural.ts";
import { withRules } from "../../definition/custom-kind.ts";
import type { PodSpec } from "../../pod.ts";
import { nameBudget } from "../names.ts";
import { autoScalingRules, topologyRules } from "./rules.ts";

export const int32 = (): z.ZodInt32 => z.int32();

export const count = (): z.ZodInt32 => z.int32().min(0);

export const time = (): z.ZodISODateTime => z.iso.datetime();

/** A budget: `2` or `"25%"`. */
export const intOrPercent = (percent: string): z.ZodCustom<IntOrPercent, IntOrPercent> =>
  z.custom<IntOrPercent>().meta({
    anyOf: [{ type: "integer" }, { type: "string" }],
    minimum: 0,
    pattern: percent,
    "x-kubernetes-int-or-string": true,
  });

/** Names of cliques and scaling groups become parts of hostnames. */
export const dnsLabel = (): z.ZodString =>
  z
    .string()
    .min(1)
    .max(nameBudget)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

/** Bounds on lists keep the rules over them affordable for the API server. */
export const mostCliques = 64;
export const mostScalingGroups = 32;

/** What the API server takes for the name of an environment variable. */
const variableName = { minLength: 1, pattern: "^[ -<>-~]+$" };

export const podSpec = (): z.ZodCustom<PodSpec, PodSpec> =>
  z.custom<PodSpec>().meta({
    [builtinTypeKey]: "io.k8s.api.core.v1.PodSpec",
    description: "The spec of the pods, as in a Pod.",
    [overlaysKey]: {
      schedulerName: { maxLength: 253 },
      "containers.items.env.items.name": variableName,
      "initContainers.items.env.items.name": variableName,
    },
  });

/** One metric of a HorizontalPodAutoscaler; Lockstep copies it and looks at nothing in it. */
export type MetricSpec = Readonly<Record<string, unknown>>;

export const metricSpec = (): z.ZodCustom<MetricSpec, MetricSpec> =>
  z.custom<MetricSpec>().meta({ [builtinTypeKey]: "io.k8s.api.autoscaling.v2.MetricSpec" });

export const conditions = (): z.ZodArray<z.ZodCustom<Condition, Condition>> =>
  z
    .array(
      z
        .custom<Condition>()
        .meta({ [builtinTypeKey]: "io.k8s.apimachinery.pkg.apis.meta.v1.Condition" }),
    )
    .meta({
      description:
        "What is true of it at the moment, with reasons: Available, Progressing, Reconciling and Stalled among them.",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
    });

export const lastErrors = z
  .array(
    z.object({
      code: z.string().meta({ description: "A word for programs. Example: ERR_SYNC_PODS." }),
      description: z.string().meta({ description: "What was tried, and how it failed." }),
      observedAt: time().meta({ description: "When it failed." }),
    }),
  )
  .meta({ description: "What went wrong in the last attempt to reach what is wanted." });

export const observedGeneration = () =>
  z
    .int()
    .optional()
    .meta({ description: "The generation of the spec that this status belongs to." });

/** Of the progress of an update, on every level. */
export const updateTimes = {
  updateStartedAt: time().meta({ description: "When the update began." }),
  updateEndedAt: time()
    .optional()
    .meta({ description: "When it ended: everything is updated, or the partition is reached." }),
};

export const surgeReleased = () =>
  z.boolean().optional().meta({
    description: "Whether the surge was given up because it did not become available in time.",
  });

export const autoScaling = z
  .object({
    minReplicas: int32().optional().meta({
      description: "The autoscaler goes no lower. Default: replicas. Example: 2.",
    }),
    maxReplicas: int32().meta({ description: "The autoscaler goes no higher. Example: 8." }),
    metrics: z
      .array(metricSpec())
      .optional()
      .meta({
        description:
          "What the autoscaler measures, as in autoscaling/v2. Default: 80% of the requested CPU, which says nothing " +
          "about pods that work on accelerators. Example: an External metric with an averageValue.",
        "x-kubernetes-list-type": "atomic",
      }),
  })
  .meta({
    description:
      "Creates a HorizontalPodAutoscaler for every replica of the set, which then decides the size. Default: none.",
    ...withRules(autoScalingRules),
  });

const domain = z
  .string()
  .max(63)
  .regex(/^[a-z][a-z0-9-]*$/);

export const topologyConstraint = z
  .object({
    topologyName: z.string().max(253).optional().meta({
      description:
        "The ClusterTopologyBinding whose domains are meant. Default: the one around it. Example: gpu-fabric.",
    }),
    pack: z
      .object({
        required: domain.optional().meta({
          description:
            "Pods are placed only if they all fit into one such domain. Default: any. Example: rack.",
        }),
        preferred: domain.optional().meta({
          description: "Pods share one such domain if they fit. Default: any. Example: host.",
        }),
      })
      .optional()
      .meta({
        description:
          "How closely the pods are packed together: required, preferred, or both. Has to be set.",
      }),
    packDomain: domain
      .optional()
      .meta({ description: "Deprecated: write pack.required. Refused in new sets." }),
  })
  .meta({
    description: "Which domain of the cluster's topology the pods share. Default: any.",
    ...withRules(topologyRules),
  });
