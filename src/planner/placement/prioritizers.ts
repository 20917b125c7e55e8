/** Scores of clusters, each from -100 to 100, and their weighted sum. */
import type { Candidate, ClusterFigures, Weights } from "./candidates.ts";

export interface Score {
  readonly name: string;
  readonly score: number;
}

/** A feasible cluster with what is known of it. */
type Ranked = Pick<Candidate, "name" | "isListed"> & ClusterFigures;

const most = 100;

/** In the order of the given clusters. `mostUses`: of the cluster that most other Placements list. */
export function scoresOf(
  clusters: readonly Ranked[],
  weights: Weights,
  mostUses: number,
): readonly Score[] {
  const unused = (): number => 0;
  const cpu = weights.cpu === 0 ? unused : resourceScore(clusters.map((each) => each.cpu));
  const memory = weights.memory === 0 ? unused : resourceScore(clusters.map((each) => each.memory));
  return clusters.map((cluster) => ({
    name: cluster.name,
    score:
      weights.balance * balanceScore(cluster.uses, mostUses) +
      weights.steady * (cluster.isListed ? most : 0) +
      weights.cpu * cpu(cluster.cpu) +
      weights.memory * memory(cluster.memory) +
      weights.addOns.reduce((sum, weight, at) => sum + weight * (cluster.addOnScores[at] ?? 0), 0),
  }));
}

/** `1 of 3` is 32, not 33: the half is cut off before it is doubled. */
export function balanceScore(uses: number, mostUses: number): number {
  if (uses === 0) return most;
  return 2 * Math.trunc(most * (0.5 - uses / mostUses)) + 0;
}

/**
 * From the least (-100) to the most (100) among the feasible; 100 where all have the same. The order of the
 * operations is part of it: 80 between 50 and 100 is 19, because 0.6 - 0.5 is a little less than 0.1.
 */
export function resourceScore(
  amounts: readonly (number | undefined)[],
): (amount: number | undefined) => number {
  const known = amounts.filter((amount) => amount !== undefined);
  const least = known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const span = known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY) - least;
  return (amount) => {
    if (amount === undefined) return 0;
    return span === 0 ? most : Math.trunc(((amount - least) / span - 0.5) * 2 * most) + 0;
  };
}
