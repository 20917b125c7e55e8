/** Schema of the ClusterTopologyBinding: names for the levels of a cluster's topology. */
import * as z from "zod";
import { withRules } from "../../definition/custom-kind.ts";
import type { Rule } from "../../definition/custom-kind.ts";
import { conditions } from "./fields.ts";

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
          .regex(/^[a-z][a-z0-9-]*$/),
        key: z.string().min(1).max(63).regex(labelKey),
      }),
    )
    .min(1)
    .max(mostLevels)
    .meta(
      withRules([
        usedOnce("domain", "give every level a domain of its own"),
        usedOnce("key", "every level is another label of nodes"),
      ]),
    ),
  schedulerTopologyBindings: z
    .array(z.object({ schedulerName: z.string().max(253), topologyReference: z.string() }))
    .max(mostLevels)
    .optional()
    .meta(withRules([usedOnce("schedulerName", "bind each scheduler once")])),
});

export const clusterTopologyStatus = z.object({
  observedGeneration: z.int().optional(),
  conditions: conditions().optional(),
  schedulerTopologyStatuses: z
    .array(
      z.object({
        schedulerName: z.string(),
        topologyReference: z.string(),
        inSync: z.boolean(),
        schedulerBackendTopologyObservedGeneration: z.int().optional(),
        message: z.string().optional(),
      }),
    )
    .optional(),
});
