/** Cuts decision groups into numbered PlacementDecisions of at most a hundred clusters. */
import { byName } from "./decisions.ts";
import type { DecisionGroup, PlannedDecision } from "./decisions.ts";

export const maxClustersPerDecision = 100;

/**
 * Numbers run from 1 through all groups: groups of 10 and 150 give `web-decision-1` (10),
 * `web-decision-2` (100) and `web-decision-3` (50). A group without clusters takes no index. No
 * cluster at all still gives one empty decision, because some consumers fail when none exists.
 */
export function layOutDecisions(
  placement: string,
  groups: readonly DecisionGroup[],
  maxClusters: number = maxClustersPerDecision,
): readonly PlannedDecision[] {
  const filled = withoutRepeats(groups).filter((group) => group.clusters.length > 0);
  const shown = filled.length > 0 ? filled : [{ name: "", clusters: [] }];
  const slices = shown.flatMap((group, index) =>
    slicesOf(group.clusters, maxClusters).map((clusters) => ({
      group: { index, name: group.name },
      clusters,
    })),
  );
  return slices.map((slice, position) => ({
    ...slice,
    number: position + 1,
    name: decisionName(placement, position + 1),
  }));
}

function decisionName(placement: string, number: number): string {
  return `${placement}-decision-${number}`;
}

/** The number in a decision's name, or undefined for a name this planner would never give. */
export function decisionNumber(placement: string, name: string): number | undefined {
  const prefix = decisionName(placement, 0).slice(0, -1);
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^[1-9][0-9]{0,8}$/.test(digits) ? Number(digits) : undefined;
}

/** The first group that names a cluster keeps it, so that every cluster has exactly one home. */
function withoutRepeats(groups: readonly DecisionGroup[]): readonly DecisionGroup[] {
  const taken = new Set<string>();
  return groups.map((group) => {
    const own = group.clusters.toSorted(byName).filter((cluster) => {
      const isNew = !taken.has(cluster);
      taken.add(cluster);
      return isNew;
    });
    return { name: group.name, clusters: own };
  });
}

function slicesOf(clusters: readonly string[], size: number): readonly (readonly string[])[] {
  const count = Math.max(1, Math.ceil(clusters.length / size));
  return Array.from({ length: count }, (_, slice) =>
    clusters.slice(slice * size, (slice + 1) * size),
  );
}
