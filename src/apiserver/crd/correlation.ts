/** Finds, for a part of an updated object, the part of the stored object it comes from. */
import type { JsonMap, JsonSchema } from "./json-schema.ts";
import { isMap, own } from "./json-schema.ts";

/**
 * The old value beside a new one. `old` is undefined if nothing corresponds: then the nearest
 * ancestor that does correspond decides whether the value counts as unchanged.
 */
export interface Correlation {
  readonly old: unknown;
  readonly parentUnchanged: boolean;
  readonly comparison: Comparison;
}

/** A part that took this long to compare is not compared again for each of the parts it is in. */
const worthKeeping = 1_000;

/** Compares the parts of two objects as `isSameJson` does, each large part once. */
class Comparison {
  readonly #known = new WeakMap<object, { readonly old: unknown; readonly isSame: boolean }>();
  #compared = 0;

  isSame(value: unknown, old: unknown): boolean {
    if (value === old) return true;
    if (typeof value !== "object" || value === null) return false;
    const known = this.#known.get(value);
    if (known !== undefined && known.old === old) return known.isSame;
    const before = this.#compared;
    const isSame = this.#areSame(value, old);
    if (this.#compared - before > worthKeeping) this.#known.set(value, { old, isSame });
    return isSame;
  }

  #areSame(value: object, old: unknown): boolean {
    this.#compared += 1;
    if (Array.isArray(value)) {
      if (!Array.isArray(old) || value.length !== old.length) return false;
      return value.every((item, index) => this.#counted(item, old[index]));
    }
    if (!isMap(value) || !isMap(old)) return false;
    return (
      Object.keys(value).every((key) => this.#counted(value[key], own(old, key))) &&
      Object.keys(old).every((key) => old[key] === undefined || own(value, key) !== undefined)
    );
  }

  #counted(value: unknown, old: unknown): boolean {
    this.#compared += 1;
    return this.isSame(value, old);
  }
}

/** Everything is new. */
export const uncorrelated: Correlation = {
  old: undefined,
  parentUnchanged: false,
  comparison: new Comparison(),
};

/** Of an object with its stored state. */
export const correlatedWith = (old: JsonMap | undefined): Correlation =>
  old === undefined ? uncorrelated : { old, parentUnchanged: false, comparison: new Comparison() };

export function isUnchanged(
  value: unknown,
  { old, parentUnchanged, comparison }: Correlation,
): boolean {
  return old === undefined ? parentUnchanged : comparison.isSame(value, old);
}

/** One property of a map; an atomic map is one value, so its parts correspond to nothing. */
export function ofProperty(
  schema: JsonSchema,
  value: unknown,
  correlation: Correlation,
  key: string,
): Correlation {
  if (correlation === uncorrelated) return uncorrelated;
  const { old, comparison } = correlation;
  const isAtomic = schema["x-kubernetes-map-type"] === "atomic";
  const part = isMap(old) && !isAtomic ? own(old, key) : undefined;
  return { old: part, parentUnchanged: isUnchanged(value, correlation), comparison };
}

/** One item of a list; only items of `map` lists keep their identity. */
export function ofItem(
  schema: JsonSchema,
  list: readonly unknown[],
  correlation: Correlation,
): (item: unknown) => Correlation {
  if (correlation === uncorrelated) return () => uncorrelated;
  const parentUnchanged = isUnchanged(list, correlation);
  const { old, comparison } = correlation;
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(old)) {
    return () => ({ old: undefined, parentUnchanged, comparison });
  }
  const byKey = new Map(old.map((item: unknown) => [listMapKey(schema, item), item]));
  return (item) => ({ old: byKey.get(listMapKey(schema, item)), parentUnchanged, comparison });
}

/** The identity of an item in a `map` list, as text. */
export function listMapKey(schema: JsonSchema, item: unknown): string {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const [key = ""] = keys;
  const only = keys.length === 1 && isMap(item) ? own(item, key) : undefined;
  // As no JSON begins.
  if (typeof only === "string") return `'${only}`;
  return JSON.stringify(keys.map((key) => (isMap(item) ? (own(item, key) ?? null) : null)));
}
