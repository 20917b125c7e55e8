/** How much longer a rollout takes at the pace it has had so far. Pure. */
import { parseTime } from "../api/time-text.ts";
import type { ProgressView, RolloutView } from "./view.ts";
import { waitsForOperator } from "./view.ts";

/**
 * Undefined before the first unit is done, and when all are. What was done before it began is not its pace. A cluster
 * whose clock is ahead of this one began in the future: nothing is known of its pace.
 */
export function remainingMs(
  { done, total, startedAt, doneSince = 0 }: ProgressView,
  nowMs: number,
): number | undefined {
  const startedMs = startedAt === undefined ? undefined : parseTime(startedAt);
  if (startedMs === undefined || doneSince === 0 || done >= total) return undefined;
  return nowMs <= startedMs ? undefined : ((nowMs - startedMs) * (total - done)) / doneSince;
}

/** Nothing is promised where nobody may be at work. */
export const remainingOf = (
  view: Pick<RolloutView, "progress" | "state" | "operator" | "missingLease">,
  nowMs: number,
): number | undefined =>
  waitsForOperator(view) || view.missingLease !== undefined
    ? undefined
    : remainingMs(view.progress, nowMs);
