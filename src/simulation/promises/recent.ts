/** A value and those it has just replaced: where watches lag, an operator may still act on an earlier one. */

const staleMs = 10_000;

export class Recent<T> {
  readonly #now: () => number;
  #values: { readonly value: T; lastMs: number }[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  set(value: T): void {
    const last = this.#values.at(-1);
    if (last?.value === value) return;
    if (last !== undefined) last.lastMs = this.#now();
    this.#values.push({ value, lastMs: Number.POSITIVE_INFINITY });
  }

  get current(): T | undefined {
    return this.#values.at(-1)?.value;
  }

  /** Those an operator may be acting on, the current one last. */
  all(): T[] {
    this.#values = this.#values.filter(({ lastMs }) => lastMs + staleMs >= this.#now());
    return this.#values.map(({ value }) => value);
  }
}
