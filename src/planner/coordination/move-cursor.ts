/** Moves one role's cursor down as far as its bound and its budget allow, and never up. */
import type { RoleTally } from "./tally-role.ts";

export interface CursorMove {
  readonly cursor: number;
  /** Ordinals that start to change by this move, highest first. */
  readonly taken: readonly number[];
  readonly stoppedBy: "partition" | "bound" | "budget";
}

/**
 * Walks down from the cursor. A unit that serves and is outdated costs one of the budget; one that is
 * down already costs nothing, so the fix for a bad revision always gets through; one that is on the
 * target already costs nothing at all.
 */
export function moveCursor(role: RoleTally, limit: number): CursorMove {
  let cursor = role.cursor;
  const taken: number[] = [];
  let room = role.maxUnavailable - role.down;
  const answer = (stoppedBy: CursorMove["stoppedBy"]): CursorMove => ({
    cursor,
    taken,
    stoppedBy,
  });
  while (cursor > role.partition) {
    const place = role.places[cursor - 1];
    if (place?.isUpdated !== true) {
      if (role.asked + taken.length >= limit) return answer("bound");
      const cost = place?.health === "available" ? 1 : 0;
      if (cost > Math.max(0, room)) return answer("budget");
      room -= cost;
      taken.push(cursor - 1);
    }
    cursor -= 1;
  }
  return answer("partition");
}
