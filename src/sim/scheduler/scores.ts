/** Chooses the best of the nodes on which a pod fits. */
import type { Pod } from "../../api/pod.ts";
import { podRequests } from "../../api/pod-requests.ts";
import type { ClusterState, NodeState } from "./cluster-state.ts";
import { countByDomain, domainOf } from "./domains.ts";
import { preferredNodeWeight, unwelcomeTaints } from "./node-rules.ts";
import { affinityMatcher, spreadMatcher } from "./pod-matcher.ts";

/** Higher is better; each kind of score is normalized to 0..100 before it is weighted. */
interface Score {
  readonly weight: number;
  readonly of: (state: NodeState) => number;
}

const points = 100;

/** Uses upstream's weights. Ties are broken by the number of pods, then by name, never at random. */
export function bestNode(pod: Pod, cluster: ClusterState, nodes: readonly NodeState[]): NodeState {
  const [first] = nodes;
  if (first === undefined) throw new Error("there is no node to choose from");
  if (nodes.length === 1) return first;
  const totals = new Map<string, number>(nodes.map(({ name }) => [name, 0]));
  for (const { weight, of } of scoresFor(pod, cluster, nodes)) {
    const raw = nodes.map(of);
    const least = Math.min(...raw);
    const spread = Math.max(...raw) - least;
    if (spread === 0) continue;
    for (const [index, { name }] of nodes.entries()) {
      const share = ((raw[index] ?? 0) - least) / spread;
      totals.set(name, (totals.get(name) ?? 0) + Math.floor(share * points) * weight);
    }
  }
  const isBetter = (a: NodeState, b: NodeState): boolean => {
    const difference = (totals.get(a.name) ?? 0) - (totals.get(b.name) ?? 0);
    return difference === 0 ? a.usage.podCount < b.usage.podCount : difference > 0;
  };
  // Nodes come sorted by name, so the first of equals stays.
  return nodes.reduce((best, state) => (isBetter(state, best) ? state : best), first);
}

function scoresFor(pod: Pod, cluster: ClusterState, nodes: readonly NodeState[]): readonly Score[] {
  const all: readonly (Score | undefined)[] = [
    { weight: 1, of: freeShare(pod) },
    { weight: 3, of: ({ node }) => -unwelcomeTaints(pod, node) },
    { weight: 2, of: ({ node }) => preferredNodeWeight(pod, node) },
    spreadScore(pod, cluster, nodes),
    affinityScore(pod, cluster, nodes),
  ];
  return all.filter((score) => score !== undefined);
}

/** The mean share of cpu, memory and other requested resources that would be left free. */
function freeShare(pod: Pod): Score["of"] {
  const requests = podRequests(pod);
  const names = [...new Set(["cpu", "memory", ...requests.keys()])];
  return ({ allocatable, usage }) => {
    const shares = names.map((name) => {
      const capacity = allocatable.get(name) ?? 0;
      const used = (usage.amounts.get(name) ?? 0) + (requests.get(name) ?? 0);
      return capacity === 0 ? 0 : (capacity - used) / capacity;
    });
    // Rounded, so that floating-point errors cannot decide between nodes.
    return Math.round((shares.reduce((sum, share) => sum + share, 0) / names.length) * 1e6);
  };
}

function spreadScore(
  pod: Pod,
  cluster: ClusterState,
  nodes: readonly NodeState[],
): Score | undefined {
  const soft = (pod.spec.topologySpreadConstraints ?? []).filter(
    (constraint) => constraint.whenUnsatisfiable === "ScheduleAnyway",
  );
  if (soft.length === 0) return undefined;
  const sums = soft.map((constraint) => ({
    topologyKey: constraint.topologyKey,
    counts: countByDomain(
      nodes,
      constraint.topologyKey,
      cluster.counts.of(spreadMatcher(pod, constraint)),
    ),
  }));
  const of = (state: NodeState): number =>
    -sums.reduce((total, { topologyKey, counts }) => {
      return total + (counts.get(domainOf(state, topologyKey) ?? "") ?? 0);
    }, 0);
  return { weight: 2, of };
}

/** The pod's own preferences for other pods, and the preferences of placed pods for it. */
function affinityScore(
  pod: Pod,
  cluster: ClusterState,
  nodes: readonly NodeState[],
): Score | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const liked = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const disliked = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const own = [
    ...liked.map(({ weight, podAffinityTerm }) => ({ weight, term: podAffinityTerm })),
    ...disliked.map(({ weight, podAffinityTerm }) => ({ weight: -weight, term: podAffinityTerm })),
  ].map(({ weight, term }) => ({
    weight,
    topologyKey: term.topologyKey,
    byNode: cluster.counts.of(affinityMatcher(pod, term, cluster.namespacesBySelector)),
  }));
  const held = cluster.held.about(pod).filter(({ weight }) => weight !== -Infinity);
  const pulls = [...own, ...held].map(({ weight, topologyKey, byNode }) => ({
    weight,
    topologyKey,
    sums: countByDomain(cluster.nodes(), topologyKey, byNode),
  }));
  if (pulls.length === 0 || nodes.length === 0) return undefined;
  const of = (state: NodeState): number =>
    pulls.reduce((total, { weight, topologyKey, sums }) => {
      return total + weight * (sums.get(domainOf(state, topologyKey) ?? "") ?? 0);
    }, 0);
  return { weight: 2, of };
}
