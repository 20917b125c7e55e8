/** A value and those it has just replaced: where watches lag, an operator may still act on an earlier one. */

export const defaultStaleMs = 10_000;

export class Recent<T> {
  readonly #now: () => number;
  readonly #staleMs: number;
  #values: { readonly value: T; lastMs: number }[] = [];

  constructor(now: () => number, staleMs: number = defaultStaleMs) {
    this.#now = now;
    this.#staleMs = staleMs;
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
    this.#values = this.#values.filter(({ lastMs }) => lastMs + this.#staleMs >= this.#now());
    return this.#values.map(({ value }) => value);
  }
}

/** What the operator asked to be deleted: what is deleted much later, was deleted by somebody else. */
export class RecentRequests {
  readonly #now: () => number;
  readonly #atMs = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(key: string): void {
    this.#atMs.set(key, this.#now());
  }

  delete(key: string): void {
    this.#atMs.delete(key);
  }

  has(key: string): boolean {
    return this.#now() - (this.#atMs.get(key) ?? Number.NEGATIVE_INFINITY) <= defaultStaleMs;
  }
}
