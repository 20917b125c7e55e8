/** Events in time order; those of one moment happen together, in the order they were added. */

interface Due<T> {
  readonly atMs: number;
  readonly events: readonly T[];
}

export class EventQueue<T> {
  readonly #times: number[] = [];
  readonly #events = new Map<number, T[]>();

  add(atMs: number, event: T): void {
    const together = this.#events.get(atMs);
    if (together !== undefined) {
      together.push(event);
      return;
    }
    this.#events.set(atMs, [event]);
    this.#insert(atMs);
  }

  /** Everything that happens at the next moment; undefined when nothing will. */
  takeNext(): Due<T> | undefined {
    const atMs = this.#times.pop();
    if (atMs === undefined) return undefined;
    const events = this.#events.get(atMs) ?? [];
    this.#events.delete(atMs);
    return { atMs, events };
  }

  /** Latest first, so that the next moment is at the end; few moments are open at any time. */
  #insert(atMs: number): void {
    let at = this.#times.length;
    while (at > 0 && (this.#times[at - 1] ?? 0) < atMs) at -= 1;
    this.#times.splice(at, 0, atMs);
  }
}
