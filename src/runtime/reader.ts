/** What observing needs of a collection. Caches provide it, and so do plain lists: a preview needs no watches. */
import type { KubeObject, ObjectKey } from "../api/object.ts";
import type { Indexes } from "./object-store.ts";
import { keyOf, keyText, ObjectStore } from "./object-store.ts";

export interface Reader<T extends KubeObject = KubeObject> {
  get(key: ObjectKey | string): T | undefined;
  /** In no order that may be relied on. */
  list(): readonly T[];
  byIndex(name: string, value: string): readonly T[];
  /** Which values `prefix/...` of an index have objects. */
  valuesUnder(name: string, prefix: string): readonly string[];
}

/** A collection that does not change. */
export function readerOf<T extends KubeObject>(
  objects: readonly T[],
  indexes: Indexes<T> = {},
): Reader<T> {
  const store = new ObjectStore<T>(indexes);
  for (const object of objects) store.set(keyOf(object), object);
  return {
    get: (key) => store.get(typeof key === "string" ? key : keyText(key)),
    list: () => store.list(),
    byIndex: (name, value) => store.byIndex(name, value),
    valuesUnder: (name, prefix) => store.valuesUnder(name, prefix),
  };
}
