/** Resolves `2` and `25%` into integers at the edge, so that nothing behind it ever rounds again. */
import type { Budget } from "./budget.ts";

/** An integer, or a percentage such as `"25%"`. */
export type Amount = number | string;

interface BudgetAmounts {
  readonly maxUnavailable?: Amount;
  readonly maxSurge?: Amount;
}

const percentage = /^([0-9]+)%$/;

export function resolveAmount(amount: Amount, total: number, rounding: "down" | "up"): number {
  if (typeof amount === "number" && Number.isInteger(amount) && amount >= 0) return amount;
  const percent = percentage.exec(String(amount))?.[1];
  if (percent === undefined) {
    throw new RangeError(`${JSON.stringify(amount)}: want a whole number such as 2, or "25%"`);
  }
  // Digits without end would make it infinite, and infinity times zero is no number.
  const share = (Math.min(Number(percent), Number.MAX_SAFE_INTEGER) * total) / 100;
  return rounding === "down" ? Math.floor(share) : Math.ceil(share);
}

/**
 * Rounds unavailability down and surge up. 10% of 3 rounds to nothing down and nothing extra, and
 * the rollout would stall for ever; one unit may then be down.
 */
export function resolveBudget(amounts: BudgetAmounts, desired: number): Budget {
  const maxUnavailable = resolveAmount(amounts.maxUnavailable ?? 1, desired, "down");
  const maxSurge = resolveAmount(amounts.maxSurge ?? 0, desired, "up");
  return { maxUnavailable: maxUnavailable + maxSurge === 0 ? 1 : maxUnavailable, maxSurge };
}

/** A StatefulSet rounds down, never below one, and has no surge: 10% of 5 is 1. */
export function resolveStatefulSetBudget(
  maxUnavailable: Amount | undefined,
  desired: number,
): Budget {
  return {
    maxUnavailable: Math.max(1, resolveAmount(maxUnavailable ?? 1, desired, "down")),
    maxSurge: 0,
  };
}
