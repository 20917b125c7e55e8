/** Which taints of a cluster a Placement tolerates, and until when. */
import type { Candidate, Taint, Toleration } from "./candidates.ts";

/** Undefined where it is not tolerated; Infinity where time alone changes nothing. */
export function toleratedUntilMs(
  { taints, isListed }: Pick<Candidate, "taints" | "isListed">,
  tolerations: readonly Toleration[],
  nowMs: number,
): number | undefined {
  let untilMs = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const endMs = taintUntilMs(taint, isListed, tolerations);
    if (endMs <= nowMs) return undefined;
    untilMs = Math.min(untilMs, endMs);
  }
  return untilMs;
}

/** What keeps a cluster away. */
export const untolerated = (
  { taints, isListed }: Pick<Candidate, "taints" | "isListed">,
  tolerations: readonly Toleration[],
  nowMs: number,
): Taint | undefined => taints.find((taint) => taintUntilMs(taint, isListed, tolerations) <= nowMs);

/** The end of the toleration that lasts longest; minus infinity where nothing tolerates the taint. */
function taintUntilMs(taint: Taint, isListed: boolean, tolerations: readonly Toleration[]): number {
  // It only says which clusters come last, and there is no prioritizer that asks for it.
  if (taint.effect === "PreferNoSelect") return Number.POSITIVE_INFINITY;
  if (taint.effect === "NoSelectIfNew" && isListed) return Number.POSITIVE_INFINITY;
  return tolerations
    .filter((toleration) => matches(toleration, taint))
    .map((toleration) => endMs(toleration, taint))
    .reduce((latest, end) => Math.max(latest, end), Number.NEGATIVE_INFINITY);
}

function matches({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  return operator === "Exists" || value === taint.value;
}

function endMs({ seconds }: Toleration, { addedMs }: Taint): number {
  if (seconds === undefined) return Number.POSITIVE_INFINITY;
  return addedMs === undefined ? Number.NEGATIVE_INFINITY : addedMs + seconds * 1000;
}
