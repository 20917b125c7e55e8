/** Times as Go reads and writes them: seconds for Time, exactly six fractional digits for MicroTime. */
import { DecodeError } from "./decode-cursor.ts";

interface Layout {
  readonly text: string;
  readonly steps: readonly (readonly [pattern: RegExp, name: string])[];
}

const date: Layout["steps"] = [
  [/^\d{4}/, "2006"],
  [/^-/, "-"],
  [/^\d{2}/, "01"],
  [/^-/, "-"],
  [/^\d{2}/, "02"],
  [/^T/, "T"],
  [/^\d{1,2}/, "15"],
  [/^:/, ":"],
  [/^\d{2}/, "04"],
  [/^:/, ":"],
];
const zone = [/^(?:Z|[+-]\d{2}:\d{2})/, "Z07:00"] as const;

const seconds: Layout = {
  text: "2006-01-02T15:04:05Z07:00",
  steps: [...date, [/^\d{2}(?:[.,]\d+)?/, "05"], zone],
};
const micros: Layout = {
  text: "2006-01-02T15:04:05.000000Z07:00",
  steps: [...date, [/^\d{2}/, "05"], [/^\.\d{6}/, ".000000"], zone],
};

/** Splits by the layout; where a part does not fit, says which, as Go does. */
function split(text: string, layout: Layout): string[] {
  const parts: string[] = [];
  let rest = text;
  for (const [pattern, name] of layout.steps) {
    const part = pattern.exec(rest)?.[0];
    if (part === undefined) {
      throw new DecodeError(
        `parsing time ${JSON.stringify(text)} as "${layout.text}": cannot parse ${JSON.stringify(rest)} as "${name}"`,
      );
    }
    parts.push(part);
    rest = rest.slice(part.length);
  }
  if (rest !== "") {
    const problem = `extra text: ${JSON.stringify(rest)}`;
    throw new DecodeError(`parsing time ${JSON.stringify(text)}: ${problem}`);
  }
  return parts;
}

function assertInRange(text: string, parts: readonly string[]): void {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = [0, 2, 4, 6, 8, 10].map(
    (index) => Math.floor(Number(parts[index]?.replace(",", "."))),
  );
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const ranges: readonly (readonly [ok: boolean, name: string])[] = [
    [month >= 1 && month <= 12, "month"],
    [day >= 1 && day <= daysInMonth, "day"],
    [hour < 24, "hour"],
    [minute < 60, "minute"],
    [second < 60, "second"],
  ];
  const wrong = ranges.find(([ok]) => !ok);
  if (wrong === undefined) return;
  throw new DecodeError(`parsing time ${JSON.stringify(text)}: ${wrong[1]} out of range`);
}

const plainUtcSeconds =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** `2026-01-02T03:04:05Z`; any fraction is dropped and any zone turned into UTC. */
export function canonicalTime(text: string): string {
  if (plainUtcSeconds.test(text)) return text;
  assertInRange(text, split(text, seconds));
  const normalized = text.replace(",", ".").replace(/T(\d):/, "T0$1:");
  return `${new Date(normalized).toISOString().slice(0, 19)}Z`;
}

/** `2026-01-02T03:04:05.000000Z`. */
export function canonicalMicroTime(text: string): string {
  const parts = split(text, micros);
  assertInRange(text, parts);
  const fraction = parts[11] ?? ".000000";
  const whole = new Date(text.replace(fraction, "")).toISOString().slice(0, 19);
  return `${whole}${fraction}Z`;
}
