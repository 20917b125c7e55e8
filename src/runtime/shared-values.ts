/** Equal values kept once: objects decoded one by one repeat most of their texts. */

/** Values that are used no more would pile up; forgetting all of them only costs some sharing. */
const limit = 4096;

export class SharedValues<T> {
  readonly #values = new Map<string, T>();

  /** The first value that came with this key, which must say all there is to say about it. */
  share(key: string, value: T): T {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    if (this.#values.size >= limit) this.#values.clear();
    this.#values.set(key, value);
    return value;
  }
}
