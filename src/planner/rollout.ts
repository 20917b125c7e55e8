/** The desired state and the observed one: the whole input of a decision. */
import type { Unit } from "./unit.ts";

/** What to do when nothing has moved for the deadline. */
export type OnStuck = "Wait" | "ReleaseSurge" | "Rollback";

export interface Deadline {
  readonly afterMs: number;
  /** When the rollout began or last moved, whichever is later; the caller keeps it. */
  readonly lastProgressAtMs: number;
  readonly onStuck: OnStuck;
}

/** In the singular. */
export type UnitNoun = "unit" | "pod" | "replica" | "group";

export interface Rollout {
  /** Units are called `<name>-<ordinal>` in sentences about units that do not exist yet. */
  readonly name: string;
  /** What a unit is called in sentences; `unit` where nothing is said. */
  readonly noun?: UnitNoun;
  readonly targetRevision: string;
  /** Where a rollback goes, and what units below the partition are recreated from. */
  readonly previousRevision?: string;
  readonly desired: number;
  /** Ordinals are `[firstOrdinal, firstOrdinal + desired)`; 0 unless a StatefulSet says otherwise. */
  readonly firstOrdinal?: number;
  readonly paused: boolean;
  readonly deadline?: Deadline;
  /** The surge was released for this target revision: go on without it. */
  readonly surgeReleased?: boolean;
  /** That surge found no room, for sentences: what never started needs something else than room. */
  readonly surgeLackedRoom?: boolean;
}

/** A creation that was requested and that the cache may not show yet. */
export interface RequestedCreation {
  readonly ordinal: number;
  readonly revision: string;
}

/**
 * Writes already made. A stale view shows a deleted unit as available and hides a created one; with
 * these the decision is as safe as with a fresh view.
 */
export interface RequestedWrites {
  /** Ids of units, not names: the deletion of a unit does not concern its successor of the same name. */
  readonly deletions: readonly string[];
  readonly creations: readonly RequestedCreation[];
}

export const nothingRequested: RequestedWrites = { deletions: [], creations: [] };

export interface Snapshot {
  readonly nowMs: number;
  readonly rollout: Rollout;
  /** In any order. A kind whose names never collide may leave terminating units out. */
  readonly units: readonly Unit[];
  readonly requested: RequestedWrites;
}

export const firstOrdinal = (rollout: Rollout): number => rollout.firstOrdinal ?? 0;
