/** How much longer a rollout takes at the pace it has had so far. Pure. */
import { parseTime } from "../api/time-text.ts";
import type { ProgressView } from "./view.ts";

/**
 * Undefined before the first unit is done, and when all are. What was done before it began is not its pace. A cluster
 * whose clock is ahead began in the future of whoever asks: nothing can be told from that.
 */
export function remainingMs(
  { done, total, startedAt, doneSince = 0 }: ProgressView,
  nowMs: number,
): number | undefined {
  const startedMs = startedAt === undefined ? undefined : parseTime(startedAt);
  if (startedMs === undefined || startedMs >= nowMs) return undefined;
  if (doneSince === 0 || done >= total) return undefined;
  return ((nowMs - startedMs) * (total - done)) / doneSince;
}
