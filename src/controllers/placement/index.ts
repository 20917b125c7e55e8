/** The Placement controller: selects clusters of a fleet and lists them in PlacementDecisions. */
import { placementKinds } from "../../api/ocm/definitions.ts";
import type { ManagedClusterSet, ManagedClusterSetBinding } from "../../api/ocm/managed-cluster.ts";
import type { PlacementDecision } from "../../api/ocm/placement.ts";
import {
  placementDecisionResource,
  placementKeysOf,
  placementResource,
} from "../../api/ocm/placement.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Cache, Change } from "../../runtime/cache.ts";
import type { Watch } from "../../runtime/controller.ts";
import { watch } from "../../runtime/controller.ts";
import { keyOf } from "../../runtime/object-store.ts";
import type { ControlledKind, KindOptions } from "../engine/controlled-kind.ts";
import { controlledKind, kindTools } from "../engine/controlled-kind.ts";
import { defineKind, ownerAccess, statusAccess } from "../engine/kind-definition.ts";
import { controllerOf } from "../engine/ownership.ts";
import { isStatusEcho } from "../engine/status-writer.ts";
import type { PlacementCaches } from "./caches.ts";
import { placementCacheDefinitions } from "./caches.ts";
import { placementsNaming, placementsOfSet } from "./cluster-sets.ts";
import { ClusterUsage } from "./cluster-usage.ts";
import { concernedByCluster, concernedByScore } from "./concerned.ts";
import { placementGauges } from "./gauges.ts";
import type { PlacementTools } from "./reconcile.ts";
import { isUrgent, placementReconciler } from "./reconcile.ts";

interface PlacementOptions extends KindOptions {
  readonly caches: PlacementCaches;
}

/** How long a status may wait that says no more than that decisions are being written. */
const timing = { restMs: 1_000, longestMs: 2_000 };

function placementController(options: PlacementOptions): ControlledKind {
  const { caches, gauge } = options;
  const tools: PlacementTools = kindTools(options, {
    resource: placementResource,
    reasons: {},
    isUrgent,
    timing,
  });
  const usage = new ClusterUsage();
  const sources = { readers: caches, usage };
  return controlledKind(options, {
    name: "placement",
    caches,
    tools,
    kind: placementReconciler(sources, tools, placementGauges(tools.memory, gauge)),
    watches: watchesOf(caches, tools, usage),
    workers: 4,
  });
}

const watchesOf = (
  caches: PlacementCaches,
  { statuses }: PlacementTools,
  usage: ClusterUsage,
): readonly Watch[] => [
  // First, so that nothing is scheduled with counts from before the change.
  { follow: () => caches.decisions.onChange((change) => usage.apply(change)) },
  watch(caches.placements, undefined, (change) =>
    isStatusEcho(change) && statuses.isEcho(change.object) ? undefined : 0,
  ),
  watch(caches.decisions, placementKeys),
  watch(
    caches.sets,
    ({ metadata }: ManagedClusterSet) => placementsOfSet(caches, metadata.name ?? "").map(keyOf),
    dueUnlessEcho,
  ),
  watch(
    caches.bindings,
    ({ metadata }: ManagedClusterSetBinding) =>
      placementsNaming(caches.placements, metadata.namespace ?? "", metadata.name ?? "").map(keyOf),
    dueUnlessEcho,
  ),
  later(caches.clusters, (change) => concernedByCluster(caches, change)),
  later(caches.scores, (change) => concernedByScore(caches, change)),
];

const dueUnlessEcho = (change: Change<KubeObject>): number | undefined =>
  isStatusEcho(change) ? undefined : 0;

/** Until the first list is in, every Placement is reconciled anyway. */
const later = <T extends KubeObject>(
  cache: Cache<T>,
  concerned: (change: Change<T>) => readonly string[],
): Watch => ({
  cache: cache as unknown as Cache,
  follow: (add) =>
    cache.onChange((change) => {
      if (cache.hasSynced) for (const key of concerned(change)) add(key);
    }),
});

/** The Placement in the label, and the owner: a label may have been removed or given to the wrong object. */
function placementKeys(decision: PlacementDecision): readonly string[] {
  const owner = controllerOf(decision);
  const isOwned = owner?.kind === placementResource.kind;
  const owning = isOwned ? [`${decision.metadata.namespace}/${owner.name}`] : [];
  return [...placementKeysOf(decision), ...owning];
}

export const placementKind = defineKind<PlacementCaches>({
  name: "placement",
  resource: placementResource,
  customKinds: placementKinds,
  caches: placementCacheDefinitions,
  access: [
    statusAccess(placementResource),
    ownerAccess(placementResource),
    { resource: placementDecisionResource, verbs: ["create", "patch", "delete"] },
    statusAccess(placementDecisionResource),
  ],
  controller: placementController,
});
