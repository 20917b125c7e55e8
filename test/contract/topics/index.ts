/** Every topic of the contract, in the order in which it is run. */
import type { Cluster } from "../scene.ts";
import { autoscalers } from "./autoscalers.ts";
import { compared } from "./compared.ts";
import { customResourceRules } from "./custom-resource-rules.ts";
import { customResources } from "./custom-resources.ts";
import { defaults } from "./defaults.ts";
import { deleteOptions } from "./delete-options.ts";
import { deletion } from "./deletion.ts";
import { discovery } from "./discovery.ts";
import { dryRunAndFields } from "./dry-run-and-fields.ts";
import { garbageCollection } from "./garbage-collection.ts";
import { hostileInput } from "./hostile-input.ts";
import { immutability } from "./immutability.ts";
import { leasesAndEvents } from "./leases-and-events.ts";
import { limits } from "./limits.ts";
import { listsAndSelectors } from "./lists-and-selectors.ts";
import { namesAndLabels } from "./names-and-labels.ts";
import { namespaces } from "./namespaces.ts";
import { objectsAndMetadata } from "./objects-and-metadata.ts";
import { otherValidation } from "./other-validation.ts";
import { patches, strategicPatches } from "./patches.ts";
import { podValidation } from "./pod-validation.ts";
import { server } from "./server.ts";
import { bindings, podUpdates, subresources } from "./subresources.ts";
import { tables } from "./tables.ts";
import { watches } from "./watches.ts";
import { statefulSetValidation } from "./stateful-set-validation.ts";
import { workloadValidation } from "./workload-validation.ts";

export type Topic = (cluster: () => Cluster) => void;

export const topics: Readonly<Record<string, Topic>> = {
  server,
  discovery,
  "objects and their metadata": objectsAndMetadata,
  "names, labels and versions": namesAndLabels,
  deletion,
  "options of deletions": deleteOptions,
  "dry runs and unknown fields": dryRunAndFields,
  "lists and selectors": listsAndSelectors,
  watches,
  patches,
  "strategic merge patches": strategicPatches,
  subresources,
  bindings,
  autoscalers,
  "updates of pods": podUpdates,
  "leases and events": leasesAndEvents,
  namespaces,
  "garbage collection": garbageCollection,
  defaults,
  tables,
  "custom resources": customResources,
  "rules of custom resources": customResourceRules,
  limits,
  "validation of pods": podValidation,
  "validation of workloads": workloadValidation,
  "validation of stateful sets": statefulSetValidation,
  "validation of other kinds": otherValidation,
  "what may not change": immutability,
  "details that once differed": compared,
  "hostile input": hostileInput,
};
