/** The one answer of the planner: what to do now, why, and what it waits for. */

/** One write, as data. Whoever performs it decides nothing. */
export type Action = ReplaceAction | CreateAction | DeleteAction;

/** Delete this unit; once it is gone a later decision creates its successor at the same ordinal. */
export interface ReplaceAction {
  readonly kind: "replace";
  readonly unit: string;
  readonly id: string;
  readonly ordinal: number;
  readonly code: "Outdated" | "OutdatedAndBroken" | "UnitFailed";
}

export interface CreateAction {
  readonly kind: "create";
  readonly ordinal: number;
  readonly revision: string;
  readonly code: "UnitMissing" | "Surge";
}

/** Delete this unit for good. */
export interface DeleteAction {
  readonly kind: "delete";
  readonly unit: string;
  readonly id: string;
  readonly ordinal: number;
  readonly code: "ScaleIn" | "SurgeDone" | "SurgeOutdated" | "SurgeReleased" | "UnitFailed";
}

export type StepCode = "Replacing" | "Creating" | "Surging" | "ScalingIn" | "ReleasingSurge";

export type HoldCode =
  | "Paused"
  | "BudgetSpent"
  | "Updating"
  | "SurgeNotAvailable"
  | "RoundNotOver"
  | "PredecessorNotAvailable"
  | "UnitNotAvailable"
  | "UnitTerminating"
  | "ProgressDeadlineExceeded"
  | "NoBudget";

type DoneCode = "RolledOut" | "PartitionReached" | "OutdatedLeftToDelete";

export type ReasonCode = StepCode | HoldCode | DoneCode;

export interface Reason {
  readonly code: ReasonCode;
  /** One sentence for people, naming the unit and the rule. */
  readonly message: string;
}

/** One unit that the rollout waits for. */
export interface Wait {
  readonly unit: string;
  readonly ordinal: number;
  readonly code: "NotScheduled" | "Starting" | "MinReadySeconds" | "Broken" | "Terminating";
  readonly sinceMs: number;
  /** What would end this wait, in words. */
  readonly freedBy: string;
}

/** What a stuck rollout asks its controller to do beyond deleting and creating. */
export type Remedy =
  | { readonly kind: "none" }
  | { readonly kind: "releaseSurge" }
  | { readonly kind: "rollback"; readonly toRevision: string };

interface Answer {
  readonly reason: Reason;
  /** The units waited for, most important first, at most `waitsShown`. */
  readonly waits: readonly Wait[];
  /** How many units are waited for in all. */
  readonly waitingFor: number;
  /** Decide again after this long even if nothing happens; undefined where only an event can help. */
  readonly recheckAfterMs: number | undefined;
  readonly remedy: Remedy;
}

/** Actions to perform now, which together fit the budget; `kind` is the most important kind among them. */
export interface Step extends Answer {
  readonly kind: "replace" | "create" | "delete";
  readonly actions: readonly Action[];
}

export interface Hold extends Answer {
  readonly kind: "hold";
  readonly actions: readonly [];
}

export interface Done extends Answer {
  readonly kind: "done";
  readonly actions: readonly [];
}

export type Decision = Step | Hold | Done;

export const waitsShown = 10;
