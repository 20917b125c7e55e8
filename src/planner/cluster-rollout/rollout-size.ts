/** Resolves the sizes and times of a rollout over clusters: `25%` of so many, `10m`, `None`. */
import type { Amount } from "../percent.ts";
import { resolveAmount } from "../percent.ts";

/** Rounded up. What is not within 1 and the total means the default, as users of these fields are used to. */
export function resolveRolloutSize(amount: Amount, total: number, otherwise: number): number {
  if (typeof amount === "number" && amount <= 0) return otherwise;
  const size = resolveAmount(amount, total, "up");
  return size <= 0 || size > total ? otherwise : size;
}

/** Whether it is a whole number or a percentage at all. */
export const isRolloutSize = (amount: Amount): boolean =>
  typeof amount === "number" ? Number.isInteger(amount) : /^[0-9]+%$/.test(amount);

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** `10m` and `1h30m` in milliseconds, Infinity for `None` and nothing; undefined where it is neither. */
export function progressDeadlineMs(text: string | undefined): number | undefined {
  if (text === undefined || text === "" || text === "None") return Infinity;
  if (!/^(?:[0-9]+[hms])+$/.test(text)) return undefined;
  return [...text.matchAll(/([0-9]+)([hms])/g)].reduce(
    (sum, [, amount, unit = ""]) => sum + Number(amount) * (unitMs[unit] ?? 0),
    0,
  );
}
