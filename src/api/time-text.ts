/** Times as Kubernetes writes them: seconds for most fields, microseconds for leases and events. */

const secondsPattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** Milliseconds since 1970; undefined where the text is no RFC 3339 time. */
export function parseTime(text: string): number | undefined {
  if (!secondsPattern.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** `2026-01-02T03:04:05Z`. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** `2026-01-02T03:04:05.678000Z`. */
export function microTimeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
