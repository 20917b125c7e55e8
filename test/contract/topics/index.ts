/** Every topic of the contract, in the order in which it is run. */
import type { Cluster } from "../scene.ts";
import { immutability } from "./immutability.ts";
import { namesAndLabels } from "./names-and-labels.ts";
import { otherValidation } from "./other-validation.ts";
import { podValidation } from "./pod-validation.ts";
import { workloadValidation } from "./workload-validation.ts";

export type Topic = (cluster: () => Cluster) => void;

export const topics: Readonly<Record<string, Topic>> = {
  "names, labels and versions": namesAndLabels,
  "validation of pods": podValidation,
  "validation of workloads": workloadValidation,
  "validation of other kinds": otherValidation,
  "what may not change": immutability,
};
