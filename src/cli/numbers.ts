/** Reads numbers from flags, with errors that name the flag. */
import { InvalidArgumentError } from "commander";

export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^[0-9]+$/.test(text) && value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(`Want a whole number from ${minimum} to ${maximum}.`);
  };
}

export function positiveNumber(maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== "" && value > 0 && value <= maximum) return value;
    throw new InvalidArgumentError(`Want a number above 0 and at most ${maximum}.`);
  };
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** `90s`, `5m`, `1h`, or seconds without a unit; in milliseconds. */
export function parseDuration(text: string): number {
  const [, amount = "", unit = "s"] = /^([0-9]+(?:\.[0-9]+)?)([smh])?$/.exec(text) ?? [];
  const value = Number(amount) * (unitMs[unit] ?? 0);
  if (amount !== "" && value > 0) return value;
  throw new InvalidArgumentError("Want a duration such as 90s, 5m or 1h.");
}
