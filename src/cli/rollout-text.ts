/** Short texts about a rollout that several commands print. Pure. */
import { parseTime } from "../api/time-text.ts";
import { remainingOf } from "../rollouts/eta.ts";
import { inNamespace } from "../rollouts/commands.ts";
import type { BudgetView, Counts, RevisionView, RolloutView } from "../rollouts/view.ts";
import { typed } from "../rollouts/view.ts";
import { shortDuration } from "./event-table.ts";

/** Clocks of two machines may differ by as much; a cluster whose time runs faster is far ahead. */
const skewMs = 5_000;

/** `12s`: how long ago this was; empty where nobody knows, or where the cluster's clock is ahead of this machine's. */
export function ageText(time: string | undefined, nowMs: number): string {
  const sinceMs = time === undefined ? undefined : parseTime(time);
  if (sinceMs === undefined || sinceMs > nowMs + skewMs) return "";
  return shortDuration(nowMs - sinceMs);
}

/** `unavailable 1/1 surge 0/1`. */
export const budgetText = ({ unavailable, surge }: BudgetView): string =>
  `unavailable ${unavailable.used}/${unavailable.allowed} surge ${surge.used}/${surge.allowed}`;

/** `2/3 replicas available, 1/3 updated`. */
export const countsText = ({ unit, desired, available, updated }: Counts): string =>
  unit === "cluster"
    ? `${available}/${desired} clusters listed`
    : `${available}/${desired} ${unit}s available, ${updated}/${desired} updated`;

/** `about 35s left`; empty where there is nothing to extrapolate from. */
export function etaText(view: Parameters<typeof remainingOf>[0], nowMs: number): string {
  const left = remainingOf(view, nowMs);
  return left === undefined ? "" : `about ${shortDuration(left)} left`;
}

/** `#2`, as `lockstep history` numbers it; the name where no number is recorded. */
export const shortRevision = ({ name, number }: RevisionView): string =>
  number === undefined ? name : `#${number}`;

/** The command that says everything there is to know. */
export const whyText = ({ object }: Pick<RolloutView, "object">): string =>
  `lockstep why ${typed(object)}${inNamespace(object)}`;
