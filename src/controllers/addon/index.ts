/** The add-on installer: one ManagedClusterAddOn on every cluster that the Placements of an add-on select. */
import type { ClusterManagementAddOn, ManagedClusterAddOn } from "../../api/ocm/addon.ts";
import {
  clusterManagementAddOnResource,
  managedClusterAddOnResource,
} from "../../api/ocm/addon.ts";
import { addOnKinds, placementKinds } from "../../api/ocm/definitions.ts";
import type { Placement, PlacementDecision } from "../../api/ocm/placement.ts";
import { placementKeysOf, placementResource } from "../../api/ocm/placement.ts";
import { isSameJson } from "../../api/same-json.ts";
import type { Resource } from "../../api/resource.ts";
import type { Change } from "../../runtime/cache.ts";
import { watch } from "../../runtime/controller.ts";
import { keyOf } from "../../runtime/object-store.ts";
import type { ControlledKind, KindOptions } from "../engine/controlled-kind.ts";
import { controlledKind, kindTools } from "../engine/controlled-kind.ts";
import { defineKind, ownerAccess, statusAccess } from "../engine/kind-definition.ts";
import { isStatusEcho } from "../engine/status-writer.ts";
import { knownCluster } from "./addon-state.ts";
import type { AddOnCaches } from "./caches.ts";
import {
  addOnCacheDefinitions,
  clusterIndex,
  listedClusters,
  nameIndex,
  placementIndex,
} from "./caches.ts";
import { addOnGauges } from "./gauges.ts";
import type { AddOnTools } from "./reconcile.ts";
import { addOnReconciler } from "./reconcile.ts";
import { isUrgentStatus } from "./status.ts";

/** A reconcile costs as much as there are clusters: the more, the longer it rests, and events are seen together. */
const restMsPerCluster = 0.05;
const longestRestMs = 200;

function addOnController(options: KindOptions & { caches: AddOnCaches }): ControlledKind {
  const { caches, gauge } = options;
  const resource = clusterManagementAddOnResource;
  const tools: AddOnTools = kindTools(options, { resource, reasons, isUrgent: isUrgentStatus });
  const managementsOf = (placement: string): readonly string[] =>
    caches.managements.byIndex(placementIndex, placement).map(keyOf);
  return controlledKind(options, {
    name: "addon",
    caches,
    tools,
    kind: addOnReconciler(caches, tools, addOnGauges(tools.memory, gauge)),
    watches: [
      watch(caches.managements, undefined, (change) => managementDue(tools, change)),
      watch(caches.addOns, ({ metadata }) => [metadata.name ?? ""], addOnDue),
      watch(caches.placements, (placement) => managementsOf(keyOf(placement)), placementDue),
      watch(
        caches.decisions,
        (decision) => placementKeysOf(decision).flatMap(managementsOf),
        decisionDue,
      ),
      watch(
        caches.clusters,
        ({ metadata }) =>
          caches.decisions
            .byIndex(clusterIndex, metadata.name ?? "")
            .flatMap(placementKeysOf)
            .flatMap(managementsOf),
        // Only a cluster that was missing is waited for; what it reports of itself changes nothing here.
        ({ type }) => (type === "added" ? 0 : undefined),
      ),
    ],
    workers: 5,
    spacingMs: (key) => {
      const clusters = caches.addOns.byIndex(nameIndex, key).length;
      return Math.min(longestRestMs, Math.floor(clusters * restMsPerCluster));
    },
  });
}

/** Add-ons are reported by events of their own; nothing here is a pod. */
const reasons = {
  deleted: "AddOnRemoved",
  created: "AddOnInstalled",
  updating: "Updating",
} as const;

const managementDue = (
  { statuses }: AddOnTools,
  change: Change<ClusterManagementAddOn>,
): number | undefined => (isStatusEcho(change) && statuses.isEcho(change.object) ? undefined : 0);

/** Agents report often; what counts is whether the add-on is there, how far it is, and whose it is. */
function addOnDue(change: Change<ManagedClusterAddOn>): number | undefined {
  if (change.type !== "updated") return 0;
  const { old, object } = change;
  const isSame =
    isSameJson(knownCluster(old), knownCluster(object)) &&
    old.metadata.deletionTimestamp === object.metadata.deletionTimestamp &&
    isSameJson(old.metadata.ownerReferences, object.metadata.ownerReferences);
  return isSame ? undefined : 0;
}

/** Of a Placement it counts that it is there, and which decisions it says there are. */
function placementDue(change: Change<Placement>): number | undefined {
  if (change.type !== "updated") return 0;
  const [before, after] = [change.old, change.object].map(({ status }) => status?.decisionGroups);
  return isSameJson(before, after) ? undefined : 0;
}

function decisionDue(change: Change<PlacementDecision>): number | undefined {
  if (change.type !== "updated") return 0;
  const { old, object } = change;
  const isSame =
    isSameJson(listedClusters(old), listedClusters(object)) &&
    isSameJson(old.metadata.labels, object.metadata.labels);
  return isSame ? undefined : 0;
}

const isRead = (resource: Resource): boolean =>
  Object.values(addOnCacheDefinitions).some((definition) => definition.resource === resource);

export const addOnKind = defineKind<AddOnCaches>({
  name: "addon",
  resource: clusterManagementAddOnResource,
  customKinds: [...placementKinds.filter(({ resource }) => isRead(resource)), ...addOnKinds],
  caches: addOnCacheDefinitions,
  access: [
    { resource: managedClusterAddOnResource, verbs: ["create", "delete"] },
    { resource: placementResource, verbs: ["get"] },
    statusAccess(clusterManagementAddOnResource),
    ownerAccess(clusterManagementAddOnResource),
  ],
  controller: addOnController,
});
