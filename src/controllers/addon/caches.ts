/** What the add-on installer follows, and by which questions it finds things. */
import type { ClusterManagementAddOn, ManagedClusterAddOn } from "../../api/ocm/addon.ts";
import {
  clusterManagementAddOnResource,
  managedClusterAddOnResource,
} from "../../api/ocm/addon.ts";
import { addOnAnnotationPrefix } from "../../api/ocm/labels.ts";
import type { ManagedCluster } from "../../api/ocm/managed-cluster.ts";
import { managedClusterResource } from "../../api/ocm/managed-cluster.ts";
import type { Placement, PlacementDecision } from "../../api/ocm/placement.ts";
import {
  clustersOf,
  placementDecisionResource,
  placementKeysOf,
  placementResource,
} from "../../api/ocm/placement.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { Reader } from "../../runtime/reader.ts";
import { cachedMetadata } from "../engine/cached-objects.ts";
import type { CacheDefinitionsOf } from "../engine/shared-caches.ts";

export interface AddOnCaches {
  readonly managements: Cache<ClusterManagementAddOn>;
  readonly addOns: Cache<ManagedClusterAddOn>;
  readonly placements: Cache<Placement>;
  readonly decisions: Cache<PlacementDecision>;
  readonly clusters: Cache<ManagedCluster>;
}

export type AddOnReaders = {
  readonly [K in keyof AddOnCaches]: AddOnCaches[K] extends Cache<infer T> ? Reader<T> : never;
};

/** ClusterManagementAddOns and PlacementDecisions by the Placement they refer to: `namespace/name`. */
export const placementIndex = "addonPlacement";
/** PlacementDecisions by the clusters they list. */
export const clusterIndex = "addonCluster";
/** ManagedClusterAddOns by their name, which is the add-on's in every cluster. */
export const nameIndex = "name";

export const addOnCacheDefinitions: CacheDefinitionsOf<AddOnCaches> = {
  managements: {
    resource: clusterManagementAddOnResource,
    indexes: { [placementIndex]: placementsOf },
  },
  addOns: {
    resource: managedClusterAddOnResource,
    indexes: { [nameIndex]: ({ metadata }) => [metadata.name ?? ""] },
    transform: cachedAddOn,
  },
  placements: { resource: placementResource },
  decisions: {
    resource: placementDecisionResource,
    indexes: {
      [placementIndex]: placementKeysOf,
      [clusterIndex]: listedClusters,
    },
  },
  clusters: { resource: managedClusterResource },
};

function placementsOf({ spec }: ClusterManagementAddOn): readonly string[] {
  const { type, placements = [] } = spec?.installStrategy ?? {};
  return type === "Placements"
    ? placements.map(({ namespace, name }) => `${namespace}/${name}`)
    : [];
}

/** An entry without a name is no cluster. */
export function listedClusters(decision: PlacementDecision): readonly string[] {
  return clustersOf(decision).filter((name) => name !== "");
}

/** Of an add-on on a cluster its conditions count; there are as many as clusters times add-ons. */
function cachedAddOn(addOn: ManagedClusterAddOn): ManagedClusterAddOn {
  const conditions = addOn.status?.conditions ?? [];
  const read = conditions.filter(({ type }) => conditionsRead.has(type));
  return { ...cachedMetadata(addOn), spec: {}, status: { conditions: read } };
}

const conditionsRead: ReadonlySet<string> = new Set(["Available", "Degraded", "Progressing"]);

/** Annotations of a cluster that its add-ons get. */
export const addOnAnnotations = ({ metadata }: ManagedCluster): Record<string, string> =>
  Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).filter(([key]) =>
      key.startsWith(addOnAnnotationPrefix),
    ),
  );
