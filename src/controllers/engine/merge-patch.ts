/** The JSON merge patch that turns one value into another: only what differs, and null for what goes. */
import { isSameJson } from "../../api/same-json.ts";

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Undefined where both are the same. */
export function mergePatchTo(before: unknown, after: unknown): unknown {
  if (!isFields(before) || !isFields(after)) return isSameJson(before, after) ? undefined : after;
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changes = keys.flatMap((key): [string, unknown][] => {
    const next = after[key];
    if (next === undefined) return before[key] === undefined ? [] : [[key, null]];
    const change = mergePatchTo(before[key], next);
    return change === undefined ? [] : [[key, change]];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}
