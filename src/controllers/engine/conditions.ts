/** Conditions in a status: ours are replaced, those of others survive, times move only when a status flips. */
import type { Condition } from "../../api/apps.ts";
import { timeText } from "../../api/time-text.ts";

export type ConditionText = Omit<Condition, "lastTransitionTime">;

export function mergeConditions(
  old: readonly Condition[] | undefined,
  ours: readonly ConditionText[],
  nowMs: number,
): Condition[] {
  const merged = ours.map((condition) => {
    const before = old?.find(({ type }) => type === condition.type);
    return before?.status === condition.status
      ? sameStatus(before, condition)
      : { ...condition, lastTransitionTime: timeText(nowMs) };
  });
  for (const condition of old ?? []) {
    if (!ours.some(({ type }) => type === condition.type)) merged.push(condition);
  }
  return merged.toSorted((a, b) => (a.type < b.type ? -1 : 1));
}

/** The very same object where it says the same, which is how most conditions come out of most reconciles. */
function sameStatus(before: Condition, condition: ConditionText): Condition {
  const { type, status, reason, message, observedGeneration } = condition;
  const isSeen = before.observedGeneration === observedGeneration;
  if (isSeen && before.reason === reason && before.message === message) return before;
  const seen = observedGeneration === undefined ? {} : { observedGeneration };
  return { type, status, reason, message, lastTransitionTime: before.lastTransitionTime, ...seen };
}

/** The part of a status that every kind has. */
export interface WithConditions {
  readonly conditions?: readonly Condition[] | undefined;
}

export const conditionOf = (
  status: WithConditions | undefined,
  wanted: string,
): Condition | undefined => status?.conditions?.find(({ type }) => type === wanted);

export const isConditionTrue = (status: WithConditions | undefined, wanted: string): boolean =>
  conditionOf(status, wanted)?.status === "True";
