/** Moves one role's cursor down as far as its bound and its budget allow, and never up. */
import type { RoleTally } from "./tally-role.ts";

export interface CursorMove {
  readonly cursor: number;
  /** Units that start to change by this move. */
  readonly taken: number;
  readonly stoppedBy: "partition" | "bound" | "budget";
}

/**
 * Walks down from the cursor. A unit that serves and is outdated costs one of the budget; one that is
 * down already costs nothing, so the fix for a bad revision always gets through; one that is on the
 * target already costs nothing at all.
 */
export function moveCursor(role: RoleTally, limit: number): CursorMove {
  let cursor = role.cursor;
  let asked = role.asked;
  let room = role.maxUnavailable - role.down;
  const answer = (stoppedBy: CursorMove["stoppedBy"]): CursorMove => ({
    cursor,
    taken: asked - role.asked,
    stoppedBy,
  });
  while (cursor > role.partition) {
    const place = role.places[cursor - 1];
    if (place?.isUpdated !== true) {
      if (asked >= limit) return answer("bound");
      const cost = place?.health === "available" ? 1 : 0;
      if (cost > Math.max(0, room)) return answer("budget");
      room -= cost;
      asked += 1;
    }
    cursor -= 1;
  }
  return answer("partition");
}
