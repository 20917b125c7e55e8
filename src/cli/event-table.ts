/** The events of an object as the last paragraph of its description. */
import type { EventObject } from "../rollouts/events.ts";
import { terminalText } from "./terminal-text.ts";

/** Oldest first, with tabs between the columns. */
export function eventLines(events: readonly EventObject[], nowMs: number): string[] {
  if (events.length === 0) return ["Events:\t<none>"];
  const rows = events
    .toSorted((a, b) => lastSeenMs(a) - lastSeenMs(b) || compareNames(a, b))
    .map((event) => [
      event.type ?? "",
      event.reason ?? "",
      ageText(event, nowMs),
      event.source?.component ?? event.reportingComponent ?? "",
      (event.message ?? "").trim(),
    ])
    // A tab would begin another column, a line feed another event.
    .map((row) => row.map((cell) => terminalText(cell.replaceAll(/[\t\n]/g, " "))));
  const titles = ["Type", "Reason", "Age", "From", "Message"];
  const rule = ["----", "------", "----", "----", "-------"];
  return ["Events:", ...[titles, rule, ...rows].map((row) => `  ${row.join("\t")}`)];
}

const compareNames = (a: EventObject, b: EventObject): number =>
  (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;

function firstSeenMs(event: EventObject): number {
  return Date.parse(
    event.firstTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? "",
  );
}

function lastSeenMs(event: EventObject): number {
  const seen = event.series?.lastObservedTime ?? event.lastTimestamp;
  return seen === undefined || seen === null ? firstSeenMs(event) : Date.parse(seen);
}

/** `5s`, or `5s (x3 over 40s)` when it happened more than once. */
function ageText(event: EventObject, nowMs: number): string {
  const count = event.series?.count ?? event.count ?? 1;
  const last = shortDuration(nowMs - lastSeenMs(event));
  return count > 1 ? `${last} (x${count} over ${shortDuration(nowMs - firstSeenMs(event))})` : last;
}

/** Two units at most, as kubectl shows ages: `45s`, `3m20s`, `5h`, `12d`. */
export function shortDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  if (Number.isNaN(seconds)) return "<unknown>";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return pair(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return pair(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  return days < 8 ? pair(days, "d", hours % 24, "h") : `${days}d`;
}

function pair(major: number, majorUnit: string, minor: number, minorUnit: string): string {
  return minor === 0 ? `${major}${majorUnit}` : `${major}${majorUnit}${minor}${minorUnit}`;
}
