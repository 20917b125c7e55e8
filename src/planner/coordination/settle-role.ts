/** A model of the world: what was asked to change has changed, what starts has started. */
import type { Unit } from "../unit.ts";
import type { CoordinatedRole, Cursor } from "./coordinated-roles.ts";

/**
 * Units at or above the cursor run its revision and serve; those below serve again unless they are
 * broken. A unit of the target that is broken stays broken: a preview must not wish it well. The
 * same object comes back when nothing was left to settle.
 */
export function settleRole(role: CoordinatedRole, cursor: Cursor, nowMs: number): CoordinatedRole {
  const settled = role.units.map((unit) => settleUnit(unit, cursor, role.desired));
  const born = missingOrdinals(role).map((at) => freshUnit(role.role, at, cursor, nowMs));
  const isSettled =
    born.length === 0 &&
    settled.every((unit, at) => unit === role.units[at]) &&
    role.observedRevision === cursor.revision &&
    role.cursor?.revision === cursor.revision &&
    role.cursor.ordinal === cursor.ordinal;
  if (isSettled) return role;
  return { ...role, units: [...settled, ...born], cursor, observedRevision: cursor.revision };
}

function settleUnit(unit: Unit, { revision, ordinal }: Cursor, desired: number): Unit {
  if (unit.ordinal >= desired) return unit;
  if (unit.ordinal >= ordinal && unit.revision !== revision) {
    return { ...unit, revision, health: "available" };
  }
  const isAtRest = unit.health === "available" || unit.health === "unavailable";
  return isAtRest ? unit : { ...unit, health: "available" };
}

function missingOrdinals({ units, desired }: CoordinatedRole): readonly number[] {
  const isThere = new Uint8Array(desired);
  for (const { ordinal } of units) isThere[ordinal] = 1;
  const missing: number[] = [];
  for (let at = 0; at < desired; at += 1) if (isThere[at] === 0) missing.push(at);
  return missing;
}

/** Below the cursor a workload recreates what was there before, whatever that was called. */
function freshUnit(role: string, ordinal: number, cursor: Cursor, createdAtMs: number): Unit {
  const name = `${role}-${ordinal}`;
  const revision = ordinal >= cursor.ordinal ? cursor.revision : "";
  return { name, id: name, ordinal, revision, health: "available", scheduled: true, createdAtMs };
}
