/** Lengths of time as `kubectl get` shows them: two or three significant figures. */
import { parseTime } from "../../api/time-text.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Up to which age a step of units is used, and whether the smaller unit is shown beside the larger one. */
const steps: readonly {
  readonly below: number;
  readonly unit: number;
  readonly letter: string;
  readonly smaller?: { readonly unit: number; readonly letter: string };
}[] = [
  { below: 2 * minute, unit: 1, letter: "s" },
  { below: 10 * minute, unit: minute, letter: "m", smaller: { unit: 1, letter: "s" } },
  { below: 3 * hour, unit: minute, letter: "m" },
  { below: 8 * hour, unit: hour, letter: "h", smaller: { unit: minute, letter: "m" } },
  { below: 2 * day, unit: hour, letter: "h" },
  { below: 8 * day, unit: day, letter: "d", smaller: { unit: hour, letter: "h" } },
  { below: 2 * year, unit: day, letter: "d" },
  { below: 8 * year, unit: year, letter: "y", smaller: { unit: day, letter: "d" } },
  { below: Infinity, unit: year, letter: "y" },
];

/** `90s`, `5m30s`, `3h15m`, `2d4h`, `400d`. */
export function durationText(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  // A small clock difference between machines is hidden; a larger one is shown.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  const step = steps.find(({ below }) => seconds < below);
  if (step === undefined) return "<invalid>";
  const whole = Math.floor(seconds / step.unit);
  const rest = step.smaller && Math.floor((seconds % step.unit) / step.smaller.unit);
  const tail = rest === undefined || rest === 0 ? "" : `${rest}${step.smaller?.letter}`;
  return `${whole}${step.letter}${tail}`;
}

/** How long ago a time was; a missing one is unknown. */
export function since(time: string | null | undefined, nowMs: number): string {
  const ms = parseTime(time ?? "");
  return ms === undefined ? "<unknown>" : durationText(nowMs - ms);
}
