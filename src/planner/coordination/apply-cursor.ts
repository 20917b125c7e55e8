/** The foreseen effect of a cursor on its role: every unit that it lets through was replaced and is available. */
import type { Unit } from "../unit.ts";
import type { CoordinatedRole, Cursor } from "./coordinated-roles.ts";

/**
 * Units at or above the cursor, and those ahead of it, run its revision and are available; those below become available
 * unless they are broken. A broken unit of the target revision stays broken: a preview must not
 * assume that it recovers. Returns the same object when nothing changes.
 */
export function applyCursor(role: CoordinatedRole, cursor: Cursor, nowMs: number): CoordinatedRole {
  const updated = role.units.map((unit) => updatedUnit(unit, cursor, role.desired));
  const created = missingOrdinals(role).map((at) => freshUnit(role.role, at, cursor, nowMs));
  const isUnchanged =
    created.length === 0 &&
    updated.every((unit, at) => unit === role.units[at]) &&
    role.observedRevision === cursor.revision &&
    role.cursor?.revision === cursor.revision &&
    role.cursor.ordinal === cursor.ordinal &&
    (role.cursor.ahead ?? []).length === (cursor.ahead ?? []).length;
  if (isUnchanged) return role;
  return { ...role, units: [...updated, ...created], cursor, observedRevision: cursor.revision };
}

function updatedUnit(unit: Unit, cursor: Cursor, desired: number): Unit {
  if (unit.ordinal >= desired) return unit;
  const { revision } = cursor;
  if (letsThrough(cursor, unit.ordinal) && unit.revision !== revision) {
    return { ...unit, revision, health: "available" };
  }
  const isAtRest = unit.health === "available" || unit.health === "unavailable";
  return isAtRest ? unit : { ...unit, health: "available" };
}

const letsThrough = ({ ordinal, ahead = [] }: Cursor, at: number): boolean =>
  at >= ordinal || ahead.includes(at);

function missingOrdinals({ units, desired }: CoordinatedRole): readonly number[] {
  const isThere = new Uint8Array(desired);
  for (const { ordinal } of units) isThere[ordinal] = 1;
  const missing: number[] = [];
  for (let at = 0; at < desired; at += 1) if (isThere[at] === 0) missing.push(at);
  return missing;
}

/** Below the cursor a workload recreates the revision that was there before, whatever its name. */
function freshUnit(role: string, ordinal: number, cursor: Cursor, createdAtMs: number): Unit {
  const name = `${role}-${ordinal}`;
  const revision = letsThrough(cursor, ordinal) ? cursor.revision : "";
  return { name, id: name, ordinal, revision, health: "available", scheduled: true, createdAtMs };
}
