/** Schema of the ClusterTopologyBinding: names for the levels of a cluster's topology. */
import * as z from "zod";
import { withRules } from "../../definition/custom-kind.ts";
import type { Rule } from "../../definition/custom-kind.ts";
import { conditions, observedGeneration } from "./fields.ts";

const labelKey =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** A bound keeps the rules over the lists affordable for the API server. */
const mostLevels = 32;

const usedOnce = (field: string, fix: string): Rule => ({
  rule: `self.all(a, self.exists_one(b, b.${field} == a.${field}))`,
  message: `${field} is used twice: ${fix}`,
});

export const clusterTopologySpec = z.object({
  levels: z
    .array(
      z.object({
        domain: z
          .string()
          .min(1)
          .max(63)
          .regex(/^[a-z][a-z0-9-]*$/)
          .meta({ description: "What PodCliqueSets call the level. Example: rack." }),
        key: z.string().min(1).max(63).regex(labelKey).meta({
          description:
            "The label of nodes whose values are the domains. Example: topology.kubernetes.io/rack.",
        }),
      }),
    )
    .min(1)
    .max(mostLevels)
    .meta({
      description: "The levels of the topology, broadest first.",
      ...withRules([
        usedOnce("domain", "give every level a domain of its own"),
        usedOnce("key", "every level is another label of nodes"),
      ]),
    }),
  schedulerTopologyBindings: z
    .array(
      z.object({
        schedulerName: z.string().max(253).meta({
          description: "The scheduler. Example: kai-scheduler.",
        }),
        topologyReference: z.string().meta({
          description: "What that scheduler calls this topology. Example: gpu-fabric.",
        }),
      }),
    )
    .max(mostLevels)
    .optional()
    .meta({
      description: "What schedulers with a topology of their own call this one. Default: none.",
      ...withRules([usedOnce("schedulerName", "bind each scheduler once")]),
    }),
});

export const clusterTopologyStatus = z.object({
  observedGeneration: observedGeneration(),
  conditions: conditions().optional(),
  schedulerTopologyStatuses: z
    .array(
      z.object({
        schedulerName: z.string().meta({ description: "The scheduler." }),
        topologyReference: z.string().meta({ description: "What it calls this topology." }),
        inSync: z.boolean().meta({ description: "Whether its levels are the same." }),
        schedulerBackendTopologyObservedGeneration: z.int().optional().meta({
          description: "The generation of the scheduler's topology that was compared.",
        }),
        message: z.string().optional().meta({ description: "What differs." }),
      }),
    )
    .optional()
    .meta({ description: "How the topologies of schedulers compare with this one." }),
});
