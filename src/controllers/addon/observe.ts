/** One view of an add-on: where it should be by its Placements, and where it is. */
import type { ClusterManagementAddOn, ManagedClusterAddOn } from "../../api/ocm/addon.ts";
import type { ManagedCluster } from "../../api/ocm/managed-cluster.ts";
import type { ObjectKey } from "../../api/object.ts";
import type { AddOnReaders } from "./caches.ts";
import { nameIndex, placementIndex } from "./caches.ts";
import type { ObservedPlacement } from "./selection.ts";

export interface Observed {
  readonly nowMs: number;
  readonly management: ClusterManagementAddOn;
  /** Empty for an add-on that is installed by hand. */
  readonly placements: readonly ObservedPlacement[];
  readonly addOns: readonly ManagedClusterAddOn[];
  readonly cluster: (name: string) => ManagedCluster | undefined;
}

export function observe(
  readers: AddOnReaders,
  { name }: ObjectKey,
  nowMs: number,
): Observed | undefined {
  const management = readers.managements.get({ name });
  if (management === undefined) return undefined;
  const { type, placements = [] } = management.spec?.installStrategy ?? {};
  return {
    nowMs,
    management,
    placements: (type === "Placements" ? placements : []).map((reference) => {
      const { namespace, name: placement } = reference;
      return {
        reference,
        placement: readers.placements.get({ namespace, name: placement }),
        decisions: readers.decisions.byIndex(placementIndex, `${namespace}/${placement}`),
      };
    }),
    addOns: readers.addOns.byIndex(nameIndex, name),
    cluster: (cluster) => readers.clusters.get({ name: cluster }),
  };
}

export const isByPlacements = ({ spec }: ClusterManagementAddOn): boolean =>
  spec?.installStrategy?.type === "Placements";
