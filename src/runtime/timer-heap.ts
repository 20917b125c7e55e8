/** Timers in their total order: by time, then by when they were set. */

export interface HeapTimer {
  readonly atMs: number;
  readonly sequence: number;
  readonly task: () => void;
  isCancelled: boolean;
}

/** Cancelled timers are removed in bulk once there are this many and they are the majority. */
const sweepAt = 1024;

export class TimerHeap {
  #timers: HeapTimer[] = [];
  #cancelled = 0;

  /** How many timers are pending. */
  get size(): number {
    return this.#timers.length - this.#cancelled;
  }

  push(timer: HeapTimer): void {
    this.#timers.push(timer);
    this.#siftUp(this.#timers.length - 1);
  }

  cancel(timer: HeapTimer): void {
    if (timer.isCancelled) return;
    timer.isCancelled = true;
    this.#cancelled++;
    if (this.#cancelled > sweepAt && this.#cancelled * 2 > this.#timers.length) this.#sweep();
  }

  /** The next timer to fire, left in place. */
  peek(): HeapTimer | undefined {
    while (this.#timers[0]?.isCancelled === true) {
      this.#removeFirst();
      this.#cancelled--;
    }
    return this.#timers[0];
  }

  pop(): HeapTimer | undefined {
    const first = this.peek();
    if (first === undefined) return undefined;
    this.#removeFirst();
    // A timer that has fired must not be counted when someone cancels it later.
    first.isCancelled = true;
    return first;
  }

  #sweep(): void {
    // An array in ascending order is a valid heap.
    this.#timers = this.#timers.filter((timer) => !timer.isCancelled).toSorted(compareTimers);
    this.#cancelled = 0;
  }

  #removeFirst(): void {
    const last = this.#timers.pop();
    if (last === undefined || this.#timers.length === 0) return;
    this.#timers[0] = last;
    this.#siftDown(0);
  }

  #siftUp(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #siftDown(from: number): void {
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      if (left >= this.#timers.length) return;
      const child = this.#isBefore(left + 1, left) ? left + 1 : left;
      if (!this.#isBefore(child, index)) return;
      this.#swap(index, child);
      index = child;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const first = this.#timers[a];
    const second = this.#timers[b];
    return first !== undefined && second !== undefined && compareTimers(first, second) < 0;
  }

  #swap(a: number, b: number): void {
    const first = this.#timers[a];
    const second = this.#timers[b];
    if (first === undefined || second === undefined) return;
    this.#timers[a] = second;
    this.#timers[b] = first;
  }
}

function compareTimers(a: HeapTimer, b: HeapTimer): number {
  return a.atMs - b.atMs || a.sequence - b.sequence;
}
