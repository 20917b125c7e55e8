/** Prints JSON data as Go's `%v` does, for upstream's messages about patches. */
import { isRecord } from "../schema/own-property.ts";

/** `map[image:nginx name:web]`, `[a b]`, `<nil>`. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (typeof value === "string") return value;
  if (!isRecord(value)) return JSON.stringify(value);
  const entries = Object.keys(value)
    .toSorted()
    .map((key) => `${key}:${goText(value[key])}`);
  return `map[${entries.join(" ")}]`;
}

/** What Go calls the kind of a decoded JSON value. */
export function goKind(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  if (typeof value === "object") return value === null ? "invalid" : "map";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value;
}
