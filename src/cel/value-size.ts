/** How large values of rules are, which decides what it costs to work on them. */
import { UrlValue } from "./values.ts";

/** Characters of a text, items of a list, entries of a map; 1 for anything else. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length;
  if (value instanceof UrlValue) return value.text.length;
  if (value instanceof Map || value instanceof Set) return value.size;
  return Object.keys(value).length;
}

const knownParts = new WeakMap<object, number>();

/** Everything inside a value, itself included; ten characters of a text count as one part. */
export function partsOf(value: unknown): number {
  if (typeof value === "string") return 1 + value.length / 10;
  if (typeof value !== "object" || value === null) return 1;
  const known = knownParts.get(value);
  if (known !== undefined) return known;
  const inside = Array.isArray(value) ? value : Object.values(value);
  const parts = inside.reduce<number>((sum, part) => sum + partsOf(part), 1);
  knownParts.set(value, parts);
  return parts;
}
