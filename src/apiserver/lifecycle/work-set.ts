/** A work queue that runs after the current step: each key once, oldest first. */
import type { Clock, Timer } from "../../runtime/clock.ts";

export class WorkSet {
  readonly #clock: Clock;
  readonly #work: (key: string) => void;
  readonly #keys = new Set<string>();
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(clock: Clock, work: (key: string) => void) {
    this.#clock = clock;
    this.#work = work;
  }

  add(key: string): void {
    if (this.#isStopped) return;
    this.#keys.add(key);
    this.#timer ??= this.#clock.after(0, () => this.#drain());
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#keys.clear();
  }

  /** Work may add more keys; they are processed in the same run, so that nothing is left at the end of it. */
  #drain(): void {
    for (const key of this.#keys) {
      this.#keys.delete(key);
      this.#work(key);
    }
    this.#timer = undefined;
  }
}
