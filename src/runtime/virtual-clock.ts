/** A clock that moves only on request, and only after everything that is due has run. */
import type { Clock, Timer } from "./clock.ts";
import type { HeapTimer } from "./timer-heap.ts";
import { TimerHeap } from "./timer-heap.ts";

const defaultStart = "2026-01-01T00:00:00Z";
const defaultLimitMs = 24 * 60 * 60 * 1000;

/**
 * Timers fire in the order of their time, those of one instant in the order they were set. Between two timers
 * every promise that can settle does, so a run depends on nothing but its input.
 */
export class VirtualClock implements Clock {
  readonly #timers = new TimerHeap();
  /** Of the monotonic clock, which timers run on. */
  #nowMs: number;
  /** How far the wall clock is ahead of it. */
  #aheadMs = 0;
  #sequence = 0;

  constructor(startMs: number = Date.parse(defaultStart)) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs + this.#aheadMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  /** Moves the wall clock, as an administrator or a time server does: no time passes, and no timer notices. */
  stepWallClock(byMs: number): void {
    this.#aheadMs += byMs;
  }

  after(delayMs: number, task: () => void): Timer {
    const atMs = this.#nowMs + Math.max(0, Math.ceil(delayMs));
    const timer: HeapTimer = { atMs, sequence: this.#sequence++, task, isCancelled: false };
    this.#timers.push(timer);
    return { cancel: () => this.#timers.cancel(timer) };
  }

  /** How many timers are pending. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Lets every promise settle that can without time passing. */
  async settle(): Promise<void> {
    // An immediate runs only after all microtasks, including those that microtasks add.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  async runFor(durationMs: number): Promise<void> {
    await this.#runUntil(this.#nowMs + durationMs);
  }

  /** Fires all timers up to and including `timeMs` and leaves the clock there. */
  async runUntil(timeMs: number): Promise<void> {
    await this.#runUntil(timeMs - this.#aheadMs);
  }

  async #runUntil(timeMs: number): Promise<void> {
    await this.settle();
    while (await this.#fireNext(timeMs)) continue;
    this.#nowMs = Math.max(this.#nowMs, timeMs);
  }

  /** Runs until no timer is left; false when `limitMs` passed first. */
  runUntilIdle(limitMs: number = defaultLimitMs): Promise<boolean> {
    return this.runUntilTrue(() => this.#timers.size === 0, limitMs);
  }

  /** Runs until `isDone` returns true, checked after every timer; false when it does not within `limitMs`. */
  async runUntilTrue(isDone: () => boolean, limitMs: number = defaultLimitMs): Promise<boolean> {
    const endMs = this.#nowMs + limitMs;
    await this.settle();
    while (!isDone()) {
      if (await this.#fireNext(endMs)) continue;
      this.#nowMs = Math.max(this.#nowMs, endMs);
      return isDone();
    }
    return true;
  }

  async #fireNext(untilMs: number): Promise<boolean> {
    const next = this.#timers.peek();
    if (next === undefined || next.atMs > untilMs) return false;
    this.#timers.pop();
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    next.task();
    await this.settle();
    return true;
  }
}
