/** Ways to choose ManagedClusters, shared by the kinds of Open Cluster Management. */
import * as z from "zod";

const requirement = z.object({
  key: z
    .string()
    .meta({ description: "The key of the label or the name of the claim. Example: region." }),
  operator: z.string().meta({ description: "In, NotIn, Exists or DoesNotExist. Example: In." }),
  values: z.array(z.string()).optional().meta({
    description:
      "What the value is compared with, for In and NotIn. Default: none. Example: [eu-west, eu-north].",
    "x-kubernetes-list-type": "atomic",
  }),
});

const selectorFields = z.object({
  matchLabels: z.record(z.string(), z.string()).optional().meta({
    description:
      "Labels that a cluster has to have, with these values. Default: none. Example: {region: eu}.",
  }),
  matchExpressions: z.array(requirement).optional().meta({
    description: "Requirements on labels; all of them have to be met. Default: none.",
    "x-kubernetes-list-type": "atomic",
  }),
});

export const labelSelector = (description: string): typeof selectorFields =>
  selectorFields.meta({ description, "x-kubernetes-map-type": "atomic" });

export const claimSelector = z
  .object({
    matchExpressions: z.array(requirement).optional().meta({
      description:
        "Requirements on the claims of a cluster; all of them have to be met. Default: none.",
    }),
  })
  .meta({
    description:
      "Chooses clusters by the claims in their status, read like labels. Default: every cluster.",
  });

/** A key as labels and taints have it, with or without a domain. */
export const qualifiedName =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/;

export const taintEffects = ["NoSelect", "PreferNoSelect", "NoSelectIfNew"] as const;
