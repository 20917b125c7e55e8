/** The subscribers of a store, indexed by the extent they listen to. */
import type { Change, Extent, Indexes, Subscription } from "./store.ts";

type Listener = (change: Change) => void;

export class Subscribers {
  readonly #indexes: Indexes;
  /** One bucket per extent with listeners. */
  readonly #buckets = new Map<string, Set<Listener>>();
  /** How many listeners use an index: changes are not looked up in indexes without listeners. */
  readonly #indexUse = new Map<string, number>();

  constructor(indexes: Indexes) {
    this.#indexes = indexes;
  }

  add(extent: Extent, listener: Listener): Subscription {
    const bucketName = nameOf(extent);
    const bucket = this.#buckets.get(bucketName) ?? new Set();
    this.#buckets.set(bucketName, bucket.add(listener));
    this.#countIndexUse(extent, 1);
    return {
      stop: () => {
        if (!bucket.delete(listener)) return;
        this.#countIndexUse(extent, -1);
        if (bucket.size === 0) this.#buckets.delete(bucketName);
      },
    };
  }

  announce(change: Change): void {
    const namespace = change.object.metadata.namespace;
    this.#call({}, change);
    if (namespace !== undefined) this.#call({ namespace }, change);
    for (const field of this.#indexUse.keys()) this.#announceByIndex(field, namespace, change);
  }

  #announceByIndex(field: string, namespace: string | undefined, change: Change): void {
    const valueOf = this.#indexes[field];
    if (valueOf === undefined) return;
    const now = valueOf(change.object);
    const before = change.previous === undefined ? now : valueOf(change.previous);
    for (const value of new Set([before, now])) {
      if (value === undefined) continue;
      this.#call({ index: { field, value } }, change);
      if (namespace !== undefined) this.#call({ namespace, index: { field, value } }, change);
    }
  }

  #call(extent: Extent, change: Change): void {
    for (const listener of this.#buckets.get(nameOf(extent)) ?? []) listener(change);
  }

  #countIndexUse({ index }: Extent, by: number): void {
    if (index === undefined) return;
    const count = (this.#indexUse.get(index.field) ?? 0) + by;
    if (count === 0) this.#indexUse.delete(index.field);
    else this.#indexUse.set(index.field, count);
  }
}

function nameOf({ namespace = "", index }: Extent): string {
  return index === undefined ? namespace : `${namespace}\n${index.field}\n${index.value}`;
}
