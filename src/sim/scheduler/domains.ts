/** Sums over the domains of a topology: all nodes that share the value of one label. */
import type { NodeState } from "./cluster-state.ts";
import type { CountByNode } from "./match-counts.ts";

export function domainOf({ node }: NodeState, topologyKey: string): string | undefined {
  return node.metadata.labels?.[topologyKey];
}

export function countByDomain(
  nodes: readonly NodeState[],
  topologyKey: string,
  counts: CountByNode,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const state of nodes) {
    const domain = domainOf(state, topologyKey);
    if (domain === undefined) continue;
    sums.set(domain, (sums.get(domain) ?? 0) + (counts.get(state.name) ?? 0));
  }
  return sums;
}
