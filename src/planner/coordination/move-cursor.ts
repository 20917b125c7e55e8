/** Moves one role's cursor down as far as its bound and its budget allow, and never up. */
import type { RoleTally } from "./tally-role.ts";

export interface CursorMove {
  readonly cursor: number;
  /** Below the cursor, in rising order, and to move all the same. */
  readonly ahead: readonly number[];
  /** Ordinals that start to change because the cursor passes them, highest first. */
  readonly passed: readonly number[];
  /** Ordinals that start to change although the cursor is above them, highest first. */
  readonly sentAhead: readonly number[];
  readonly stoppedBy: "partition" | "bound" | "budget";
}

/**
 * Walks down from the cursor. A unit that serves and is outdated costs one of the budget; one that is
 * down already costs nothing, so the fix for a bad revision always gets through; one that is on the
 * target already costs nothing at all. Where healthy units have to wait for budget, those below them
 * that are down go ahead: they may be the very ones that have used it up.
 */
export function moveCursor(role: RoleTally, limit: number): CursorMove {
  const { cursor, passed, stoppedBy } = walkDown(role, limit);
  const mostAhead = limit - role.asked - passed.length;
  const sentAhead =
    stoppedBy === "budget" && !role.isTopDownOnly ? unitsDownBelow(role, cursor, mostAhead) : [];
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
  while (cursor > role.partition) {
    if (!isAsked(role, cursor - 1)) {
      if (role.asked + passed.length >= limit) return { cursor, passed, stoppedBy: "bound" };
      const cost = role.places[cursor - 1]?.health === "available" ? 1 : 0;
      if (cost > Math.max(0, room)) return { cursor, passed, stoppedBy: "budget" };
      room -= cost;
      passed.push(cursor - 1);
    }
    cursor -= 1;
  }
  return { cursor, passed, stoppedBy: "partition" };
}

/** A ready one only waits out its minReadySeconds. */
function unitsDownBelow(role: RoleTally, cursor: number, most: number): readonly number[] {
  const found: number[] = [];
  for (let at = cursor - 1; at >= role.partition && found.length < most; at -= 1) {
    const health = role.places[at]?.health;
    const isDown = health !== "available" && health !== "ready";
    if (isDown && !isAsked(role, at)) found.push(at);
  }
  return found;
}

/** Below the cursor. */
const isAsked = (role: RoleTally, ordinal: number): boolean =>
  role.places[ordinal]?.isUpdated === true || role.ahead.has(ordinal);
