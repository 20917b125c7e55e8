/** The progress deadline of a rollout, computed from objects alone, so that a restarted operator knows it too. */
import type { Deadline } from "../../planner/index.ts";

type OnStuck = Deadline["onStuck"];

/** To be spread into a rollout: empty where nobody set a deadline. */
export function progressDeadline(
  seconds: number | undefined,
  lastProgressAtMs: () => number,
  onStuck: OnStuck,
): { readonly deadline?: Deadline } {
  if (seconds === undefined) return {};
  return { deadline: { afterMs: seconds * 1000, lastProgressAtMs: lastProgressAtMs(), onStuck } };
}

/** The latest of the moments in which something moved; `otherwiseMs` where none is known. */
export const latestOf = (moments: readonly (number | undefined)[], otherwiseMs: number): number =>
  moments.reduce<number | undefined>(
    (latest, moment) =>
      moment === undefined || (latest !== undefined && latest >= moment) ? latest : moment,
    undefined,
  ) ?? otherwiseMs;
