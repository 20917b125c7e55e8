/** Which clusters a consumer sees that rebuilds the decision groups from the labels of PlacementDecisions. */
import { byName } from "../placement/decisions.ts";
import type { ClusterGroup } from "./cluster-rollout.ts";

/** A PlacementDecision as a consumer reads it. */
export interface TrackedDecision {
  readonly name: string;
  /** The values of the two group labels. */
  readonly groupIndex: string | undefined;
  readonly groupName: string | undefined;
  readonly clusters: readonly string[];
}

/** Clusters that are listed, but in a group that the walk does not reach. */
export interface HiddenGroup extends ClusterGroup {
  readonly because: "AnotherNameAtIndex" | "GapBefore";
}

export type TrackedDecisions =
  | {
      readonly kind: "tracked";
      readonly groups: readonly ClusterGroup[];
      readonly hidden: readonly HiddenGroup[];
    }
  /** One such label is an error for the whole placement, as it is in the original. */
  | { readonly kind: "unreadable"; readonly decision: string; readonly problem: string };

/**
 * The rules of the tracker in Open Cluster Management's library: the last decision that carries an index names its
 * group, and as many indices are walked, from 0, as there are different ones. A group behind a gap, or under an
 * index that carries another name, is not seen. Last is the last that is given; in the original the order is random.
 */
export function trackDecisions(decisions: readonly TrackedDecision[]): TrackedDecisions {
  const groups = new Map<string, { index: number; name: string; clusters: Set<string> }>();
  const nameAt = new Map<number, string>();
  for (const decision of decisions) {
    const index = indexOf(decision.groupIndex);
    if (index === undefined) return unreadable(decision);
    const name = decision.groupName ?? "";
    const group = groups.get(`${index}/${name}`) ?? { index, name, clusters: new Set() };
    for (const cluster of decision.clusters) group.clusters.add(cluster);
    groups.set(`${index}/${name}`, group);
    nameAt.set(index, name);
  }
  const ordered = [...groups.values()]
    .toSorted((a, b) => a.index - b.index || byName(a.name, b.name))
    .map(({ index, name, clusters }) => ({
      index,
      name,
      clusters: [...clusters].toSorted(byName),
    }));
  const isNamed = ({ index, name }: ClusterGroup): boolean => nameAt.get(index) === name;
  const isReached = ({ index }: ClusterGroup): boolean => index < nameAt.size;
  return {
    kind: "tracked",
    groups: ordered.filter((group) => isNamed(group) && isReached(group)),
    hidden: ordered
      .filter((group) => !isNamed(group) || !isReached(group))
      .map((group) => ({ ...group, because: isNamed(group) ? "GapBefore" : "AnotherNameAtIndex" })),
  };
}

const indexOf = (label: string | undefined): number | undefined =>
  label !== undefined && /^[0-9]{1,9}$/.test(label) ? Number(label) : undefined;

function unreadable({ name, groupIndex }: TrackedDecision): TrackedDecisions {
  const found = groupIndex === undefined ? "is missing" : `is ${JSON.stringify(groupIndex)}`;
  const problem = `the decision-group-index label of PlacementDecision ${name} ${found}: want a number from 0`;
  return { kind: "unreadable", decision: name, problem };
}
