/** Fields that take a number or a percentage: `2` or `"25%"`. */
import { invalid, type FieldError } from "./field-error.ts";
import { negativeProblem, patternProblem } from "./problem-text.ts";

export type IntOrPercent = number | string;

const percentPattern = /^[0-9]+%$/;

export function percentProblems(value: string): string[] {
  if (percentPattern.test(value)) return [];
  const message = "a valid percent string must be a numeric string followed by an ending '%'";
  return [patternProblem(message, "[0-9]+%", "1%", "93%")];
}

export function validatePositiveIntOrPercent(value: IntOrPercent, path: string): FieldError[] {
  if (typeof value === "string") {
    return percentProblems(value).map((problem) => invalid(path, value, problem));
  }
  return value < 0 ? [invalid(path, value, negativeProblem)] : [];
}

export function validateAtMost100Percent(value: IntOrPercent, path: string): FieldError[] {
  const percent = percentOf(value);
  if (percent === undefined || percent <= 100) return [];
  return [invalid(path, value, "must not be greater than 100%")];
}

/** The number before the percent sign; undefined where the value is no percentage. */
export function percentOf(value: IntOrPercent): number | undefined {
  if (typeof value !== "string" || !percentPattern.test(value)) return undefined;
  return Number(value.slice(0, -1));
}

/** A value that is neither a number nor a percentage counts as 0. */
export const isZero = (value: IntOrPercent): boolean =>
  (percentOf(value) ?? (Number(value) || 0)) === 0;

/** The value resolved against `total`; a number is returned as it is. */
export function resolveIntOrPercent(
  value: IntOrPercent,
  total: number,
  rounding: "up" | "down",
): number {
  if (typeof value === "number") return value;
  const share = ((percentOf(value) ?? 0) * total) / 100;
  return rounding === "up" ? Math.ceil(share) : Math.floor(share);
}
