/** How a rollout may proceed, as data: each kind is a choice of these values and has no code of its own here. */
import type { Budget } from "./budget.ts";
import type { Ordering } from "./ordering.ts";

/**
 * - `parallel`: whatever the budget allows, at once;
 * - `rounds`: OrderedReady. Units start one by one upwards, stop one by one downwards, and a
 *   round of replacements is over before the next begins;
 * - `strict`: as `rounds`, but a unit may go as soon as all before it in order are available again.
 */
export type Pacing = "parallel" | "rounds" | "strict";

/**
 * Whether an outdated unit that does not serve is replaced at once (`replace`), or waits for budget
 * like any other (`wait`, what the Kubernetes StatefulSet controller does under OrderedReady).
 */
export type BrokenUnits = "replace" | "wait";

export interface RollingPolicy {
  readonly kind: "rolling";
  readonly budget: Budget;
  /** This many of the lowest places keep the revision they have. */
  readonly partition: number;
  /** Ordinals below the partition that move all the same. */
  readonly ahead?: ReadonlySet<number>;
  readonly ordering: Ordering;
  readonly pacing: Pacing;
  readonly brokenUnits: BrokenUnits;
  /** At most this many units are on their way to the target at once, broken ones included. */
  readonly maxInFlight?: number;
}

/** Updates delete nothing; a unit that a user deletes is recreated on the target revision. */
export interface OnDeletePolicy {
  readonly kind: "onDelete";
  /** Guards scale-in only. */
  readonly budget: Budget;
  readonly pacing: Pacing;
  readonly scaleIn: "highestOrdinal" | "outdatedFirst";
}

export type Policy = RollingPolicy | OnDeletePolicy;

const rolling = {
  kind: "rolling",
  partition: 0,
  pacing: "parallel",
  brokenUnits: "replace",
} as const;

/** Pods of a standalone clique: the oldest goes first. */
export const cliquePolicy = (budget: Budget, partition = 0): RollingPolicy => ({
  ...rolling,
  ordering: "oldestFirst",
  budget,
  partition,
});

/** Replicas of a scaling group: the lowest goes first. */
export const scalingGroupPolicy = (budget: Budget, partition = 0): RollingPolicy => ({
  ...rolling,
  ordering: "ascendingOrdinal",
  budget,
  partition,
});

/** Whole replicas of a clique set: those that are not available go first. */
export const replicaRecreatePolicy = (budget: Budget, partition = 0): RollingPolicy => ({
  ...rolling,
  ordering: "unscheduledThenBrokenThenOrdinal",
  budget,
  partition,
});

/** A StatefulSet: the highest goes first; its pod management policy is the pacing. */
export const statefulSetPolicy = (
  budget: Budget,
  partition: number,
  pacing: Pacing,
  brokenUnits: BrokenUnits = "replace",
): RollingPolicy => ({
  ...rolling,
  ordering: "descendingOrdinal",
  budget,
  partition,
  pacing,
  brokenUnits,
});

/** What is there may wait as long as its user likes; the budget only guards scale-in. */
export const onDeletePolicy = (
  desired: number,
  scaleIn: OnDeletePolicy["scaleIn"],
  pacing: Pacing = "parallel",
): OnDeletePolicy => ({
  kind: "onDelete",
  budget: { maxUnavailable: desired, maxSurge: 0 },
  pacing,
  scaleIn,
});
