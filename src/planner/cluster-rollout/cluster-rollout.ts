/** The words of rolling something out over clusters: their groups, what is known of each, and what is decided. */
import type { Amount } from "../percent.ts";

/** How far a cluster is; the states of Open Cluster Management's rollouts. */
export type ClusterState = "ToApply" | "Progressing" | "Succeeded" | "Failed" | "TimeOut" | "Skip";

/** A cluster that has what is rolled out, or for which somebody decided already. */
export interface KnownCluster {
  readonly name: string;
  readonly state: ClusterState;
  /** Since when; without it the state counts as just entered. */
  readonly sinceMs?: number;
}

/** The clusters of one decision group. */
export interface ClusterGroup {
  readonly index: number;
  readonly name: string;
  readonly clusters: readonly string[];
}

export interface ClusterRolloutSnapshot {
  readonly nowMs: number;
  readonly groups: readonly ClusterGroup[];
  readonly known: readonly KnownCluster[];
}

/** A group by its name, or by its index where it has none. */
export type GroupReference = { readonly name: string } | { readonly index: number };

interface Paced {
  /** How long a cluster must have succeeded before its slot is free. */
  readonly minSuccessMs: number;
  /** After this long without success a cluster has failed; Infinity waits for ever. */
  readonly deadlineMs: number;
  readonly maxFailures: Amount;
  /** Rolled out before all others, one after the other; none of their clusters may fail. */
  readonly mandatoryGroups: readonly GroupReference[];
}

export type ClusterRolloutPolicy =
  | { readonly type: "All"; readonly deadlineMs: number }
  | (Paced & { readonly type: "Progressive"; readonly maxConcurrency: Amount })
  | (Paced & { readonly type: "ProgressivePerGroup" });

type ClusterRolloutCode = "RolledOut" | "RollingOut" | "WaitingForClusters" | "TooManyFailures";

export interface ClusterRolloutReason {
  readonly code: ClusterRolloutCode;
  readonly message: string;
}

export interface ClusterRolloutDecision {
  /** What is rolled out is to be applied to these now. */
  readonly apply: readonly string[];
  /** These have it, and each takes a slot until it has succeeded for long enough or times out. */
  readonly underWay: readonly KnownCluster[];
  readonly failed: readonly string[];
  readonly timedOut: readonly string[];
  /** Known, but in no group any more. */
  readonly removed: readonly string[];
  /** More failures than tolerated: nothing further is applied until somebody helps. */
  readonly isStopped: boolean;
  /** When time alone changes the answer. */
  readonly recheckAfterMs: number | undefined;
  readonly reason: ClusterRolloutReason;
}
