/** Conditions in a status: ours are replaced, those of others survive, times move only when a status flips. */
import type { Condition } from "../../api/apps.ts";
import { timeText } from "../../api/time-text.ts";

export type ConditionText = Omit<Condition, "lastTransitionTime">;

export function mergeConditions(
  old: readonly Condition[] | undefined,
  ours: readonly ConditionText[],
  nowMs: number,
): Condition[] {
  const kept = (old ?? []).filter(({ type }) => !ours.some((condition) => condition.type === type));
  const next = ours.map((condition) => {
    const before = old?.find(({ type }) => type === condition.type);
    const lastTransitionTime =
      before?.status === condition.status ? before.lastTransitionTime : timeText(nowMs);
    return { ...condition, lastTransitionTime };
  });
  return [...kept, ...next].toSorted((a, b) => (a.type < b.type ? -1 : 1));
}

export const isConditionTrue = (
  status: { readonly conditions?: readonly Condition[] } | undefined,
  wanted: string,
): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === wanted && value === "True") ??
  false;
