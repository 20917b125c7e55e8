/** The words of coordination: several roles that change together, and how far each may go. */
import type { Unit } from "../unit.ts";

/**
 * Where a role's rollout stands: units at or above `ordinal` move to `revision`, those below keep
 * what they have. A StatefulSet holds it as its partition.
 */
export interface Cursor {
  readonly revision: string;
  readonly ordinal: number;
  /** Units below `ordinal` that move all the same: they did not serve when healthy ones above them had to wait. */
  readonly ahead?: readonly number[];
}

export interface CoordinatedRole {
  readonly role: string;
  readonly desired: number;
  readonly units: readonly Unit[];
  /** What is written on the workload now; undefined before the first rollout. */
  readonly cursor: Cursor | undefined;
  /**
   * The revision that the workload's own status reports. Until that is the target, its numbers describe
   * the previous rollout: acting on them would let units through before any bound holds.
   */
  readonly observedRevision: string | undefined;
  /** Whoever runs it replaces from the highest ordinal down and knows no unit that goes ahead. */
  readonly isTopDownOnly?: boolean;
}

/** What is kept between decisions about ordered steps; it belongs to one revision. */
export interface StepProgress {
  readonly revision: string;
  /** Steps passed, pauses included. `promote` raises it by one. */
  readonly passed: number;
  /** When step number `passed` was reached, if it was. */
  readonly reachedAtMs?: number;
}

export interface CoordinationSnapshot {
  readonly nowMs: number;
  readonly targetRevision: string;
  /** What people know it as, where that is something else. */
  readonly targetName?: string;
  readonly paused: boolean;
  readonly roles: readonly CoordinatedRole[];
  readonly steps?: StepProgress;
}

/** Whole units, resolved from what the user wrote for the role's present size. */
export interface RoleLimits {
  readonly maxUnavailable: number;
  /** This many units keep their revision. */
  readonly partition: number;
}

export type StepPause =
  | { readonly kind: "none" }
  | { readonly kind: "seconds"; readonly seconds: number }
  | { readonly kind: "untilPromoted" };

export interface CoordinationStep {
  /** Units on the target revision, per role; a role not named stays where it is. */
  readonly updated: Readonly<Record<string, number>>;
  readonly pause: StepPause;
}

/** Either the roles advance side by side within a skew, or in ordered steps: never both. */
export type CoordinationPace =
  | { readonly kind: "skew"; readonly maxSkewPercent: number | undefined }
  | { readonly kind: "steps"; readonly steps: readonly CoordinationStep[] };

export interface CoordinationPolicy {
  readonly limits: Readonly<Record<string, RoleLimits>>;
  readonly pace: CoordinationPace;
}
