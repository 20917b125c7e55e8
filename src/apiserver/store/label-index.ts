/** Finds objects by a label: for lists of a few objects among many, which controllers ask for again and again. */
import type { KubeObject } from "../../api/object.ts";

/** One `key=value` that a selector wants. */
export interface WantedLabel {
  readonly key: string;
  readonly value: string;
}

/** Labels by which a collection is indexed: those that were asked for first. */
const mostLabels = 16;

export class LabelIndex {
  /** Keys of objects by value, by label. A label is indexed from the first list on that asks for it. */
  readonly #keysOf = new Map<string, Map<string, Set<string>>>();

  /**
   * The keys of objects that have one of these labels, the one that fewest have: all that have all of them are among
   * them. Undefined where none of the labels is indexed.
   */
  keysWith(
    wanted: readonly WantedLabel[],
    entries: () => Iterable<readonly [string, KubeObject]>,
  ): ReadonlySet<string> | undefined {
    let fewest: ReadonlySet<string> | undefined;
    for (const { key, value } of wanted) {
      const found = this.#valuesOf(key, entries)?.get(value);
      if (found === undefined && this.#keysOf.has(key)) return nothing;
      if (found !== undefined && found.size < (fewest?.size ?? Infinity)) fewest = found;
    }
    return fewest;
  }

  change(key: string, before: KubeObject | undefined, after: KubeObject | undefined): void {
    for (const [label, keys] of this.#keysOf) {
      const old = before?.metadata.labels?.[label];
      const now = after?.metadata.labels?.[label];
      if (old === now) continue;
      if (old !== undefined) remove(keys, old, key);
      if (now !== undefined) add(keys, now, key);
    }
  }

  #valuesOf(label: string, entries: () => Iterable<readonly [string, KubeObject]>) {
    const known = this.#keysOf.get(label);
    if (known !== undefined || this.#keysOf.size >= mostLabels) return known;
    const keys = new Map<string, Set<string>>();
    for (const [key, { metadata }] of entries()) {
      const value = metadata.labels?.[label];
      if (value !== undefined) add(keys, value, key);
    }
    this.#keysOf.set(label, keys);
    return keys;
  }
}

const nothing: ReadonlySet<string> = new Set();

function add(keys: Map<string, Set<string>>, value: string, key: string): void {
  const found = keys.get(value);
  if (found === undefined) keys.set(value, new Set([key]));
  else found.add(key);
}

function remove(keys: Map<string, Set<string>>, value: string, key: string): void {
  const found = keys.get(value);
  if (found?.delete(key) === true && found.size === 0) keys.delete(value);
}
