/** The progress deadline of a rollout, computed from objects alone, so that a restarted operator knows it too. */
import { parseTime } from "../../api/time-text.ts";
import type { Deadline } from "../../planner/index.ts";
import type { WithConditions } from "./conditions.ts";
import { conditionOf, isConditionTrue } from "./conditions.ts";
import { rolloutConditionTypes } from "./rollout-conditions.ts";

type OnStuck = Deadline["onStuck"];

/**
 * Loading a large model takes many minutes in which nothing else moves: less would call healthy starts stalled, and
 * without any limit nobody would hear of a rollout that cannot end.
 */
export const defaultProgressDeadlineSeconds = 1_800;

export const progressDeadline = (
  seconds: number | undefined,
  lastProgressAtMs: number,
  onStuck: OnStuck = "Wait",
): Deadline => ({
  afterMs: (seconds ?? defaultProgressDeadlineSeconds) * 1000,
  lastProgressAtMs,
  onStuck,
});

/**
 * Since when there has been something to do, by the conditions last written: what rested does not count as waiting.
 * Undefined for what is stalled already, so that saying so starts nothing anew.
 */
export function movingSinceMs(
  status: WithConditions | undefined,
  nowMs: number,
): number | undefined {
  if (isConditionTrue(status, rolloutConditionTypes.stalled)) return undefined;
  const moving = conditionOf(status, rolloutConditionTypes.progressing);
  return moving?.status === "True" ? parseTime(moving.lastTransitionTime ?? "") : nowMs;
}

/** The latest of the moments in which something moved; `otherwiseMs` where none is known. */
export const latestOf = (moments: readonly (number | undefined)[], otherwiseMs: number): number =>
  moments.reduce<number | undefined>(
    (latest, moment) =>
      moment === undefined || (latest !== undefined && latest >= moment) ? latest : moment,
    undefined,
  ) ?? otherwiseMs;
