/**
 * What choosing clusters may take. A Placement may ask any number of questions about every cluster, and while they are
 * answered nothing else runs: no other object, and no renewal of the lease.
 */
import { Misconfigured } from "./misconfigured.ts";

/**
 * In the units of CEL's costs and pattern steps; any other check counts as one. Two seconds or so, well below what a
 * lease outlasts; a pattern like `^(eu|us|ap)-[a-z]{1,9}-[0-9]+$` may be asked of thirty thousand clusters.
 */
const mostEffort = 50_000_000;

/** For the question whether a change of one cluster concerns a Placement. */
export const mostEffortForOne = 100_000;

export class Effort {
  #left: number;

  constructor(most: number = mostEffort) {
    this.#left = most;
  }

  /** Throws Misconfigured where it is too much: only an edit of the Placement can help. */
  spend(effort: number): void {
    this.#left -= effort;
    if (this.#left < 0) throw new Misconfigured("Selection", tooMuch);
  }
}

const tooMuch =
  "spec: checking the clusters takes too long with so many or such costly predicates, tolerations, scores and " +
  "groups: use fewer or cheaper ones, or fewer clusters with clusterSets";
