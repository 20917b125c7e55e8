/** A queue of keys: each is queued at most once, processed by one worker at a time, and retried with backoff. */
import type { Backoff } from "./backoff.ts";
import { exponentialDelayMs } from "./backoff.ts";
import type { Clock, Timer } from "./clock.ts";

export interface QueueObserver {
  /** Called when the number of waiting keys changes. */
  depth?(waiting: number): void;
  /** Called when a key is taken, with the time it waited. */
  waited?(key: string, waitedMs: number): void;
  retried?(key: string, delayMs: number): void;
}

interface WorkQueueOptions {
  readonly clock: Clock;
  readonly backoff?: Backoff;
  /** The least time between the end of processing a key and its next turn. */
  readonly spacingMs?: (key: string) => number;
  readonly observer?: QueueObserver;
}

interface Delayed {
  readonly atMs: number;
  readonly timer: Timer;
}

const maxProcessedTimes = 10_000;
const defaultBackoff: Backoff = { firstMs: 5, limitMs: 1_000_000 };

export class WorkQueue {
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #observer: QueueObserver;
  /** Queued keys with the time they were added, first in first out (a Map keeps insertion order). */
  readonly #waiting = new Map<string, number>();
  readonly #active = new Set<string>();
  /** Keys that were added again while being processed. */
  readonly #dirty = new Set<string>();
  readonly #delayed = new Map<string, Delayed>();
  /** When a key was processed last, as long as that matters for its spacing. */
  readonly #processed = new Map<string, number>();
  readonly #spacingMs: ((key: string) => number) | undefined;
  readonly #failures = new Map<string, number>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  readonly #drained: (() => void)[] = [];
  #isStopped = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.#backoff = options.backoff ?? defaultBackoff;
    this.#observer = options.observer ?? {};
    this.#spacingMs = options.spacingMs;
  }

  /** How many keys are queued now; delayed ones do not count. */
  get depth(): number {
    return this.#waiting.size;
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#active.size === 0 && this.#delayed.size === 0;
  }

  add(key: string): void {
    if (this.#isStopped) return;
    if (this.#active.has(key)) {
      this.#dirty.add(key);
      return;
    }
    if (this.#waiting.has(key)) return;
    const tooSoonMs = this.#tooSoonMs(key);
    if (tooSoonMs > 0) return this.addAfter(key, tooSoonMs);
    this.#waiting.set(key, this.#clock.monotonic());
    this.#observer.depth?.(this.#waiting.size);
    this.#dispatch();
  }

  /** Of several delays for one key the one that ends first counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#isStopped) return;
    if (delayMs <= 0) return this.add(key);
    const atMs = this.#clock.monotonic() + delayMs;
    const earlier = this.#delayed.get(key);
    if (earlier !== undefined && earlier.atMs <= atMs) return;
    earlier?.timer.cancel();
    const timer = this.#clock.after(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { atMs, timer });
  }

  /** Cancels the delayed add of a key; returns when it was due. */
  cancelDelay(key: string): number | undefined {
    const delayed = this.#delayed.get(key);
    delayed?.timer.cancel();
    this.#delayed.delete(key);
    return delayed?.atMs;
  }

  /** Adds the key again after a delay that doubles with every call until `forget`. */
  retry(key: string): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const delayMs = exponentialDelayMs(failures, this.#backoff);
    this.#observer.retried?.(key, delayMs);
    this.addAfter(key, delayMs);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key, as soon as there is one; undefined once the queue is stopped and empty. */
  take(): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#dispatch();
    });
  }

  /** To be called exactly once for every key taken; `wasProcessed` is false where it was only postponed. */
  done(key: string, wasProcessed = true): void {
    this.#active.delete(key);
    if (wasProcessed && this.#spacingMs !== undefined) this.#recordProcessed(key);
    if (this.#dirty.delete(key)) this.add(key);
    this.#finishDrain();
  }

  /** Accepts no more keys, lets those that are queued or being processed finish, drops the delayed ones. */
  drain(): Promise<void> {
    this.#isStopped = true;
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    this.#dispatch();
    return new Promise((resolve) => {
      this.#drained.push(resolve);
      this.#finishDrain();
    });
  }

  /** Accepts no more keys and drops those that nobody has taken yet. */
  clear(): void {
    this.#waiting.clear();
    this.#dirty.clear();
    void this.drain();
  }

  #tooSoonMs(key: string): number {
    const processedMs = this.#processed.get(key);
    if (processedMs === undefined) return 0;
    const tooSoonMs = processedMs + (this.#spacingMs?.(key) ?? 0) - this.#clock.monotonic();
    if (tooSoonMs <= 0) this.#processed.delete(key);
    return tooSoonMs;
  }

  #recordProcessed(key: string): void {
    // Keys that never come back would accumulate; a lost entry only costs one reconcile too early.
    if (this.#processed.size >= maxProcessedTimes) this.#processed.clear();
    this.#processed.set(key, this.#clock.monotonic());
  }

  #dispatch(): void {
    while (this.#takers.length > 0) {
      const first = this.#waiting.entries().next();
      if (first.done === true) break;
      const [key, sinceMs] = first.value;
      this.#waiting.delete(key);
      this.#active.add(key);
      this.#observer.waited?.(key, this.#clock.monotonic() - sinceMs);
      this.#observer.depth?.(this.#waiting.size);
      this.#takers.shift()?.(key);
    }
    if (this.#isStopped) for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  #finishDrain(): void {
    if (!this.#isStopped || this.#waiting.size > 0 || this.#active.size > 0) return;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}
