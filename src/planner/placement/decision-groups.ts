/** Divides the selected clusters into decision groups: named ones first, then the rest. */
import type { Candidate } from "./candidates.ts";
import { byName } from "./decisions.ts";
import type { DecisionGroup } from "./decisions.ts";

/** How many clusters a group has at most: a number, or a share of all that are selected. */
export type GroupSize =
  | { readonly kind: "clusters"; readonly clusters: number }
  | { readonly kind: "percent"; readonly percent: number };

/** The share of 25% of 3 clusters is 1, rounded up; nothing, or more than all, is all of them. */
export function groupSize(size: GroupSize, selected: number): number {
  const clusters =
    size.kind === "clusters" ? size.clusters : Math.ceil((size.percent * selected) / 100);
  return clusters <= 0 || clusters > selected ? selected : clusters;
}

/** A named group with more clusters than the size becomes several of the same name. */
export function divideIntoGroups(
  selected: readonly Pick<Candidate, "name" | "group">[],
  names: readonly string[],
  size: GroupSize,
): readonly DecisionGroup[] {
  const atMost = groupSize(size, selected.length);
  const members = new Map<number | undefined, string[]>();
  for (const { name, group } of selected) {
    const known = members.get(group);
    if (known === undefined) members.set(group, [name]);
    else known.push(name);
  }
  const named = names.map((name, at) => [name, members.get(at)] as const);
  return [...named, ["", members.get(undefined)] as const].flatMap(([name, clusters = []]) =>
    cut(clusters.toSorted(byName), atMost).map((part) => ({ name, clusters: part })),
  );
}

function cut(clusters: readonly string[], atMost: number): readonly (readonly string[])[] {
  const count = clusters.length === 0 ? 0 : Math.ceil(clusters.length / atMost);
  return Array.from({ length: count }, (_, at) => clusters.slice(at * atMost, (at + 1) * atMost));
}
