/** What the Placement controller reads, and under which keys it finds it. */
import type {
  AddOnPlacementScore,
  ManagedCluster,
  ManagedClusterSet,
  ManagedClusterSetBinding,
} from "../../api/ocm/managed-cluster.ts";
import {
  clusterSetBindingResource,
  clusterSetResource,
  managedClusterResource,
  placementScoreResource,
} from "../../api/ocm/managed-cluster.ts";
import { ocmLabels } from "../../api/ocm/labels.ts";
import type { Placement, PlacementDecision } from "../../api/ocm/placement.ts";
import {
  placementDecisionResource,
  placementKeysOf,
  placementResource,
} from "../../api/ocm/placement.ts";
import type { Cache } from "../../runtime/cache.ts";
import { controllerUid, labelValue, namespaceOf } from "../../runtime/object-store.ts";
import type { Reader } from "../../runtime/reader.ts";
import type { CacheDefinitionsOf } from "../engine/shared-caches.ts";
import { celPlacements, scoreNames } from "./parse-placement.ts";

export interface PlacementCaches {
  readonly placements: Cache<Placement>;
  readonly decisions: Cache<PlacementDecision>;
  readonly clusters: Cache<ManagedCluster>;
  readonly sets: Cache<ManagedClusterSet>;
  readonly bindings: Cache<ManagedClusterSetBinding>;
  readonly scores: Cache<AddOnPlacementScore>;
}

export type PlacementReaders = {
  readonly [Name in keyof PlacementCaches]: PlacementCaches[Name] extends Cache<infer T>
    ? Reader<T>
    : never;
};

export const indexNames = {
  /** Placements by `namespace/set`; those that name no set under `namespace/*`. */
  bySet: "set",
  /** Placements by the name of an AddOnPlacementScore; `*` where an expression computes it. */
  byScore: "score",
  /** Placements whose predicates may read anything of a cluster. */
  byExpression: "expression",
  namespace: "namespace",
  /** PlacementDecisions by `namespace/name` of the Placement in their label. */
  byPlacement: "placement",
  byOwner: "owner",
  /** ManagedClusters by the set in their label. */
  byClusterSet: "clusterset",
  /** ManagedClusterSets by the way they choose clusters. */
  bySelectorType: "selector",
  /** Bindings by the set that they bind. */
  byBoundSet: "bound",
} as const;

/** Stands for every set that is bound. */
export const everySet = "*";

function clusterSetsOf({ metadata, spec }: Placement): readonly string[] {
  const named = spec.clusterSets ?? [];
  return (named.length === 0 ? [everySet] : [...new Set(named)]).map(
    (set) => `${metadata.namespace}/${set}`,
  );
}

export const placementCacheDefinitions: CacheDefinitionsOf<PlacementCaches> = {
  placements: {
    resource: placementResource,
    indexes: {
      [indexNames.bySet]: clusterSetsOf,
      [indexNames.byScore]: scoreNames,
      [indexNames.byExpression]: celPlacements,
    },
  },
  decisions: {
    resource: placementDecisionResource,
    indexes: {
      [indexNames.byPlacement]: placementKeysOf,
      [indexNames.byOwner]: controllerUid,
    },
  },
  clusters: {
    resource: managedClusterResource,
    indexes: { [indexNames.byClusterSet]: labelValue(ocmLabels.clusterSet) },
  },
  sets: {
    resource: clusterSetResource,
    indexes: {
      [indexNames.bySelectorType]: ({ spec }) => [
        spec?.clusterSelector?.selectorType ?? "ExclusiveClusterSetLabel",
      ],
    },
  },
  bindings: {
    resource: clusterSetBindingResource,
    indexes: {
      [indexNames.namespace]: namespaceOf,
      [indexNames.byBoundSet]: ({ metadata }) => [metadata.name ?? ""],
    },
  },
  scores: { resource: placementScoreResource },
};
