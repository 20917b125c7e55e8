/** Finds, for a part of an updated object, the part of the stored object it comes from. */
import { isSameJson } from "../../api/same-json.ts";
import type { JsonSchema } from "./json-schema.ts";
import { isMap, own } from "./json-schema.ts";

/**
 * The old value beside a new one. `old` is undefined if nothing corresponds: then the nearest
 * ancestor that does correspond decides whether the value counts as unchanged.
 */
export interface Correlation {
  readonly old: unknown;
  readonly parentUnchanged: boolean;
}

/** Everything is new. */
export const uncorrelated: Correlation = { old: undefined, parentUnchanged: false };

export function isUnchanged(value: unknown, { old, parentUnchanged }: Correlation): boolean {
  return old === undefined ? parentUnchanged : isSameJson(value, old);
}

/** One property of a map; an atomic map is one value, so its parts correspond to nothing. */
export function ofProperty(
  schema: JsonSchema,
  value: unknown,
  correlation: Correlation,
  key: string,
): Correlation {
  if (correlation === uncorrelated) return uncorrelated;
  const { old } = correlation;
  const isAtomic = schema["x-kubernetes-map-type"] === "atomic";
  const part = isMap(old) && !isAtomic ? own(old, key) : undefined;
  return { old: part, parentUnchanged: isUnchanged(value, correlation) };
}

/** One item of a list; only items of `map` lists keep their identity. */
export function ofItem(
  schema: JsonSchema,
  list: readonly unknown[],
  correlation: Correlation,
): (item: unknown) => Correlation {
  if (correlation === uncorrelated) return () => uncorrelated;
  const parentUnchanged = isUnchanged(list, correlation);
  const { old } = correlation;
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(old)) {
    return () => ({ old: undefined, parentUnchanged });
  }
  const byKey = new Map(old.map((item: unknown) => [listMapKey(schema, item), item]));
  return (item) => ({ old: byKey.get(listMapKey(schema, item)), parentUnchanged });
}

/** The identity of an item in a `map` list, as text. */
export function listMapKey(schema: JsonSchema, item: unknown): string {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return JSON.stringify(keys.map((key) => (isMap(item) ? (own(item, key) ?? null) : null)));
}
