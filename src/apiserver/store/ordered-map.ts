/** A map with its keys in order, which backs every list. The cost of a write does not depend on its size. */

const chunkSize = 256;

export class OrderedMap<V> {
  readonly #values = new Map<string, V>();
  /** Sorted runs of sorted keys. Only the very first run may be empty, when the map is. */
  readonly #chunks: string[][] = [[]];

  get size(): number {
    return this.#values.size;
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: V): void {
    if (!this.#values.has(key)) this.#insert(key);
    this.#values.set(key, value);
  }

  delete(key: string): void {
    if (!this.#values.delete(key)) return;
    const index = this.#chunkOf(key);
    const chunk = this.#chunks[index] ?? [];
    chunk.splice(positionOf(chunk, key), 1);
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(index, 1);
  }

  /** Keys from `start` on (inclusive) that begin with `prefix`, in order. */
  *keysFrom(start: string, prefix: string): Generator<string> {
    let { index, position } = this.#place(start);
    for (; index < this.#chunks.length; index++, position = 0) {
      const chunk = this.#chunks[index] ?? [];
      for (; position < chunk.length; position++) {
        const key = chunk[position] as string;
        if (!key.startsWith(prefix)) return;
        yield key;
      }
    }
  }

  /** The values whose key begins with `prefix`, in order of their keys. */
  values(prefix = ""): V[] {
    const found: V[] = [];
    for (const key of this.keysFrom(prefix, prefix)) {
      const value = this.#values.get(key);
      if (value !== undefined) found.push(value);
    }
    return found;
  }

  /** How many keys from `start` on begin with `prefix`; whole runs are counted at once. */
  countFrom(start: string, prefix: string): number {
    const first = this.#place(start);
    const end = this.#place(`${prefix}\uffff`);
    let count = end.position - first.position;
    for (let index = first.index; index < end.index; index++) {
      count += this.#chunks[index]?.length ?? 0;
    }
    return Math.max(0, count);
  }

  #place(key: string): { readonly index: number; readonly position: number } {
    const index = this.#chunkOf(key);
    return { index, position: positionOf(this.#chunks[index] ?? [], key) };
  }

  #insert(key: string): void {
    const index = this.#chunkOf(key);
    const chunk = this.#chunks[index] ?? [];
    chunk.splice(positionOf(chunk, key), 0, key);
    if (chunk.length <= chunkSize) return;
    this.#chunks.splice(index + 1, 0, chunk.splice(chunkSize / 2));
  }

  /** The last run that begins at or before `key`. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#chunks[middle]?.[0] ?? "") <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Where `key` is or would be. */
function positionOf(chunk: readonly string[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((chunk[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
