/** Chooses the clusters of a Placement: predicates, taints, ranking, number, groups. */
import type { Candidate, ClusterFigures, Taint, Toleration, Weights } from "./candidates.ts";
import { divideIntoGroups, type GroupSize } from "./decision-groups.ts";
import { byName } from "./decisions.ts";
import type { DecisionGroup } from "./decisions.ts";
import { scoresOf, type Score } from "./prioritizers.ts";
import { toleratedUntilMs, untolerated } from "./taints.ts";

export interface SchedulingPolicy {
  readonly tolerations: readonly Toleration[];
  /** Undefined for all that are feasible. */
  readonly numberOfClusters: number | undefined;
  readonly weights: Weights;
  /** Names of the decision groups, in their order. */
  readonly groups: readonly string[];
  readonly groupSize: GroupSize;
}

interface SchedulingSnapshot {
  readonly nowMs: number;
  readonly candidates: readonly Candidate[];
  /** Asked of feasible clusters only, and only where fewer than all of them are wanted. */
  readonly figuresOf: (cluster: string) => ClusterFigures;
  /** How many other Placements list the cluster that most of them list. */
  readonly mostUses: number;
}

export interface TaintedClusters {
  readonly clusters: number;
  /** The first of them by name, and what keeps it away. */
  readonly first: string;
  readonly taint: Taint;
}

export interface Schedule {
  readonly groups: readonly DecisionGroup[];
  readonly selected: number;
  readonly feasible: number;
  /** Clusters that a predicate matches and a taint keeps away; undefined where there is none. */
  readonly tainted: TaintedClusters | undefined;
  /** How many are wanted beyond those that are selected. */
  readonly unscheduled: number;
  /** The best first; undefined where ranking decided nothing. */
  readonly ranking: readonly Score[] | undefined;
  /** When the first toleration ends that a feasible cluster depends on. */
  readonly changesAtMs: number | undefined;
}

/** Pure: the order in which candidates arrive changes nothing. */
export function scheduleClusters(snapshot: SchedulingSnapshot, policy: SchedulingPolicy): Schedule {
  const { candidates, nowMs } = snapshot;
  const { tolerations, numberOfClusters } = policy;
  let changesAtMs = Number.POSITIVE_INFINITY;
  const feasible: Candidate[] = [];
  const tainted: Candidate[] = [];
  for (const candidate of candidates) {
    if (!candidate.isMatch) continue;
    const untilMs = toleratedUntilMs(candidate, tolerations, nowMs);
    if (untilMs === undefined) tainted.push(candidate);
    else feasible.push(candidate);
    changesAtMs = Math.min(changesAtMs, untilMs ?? changesAtMs);
  }
  const isChosen = numberOfClusters !== undefined && numberOfClusters < feasible.length;
  const ranking = isChosen ? rank(feasible, snapshot, policy) : undefined;
  const selected = ranking === undefined ? feasible : best(feasible, ranking, numberOfClusters);
  return {
    groups: divideIntoGroups(selected, policy.groups, policy.groupSize),
    selected: selected.length,
    feasible: feasible.length,
    tainted: taintedClusters(tainted, tolerations, nowMs),
    unscheduled: Math.max(0, (numberOfClusters ?? 0) - selected.length),
    ranking,
    changesAtMs: Number.isFinite(changesAtMs) ? changesAtMs : undefined,
  };
}

function taintedClusters(
  tainted: readonly Candidate[],
  tolerations: readonly Toleration[],
  nowMs: number,
): TaintedClusters | undefined {
  const [first, ...others] = tainted;
  if (first === undefined) return undefined;
  const least = others.reduce((a, b) => (byName(b.name, a.name) < 0 ? b : a), first);
  const taint = untolerated(least, tolerations, nowMs);
  return taint && { clusters: tainted.length, first: least.name, taint };
}

/** The highest score first, then by name. */
function rank(
  feasible: readonly Candidate[],
  { figuresOf, mostUses }: SchedulingSnapshot,
  { weights }: SchedulingPolicy,
): readonly Score[] {
  const ranked = feasible.map(({ name, isListed }) => {
    const { uses, cpu, memory, addOnScores } = figuresOf(name);
    return { name, isListed, uses, cpu, memory, addOnScores };
  });
  return scoresOf(ranked, weights, mostUses).toSorted(
    (a, b) => b.score - a.score || byName(a.name, b.name),
  );
}

function best(
  feasible: readonly Candidate[],
  ranking: readonly Score[],
  count = feasible.length,
): readonly Candidate[] {
  const chosen = new Set(ranking.slice(0, Math.max(0, count)).map(({ name }) => name));
  return feasible.filter(({ name }) => chosen.has(name));
}
