/** The smallest thing a rollout replaces whole: a pod, a leader with its workers, a clique-set replica. */

/**
 * - `missing`: no such unit exists (an observer may list it or leave it out);
 * - `pending`: created, not ready yet;
 * - `ready`: readiness passed, minReadySeconds not over;
 * - `available`: ready for minReadySeconds, it serves;
 * - `unavailable`: it was started and does not serve (crash loop, lost node, breached gang);
 * - `terminating`: its deletion has begun.
 */
export type UnitHealth =
  | "missing"
  | "pending"
  | "ready"
  | "available"
  | "unavailable"
  | "terminating";

export interface Unit {
  readonly name: string;
  /** The uid: distinguishes this unit from a later one of the same name; deletes carry it. */
  readonly id: string;
  readonly ordinal: number;
  readonly revision: string;
  readonly health: UnitHealth;
  readonly scheduled: boolean;
  readonly createdAtMs: number;
  /** For a `ready` unit: when it counts as available. Without it only an event can say so. */
  readonly availableAtMs?: number;
  /** When `health` last changed; `createdAtMs` is used where this is unknown. */
  readonly healthSinceMs?: number;
  /** It ended and will never come back by itself (pod phase Failed or Succeeded): recreate it. */
  readonly failed?: boolean;
  /** It counts as down because its update is not complete, but it serves meanwhile. */
  readonly isServing?: boolean;
}

export const isOutdated = (unit: Unit, targetRevision: string): boolean =>
  unit.revision !== targetRevision;

/** Its readiness passed, whether its minReadySeconds are over or not. */
export const isReadyUnit = ({ health }: Pick<Unit, "health">): boolean =>
  health === "ready" || health === "available";

/** Time alone turns a ready unit into an available one, so the observer need not be asked again. */
export function healthAt(unit: Unit, nowMs: number): UnitHealth {
  const waited = unit.availableAtMs !== undefined && unit.availableAtMs <= nowMs;
  return unit.health === "ready" && waited ? "available" : unit.health;
}
