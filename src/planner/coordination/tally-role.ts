/** Counts the progress of a role: what was requested, what is updated, and what of that is available. */
import { healthAt } from "../unit.ts";
import type { Unit, UnitHealth } from "../unit.ts";
import type { CoordinatedRole, CoordinationSnapshot, RoleLimits } from "./coordinated-roles.ts";

/** One ordinal of a role. */
export interface Place {
  readonly unit: Unit | undefined;
  readonly health: UnitHealth;
  /** It runs the target revision and is not on its way out. */
  readonly isUpdated: boolean;
}

export interface RoleTally extends RoleLimits {
  readonly role: string;
  readonly desired: number;
  readonly places: readonly Place[];
  readonly cursor: number;
  /** Below the cursor, and free to be replaced any moment all the same. */
  readonly ahead: ReadonlySet<number>;
  readonly isTopDownOnly: boolean;
  /** Updated, or at or above the cursor or sent ahead of it, and so free to be replaced any moment. */
  readonly asked: number;
  readonly updated: number;
  /** Updated and available: all that a partner may count on. */
  readonly confirmed: number;
  /** Not available, or free to be replaced: what the budget has to cover. */
  readonly down: number;
  /** Every unit that may change is updated and available. The role no longer holds others back. */
  readonly isFinished: boolean;
}

export function tallyRole(
  role: CoordinatedRole,
  limits: RoleLimits,
  { nowMs, targetRevision }: CoordinationSnapshot,
): RoleTally {
  const places = placesOf(role, targetRevision, nowMs);
  const isCurrent = role.cursor?.revision === targetRevision;
  const cursor = isCurrent ? Math.min(role.cursor.ordinal, role.desired) : role.desired;
  const { isTopDownOnly = false } = role;
  const ahead = new Set(isCurrent && !isTopDownOnly ? role.cursor.ahead : []);
  const count = { asked: 0, updated: 0, confirmed: 0, down: 0, unfinished: 0 };
  places.forEach(({ health, isUpdated }, ordinal) => {
    const serves = health === "available";
    const isAsked = isUpdated || ordinal >= cursor || ahead.has(ordinal);
    if (isAsked) count.asked += 1;
    if (isUpdated) count.updated += 1;
    if (isUpdated && serves) count.confirmed += 1;
    if (!serves || (isAsked && !isUpdated)) count.down += 1;
    if (ordinal >= limits.partition && !(isUpdated && serves)) count.unfinished += 1;
  });
  // Named one by one: a spread would cost more than all the counting.
  return {
    maxUnavailable: limits.maxUnavailable,
    partition: limits.partition,
    role: role.role,
    desired: role.desired,
    places,
    cursor,
    ahead,
    isTopDownOnly,
    asked: count.asked,
    updated: count.updated,
    confirmed: count.confirmed,
    down: count.down,
    isFinished: count.unfinished === 0,
  };
}

function placesOf(role: CoordinatedRole, targetRevision: string, nowMs: number): readonly Place[] {
  const places: Place[] = [];
  while (places.length < role.desired) places.push(emptyPlace);
  for (const unit of role.units) {
    const other = places[unit.ordinal];
    if (other === undefined) continue;
    if (other.unit !== undefined && !supersedes(unit, other.unit)) continue;
    const health = healthAt(unit, nowMs);
    const isTerminating = health === "terminating" || health === "missing";
    const isUpdated = !isTerminating && unit.revision === targetRevision;
    places[unit.ordinal] = { unit, health, isUpdated };
  }
  return places;
}

const emptyPlace: Place = { unit: undefined, health: "missing", isUpdated: false };

/** Of a terminating unit and its successor, the successor counts. */
function supersedes(unit: Unit, other: Unit): boolean {
  const [goes, otherGoes] = [unit, other].map(({ health }) => health === "terminating");
  if (goes !== otherGoes) return otherGoes === true;
  if (unit.createdAtMs !== other.createdAtMs) return unit.createdAtMs > other.createdAtMs;
  return unit.id > other.id;
}
