/** Which nodes a pod can run on, and why not on the others. */
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from "../../api/pod.ts";
import { podRequests } from "../../api/pod-requests.ts";
import { hostPorts } from "./host-ports.ts";
import type { ClusterState, NodeState } from "./cluster-state.ts";
import { countByDomain, domainOf } from "./domains.ts";
import { matchesNodeRules, tolerates, unschedulableTaint, untoleratedTaint } from "./node-rules.ts";
import { affinityMatcher, matchesPod, spreadMatcher } from "./pod-matcher.ts";
import type { Reason } from "./reasons.ts";
import { insufficient, reasons, untolerated } from "./reasons.ts";

/** The reasons why the pod does not fit on a node; empty if it fits. */
type Filter = (state: NodeState) => readonly Reason[];

const fits: readonly Reason[] = [];

/** As upstream, the first filter that objects gives the reasons for a node. */
export function filtersFor(pod: Pod, cluster: ClusterState): Filter {
  const filters: readonly Filter[] = [
    (state) => nodeObjections(pod, state),
    resourceFilter(pod),
    spreadFilter(pod, cluster),
    affinityFilter(pod, cluster),
  ];
  return (state) => {
    for (const filter of filters) {
      const objections = filter(state);
      if (objections.length > 0) return objections;
    }
    return fits;
  };
}

function nodeObjections(pod: Pod, { node }: NodeState): readonly Reason[] {
  const { tolerations = [] } = pod.spec;
  const isCordoned = node.spec?.unschedulable === true;
  if (isCordoned && !tolerations.some((each) => tolerates(each, unschedulableTaint)))
    return [reasons.unschedulable];
  // The taint of a cordoned node is covered by the reason above.
  const taint = untoleratedTaint(pod, node);
  if (taint !== undefined) return [untolerated(taint.key, taint.value)];
  return matchesNodeRules(pod, node) ? fits : [reasons.nodeRules];
}

function resourceFilter(pod: Pod): Filter {
  const requests = [...podRequests(pod)].filter(([, amount]) => amount > 0);
  const ports = hostPorts(pod);
  return ({ allocatable, usage }) => {
    if (ports.some((port) => usage.ports.has(port))) return [reasons.ports];
    const objections: Reason[] = [];
    if (usage.podCount + 1 > (allocatable.get("pods") ?? 0)) objections.push(reasons.pods);
    for (const [name, amount] of requests) {
      const free = (allocatable.get(name) ?? 0) - (usage.amounts.get(name) ?? 0);
      if (amount > free) objections.push(insufficient(name));
    }
    return objections;
  };
}

function spreadFilter(pod: Pod, cluster: ClusterState): Filter {
  const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
    (constraint) => constraint.whenUnsatisfiable === "DoNotSchedule",
  );
  if (constraints.length === 0) return () => fits;
  const checks = constraints.map((constraint) => spreadCheck(pod, cluster, constraint));
  return (state) => {
    for (const check of checks) {
      const objections = check(state);
      if (objections.length > 0) return objections;
    }
    return fits;
  };
}

function spreadCheck(
  pod: Pod,
  cluster: ClusterState,
  constraint: TopologySpreadConstraint,
): Filter {
  const { topologyKey, maxSkew, minDomains = 1 } = constraint;
  const matcher = spreadMatcher(pod, constraint);
  const nodes = cluster.nodes().filter((state) => isEligible(pod, state, constraint));
  const sums = countByDomain(nodes, topologyKey, cluster.counts.of(matcher));
  const least = sums.size < minDomains ? 0 : Math.min(...sums.values());
  const self = matchesPod(matcher, pod) ? 1 : 0;
  return (state) => {
    const domain = domainOf(state, topologyKey);
    if (domain === undefined) return [reasons.spreadLabel];
    return (sums.get(domain) ?? 0) + self - least > maxSkew ? [reasons.spread] : fits;
  };
}

/** Nodes that the pod could not use anyway do not count as empty domains. */
function isEligible(pod: Pod, state: NodeState, constraint: TopologySpreadConstraint): boolean {
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
  if (nodeAffinityPolicy === "Honor" && !matchesNodeRules(pod, state.node)) return false;
  return nodeTaintsPolicy === "Ignore" || untoleratedTaint(pod, state.node) === undefined;
}

function affinityFilter(pod: Pod, cluster: ClusterState): Filter {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const wanted = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const unwanted = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const isNearRequired = requiredAffinityFilter(pod, cluster, wanted);
  const distances = unwanted.map((term) => ({
    topologyKey: term.topologyKey,
    sums: countByDomain(cluster.nodes(), term.topologyKey, countsOf(pod, cluster, term)),
  }));
  const forbidden = cluster.held
    .about(pod)
    .filter(({ weight }) => weight === -Infinity)
    .map(({ topologyKey, byNode }) => ({
      topologyKey,
      sums: countByDomain(cluster.nodes(), topologyKey, byNode),
    }));
  const isTaken = (
    state: NodeState,
    places: readonly { topologyKey: string; sums: ReadonlyMap<string, number> }[],
  ): boolean =>
    places.some(({ topologyKey, sums }) => (sums.get(domainOf(state, topologyKey) ?? "") ?? 0) > 0);
  return (state) => {
    if (!isNearRequired(state)) return [reasons.affinity];
    if (isTaken(state, distances)) return [reasons.antiAffinity];
    return isTaken(state, forbidden) ? [reasons.heldAntiAffinity] : fits;
  };
}

/** The first pod of a group with affinity to itself may go anywhere. */
function requiredAffinityFilter(
  pod: Pod,
  cluster: ClusterState,
  terms: readonly PodAffinityTerm[],
): (state: NodeState) => boolean {
  if (terms.length === 0) return () => true;
  const places = terms.map((term) => {
    const counts = countsOf(pod, cluster, term);
    return {
      topologyKey: term.topologyKey,
      sums: countByDomain(cluster.nodes(), term.topologyKey, counts),
      isEmpty: counts.size === 0,
      matchesItself: matchesPod(matcherOf(pod, cluster, term), pod),
    };
  });
  const isFirst = places.every(({ isEmpty, matchesItself }) => isEmpty && matchesItself);
  return (state) =>
    places.every(({ topologyKey, sums }) => {
      const domain = domainOf(state, topologyKey);
      return domain !== undefined && (isFirst || (sums.get(domain) ?? 0) > 0);
    });
}

function matcherOf(pod: Pod, cluster: ClusterState, term: PodAffinityTerm) {
  return affinityMatcher(pod, term, cluster.namespacesBySelector);
}

function countsOf(pod: Pod, cluster: ClusterState, term: PodAffinityTerm) {
  return cluster.counts.of(matcherOf(pod, cluster, term));
}
