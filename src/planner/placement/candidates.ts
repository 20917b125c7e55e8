/** The words of scheduling: clusters as plain data, what a Placement tolerates, and how it ranks. */

export type TaintEffect = "NoSelect" | "PreferNoSelect" | "NoSelectIfNew";

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: TaintEffect;
  /** Undefined where nobody wrote it down: a toleration for some time has then ended. */
  readonly addedMs: number | undefined;
}

export interface Toleration {
  /** Empty for every key. */
  readonly key: string;
  readonly operator: "Equal" | "Exists";
  readonly value: string;
  /** Undefined for every effect. */
  readonly effect: TaintEffect | undefined;
  /** How long after a taint was added it is tolerated; undefined for ever. */
  readonly seconds: number | undefined;
}

/** A cluster of the eligible sets. Selectors are evaluated outside and enter as answers. */
export interface Candidate {
  readonly name: string;
  /** Whether one of the predicates matches. */
  readonly isMatch: boolean;
  readonly taints: readonly Taint[];
  /** Whether a decision of this Placement lists it now. */
  readonly isListed: boolean;
  /** The first of the named decision groups that it belongs to, by its place in their list. */
  readonly group: number | undefined;
}

/** What ranking knows of a cluster, asked only where fewer than all are wanted. */
export interface ClusterFigures {
  /** How many other Placements list it. */
  readonly uses: number;
  /** Undefined where the cluster does not report both what it has and what is left of it. */
  readonly cpu: number | undefined;
  readonly memory: number | undefined;
  /** In the order of the policy's add-on scores; 0 where there is none or it has expired. */
  readonly addOnScores: readonly number[];
}

export interface Weights {
  readonly balance: number;
  readonly steady: number;
  readonly cpu: number;
  readonly memory: number;
  readonly addOns: readonly number[];
}
