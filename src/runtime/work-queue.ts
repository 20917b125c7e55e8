/** A queue of keys: each at most once in line, never worked on twice at once, retried with growing delays. */
import type { Backoff } from "./backoff.ts";
import { exponentialDelayMs } from "./backoff.ts";
import type { Clock, Timer } from "./clock.ts";

export interface QueueObserver {
  /** Called when the number of waiting keys changes. */
  depth?(waiting: number): void;
  /** Called when a key is taken, with the time it stood in line. */
  waited?(key: string, waitedMs: number): void;
  retried?(key: string, delayMs: number): void;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly backoff?: Backoff;
  /** How long a key that was looked at stays out of line. */
  readonly spacingMs?: (key: string) => number;
  readonly observer?: QueueObserver;
}

interface Delayed {
  readonly atMs: number;
  readonly timer: Timer;
}

const servedRemembered = 10_000;
const defaultBackoff: Backoff = { firstMs: 5, limitMs: 1_000_000 };

export class WorkQueue {
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #observer: QueueObserver;
  /** Keys in line with the time they came, first come first served (a Map keeps insertion order). */
  readonly #waiting = new Map<string, number>();
  readonly #active = new Set<string>();
  /** Keys that were asked for while being worked on. */
  readonly #dirty = new Set<string>();
  readonly #delayed = new Map<string, Delayed>();
  /** When a key was served last, as long as that matters for its spacing. */
  readonly #served = new Map<string, number>();
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

  /** How many keys wait in line now; delayed ones do not count. */
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
    this.#waiting.set(key, this.#clock.now());
    this.#observer.depth?.(this.#waiting.size);
    this.#serve();
  }

  /** Of several delays asked for one key the earliestRequeue counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#isStopped) return;
    if (delayMs <= 0) return this.add(key);
    const atMs = this.#clock.now() + delayMs;
    const earlier = this.#delayed.get(key);
    if (earlier !== undefined && earlier.atMs <= atMs) return;
    earlier?.timer.cancel();
    const timer = this.#clock.after(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { atMs, timer });
  }

  /** Calls off the delay that was asked for a key; returns when it would have been over. */
  callOff(key: string): number | undefined {
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
      this.#serve();
    });
  }

  /** To be called exactly once for every key taken; `looked` is false where it was only put off. */
  done(key: string, looked = true): void {
    this.#active.delete(key);
    if (looked && this.#spacingMs !== undefined) this.#remember(key);
    if (this.#dirty.delete(key)) this.add(key);
    this.#finishDrain();
  }

  /** Takes no more keys, lets those in line and at work finish, drops the delayed ones. */
  drain(): Promise<void> {
    this.#isStopped = true;
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    this.#serve();
    return new Promise((resolve) => {
      this.#drained.push(resolve);
      this.#finishDrain();
    });
  }

  #tooSoonMs(key: string): number {
    const servedMs = this.#served.get(key);
    if (servedMs === undefined) return 0;
    const tooSoonMs = servedMs + (this.#spacingMs?.(key) ?? 0) - this.#clock.now();
    if (tooSoonMs <= 0) this.#served.delete(key);
    return tooSoonMs;
  }

  #remember(key: string): void {
    // Keys that never come back would pile up; losing an entry only costs a look too many.
    if (this.#served.size >= servedRemembered) this.#served.clear();
    this.#served.set(key, this.#clock.now());
  }

  #serve(): void {
    while (this.#takers.length > 0) {
      const first = this.#waiting.entries().next();
      if (first.done === true) break;
      const [key, sinceMs] = first.value;
      this.#waiting.delete(key);
      this.#active.add(key);
      this.#observer.waited?.(key, this.#clock.now() - sinceMs);
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
