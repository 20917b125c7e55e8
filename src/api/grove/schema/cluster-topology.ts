/** Schema of the ClusterTopologyBinding: names for the levels of a cluster's topology. */
import { z } from "zod";
import { conditions } from "./fields.ts";

const labelKey =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

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
    .min(1),
  schedulerTopologyBindings: z
    .array(z.object({ schedulerName: z.string(), topologyReference: z.string() }))
    .optional(),
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
