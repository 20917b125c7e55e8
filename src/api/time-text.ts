/** Times as Kubernetes writes them: seconds for most fields, microseconds for leases and events. */

const secondsPattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** Objects of one moment carry the same text, and every reconcile reads the times of all of them. */
const parsed = new Map<string, number>();
const parsedAtMost = 4_096;
const longestKept = 40;

/** Milliseconds since 1970; undefined where the text is no RFC 3339 time. */
export function parseTime(text: string): number | undefined {
  const known = parsed.get(text);
  if (known !== undefined || text === "") return known;
  const ms = secondsPattern.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) return undefined;
  // Anybody may write a time of a hundred thousand digits.
  if (text.length > longestKept) return ms;
  if (parsed.size >= parsedAtMost) parsed.clear();
  parsed.set(text, ms);
  return ms;
}

/** The last second that was written: many objects are, in one moment. */
let lastSecond = Number.NaN;
let lastText = "";

/** `2026-01-02T03:04:05Z`. */
export function timeText(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond) {
    lastText = `${new Date(ms).toISOString().slice(0, 19)}Z`;
    lastSecond = second;
  }
  return lastText;
}

/** `2026-01-02T03:04:05.678000Z`. */
export function microTimeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
