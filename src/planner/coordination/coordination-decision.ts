/** The answer of coordination: a cursor for every role, and the reason for it. */
import type { Wait } from "../decision.ts";
import type { Cursor, StepProgress } from "./coordinated-roles.ts";

type CoordinationCode =
  /* moves */
  | "Starting"
  | "Advancing"
  /* holds */
  | "Paused"
  | "StatusNotCurrent"
  | "WaitsForRole"
  | "BudgetSpent"
  /* broken units that the rollout does not reach have used up the budget */
  | "KeptUnitDown"
  | "UnitNotAvailable"
  | "WaitsForStep"
  | "StepPause"
  | "AwaitsPromotion"
  /* done */
  | "PartitionReached"
  | "RolledOut";

export interface CoordinationReason {
  readonly code: CoordinationCode;
  /** One sentence for people, naming the role, what it waits for and the rule. */
  readonly message: string;
}

export interface RoleDecision {
  readonly role: string;
  readonly cursor: Cursor;
  /** Units that may run the target revision once the cursor stands there. */
  readonly updatedTarget: number;
  /** Units that start to change by this decision. */
  readonly taken: number;
  readonly reason: CoordinationReason;
  /** The role that holds this one back, where one does. */
  readonly waitsForRole: string | undefined;
  readonly waits: readonly Wait[];
}

/**
 * - `begin`: the target is new. Write it together with these cursors, which let nothing through;
 * - `advance`: write the cursors that changed;
 * - `hold`: nothing may move now;
 * - `done`: every unit that may change is updated and available.
 */
export interface CoordinationDecision {
  readonly kind: "begin" | "advance" | "hold" | "done";
  /** Sorted by role. */
  readonly roles: readonly RoleDecision[];
  readonly reason: CoordinationReason;
  /** To be kept until the next decision, where the policy has steps. */
  readonly steps: StepProgress | undefined;
  readonly recheckAfterMs: number | undefined;
}
