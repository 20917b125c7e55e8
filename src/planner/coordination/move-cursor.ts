/** Moves one role's cursor down as far as its bound and its budget allow, and never up. */
import type { UnitHealth } from "../unit.ts";
import type { RoleTally } from "./tally-role.ts";

export interface CursorMove {
  readonly cursor: number;
  /** Below the cursor, in rising order, and to move all the same. */
  readonly ahead: readonly number[];
  /** Ordinals that start to change because the cursor passes them, highest first. */
  readonly passed: readonly number[];
  /** Ordinals that start to change although the cursor is above them, highest first. */
  readonly sentAhead: readonly number[];
  readonly stoppedBy: "partition" | "bound" | "budget" | "broken";
}

/**
 * Walks down from the cursor. A unit that serves and is outdated costs one of the budget; one that is
 * down already costs nothing, so the fix for a bad revision always gets through; one that is on the
 * target already costs nothing at all. Where healthy units have to wait for budget, those below them
 * that are down go ahead: they may be the very ones that have used it up. Broken ones go first where the bound
 * does not reach for all: a unit that starts may serve before it is replaced, and then has to wait for them.
 */
export function moveCursor(role: RoleTally, limit: number): CursorMove {
  const { cursor, passed, stoppedBy } = walkDown(role, limit);
  const mostAhead = limit - role.asked - passed.length;
  const isWaiting = stoppedBy === "budget" || stoppedBy === "broken";
  const sentAhead = isWaiting && !role.isTopDownOnly ? unitsDownBelow(role, cursor, mostAhead) : [];
  const ahead = [...role.ahead, ...sentAhead]
    .filter((ordinal) => ordinal < cursor)
    .toSorted((a, b) => a - b);
  return { cursor, ahead, passed, sentAhead, stoppedBy };
}

function walkDown(
  role: RoleTally,
  limit: number,
): Pick<CursorMove, "cursor" | "passed" | "stoppedBy"> {
  let cursor = role.cursor;
  const passed: number[] = [];
  let room = role.maxUnavailable - role.down;
  let broken = role.isTopDownOnly ? 0 : brokenBelow(role, cursor).length;
  while (cursor > role.partition) {
    if (!isAsked(role, cursor - 1)) {
      const left = limit - role.asked - passed.length;
      if (left <= 0) return { cursor, passed, stoppedBy: "bound" };
      const health = role.places[cursor - 1]?.health;
      const cost = health === "available" ? 1 : 0;
      if (cost > Math.max(0, room)) return { cursor, passed, stoppedBy: "budget" };
      if (health === "unavailable") broken -= 1;
      else if (left <= broken) return { cursor, passed, stoppedBy: "broken" };
      room -= cost;
      passed.push(cursor - 1);
    }
    cursor -= 1;
  }
  return { cursor, passed, stoppedBy: "partition" };
}

/** The broken ones first. A ready one only waits out its minReadySeconds. */
function unitsDownBelow(role: RoleTally, cursor: number, most: number): readonly number[] {
  const broken = brokenBelow(role, cursor);
  const others = unitsBelow(
    role,
    cursor,
    (health) => !isUp.has(health) && health !== "unavailable",
  );
  return [...broken, ...others].slice(0, Math.max(0, most)).toSorted((a, b) => b - a);
}

const isUp = new Set<UnitHealth>(["available", "ready"]);

const brokenBelow = (role: RoleTally, cursor: number): readonly number[] =>
  unitsBelow(role, cursor, (health) => health === "unavailable");

/** Those that nobody has asked yet, highest first. */
function unitsBelow(
  role: RoleTally,
  cursor: number,
  matches: (health: UnitHealth) => boolean,
): readonly number[] {
  const found: number[] = [];
  for (let at = cursor - 1; at >= role.partition; at -= 1) {
    const health = role.places[at]?.health ?? "missing";
    if (matches(health) && !isAsked(role, at)) found.push(at);
  }
  return found;
}

/** Below the cursor. */
const isAsked = (role: RoleTally, ordinal: number): boolean =>
  role.places[ordinal]?.isUpdated === true || role.ahead.has(ordinal);
