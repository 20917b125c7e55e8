/** A work queue that runs after the current step: each key once, oldest first. */
import type { Timer } from "../../runtime/clock.ts";
import type { Context } from "../context.ts";

export class WorkSet {
  readonly #context: Pick<Context, "clock" | "onProblem">;
  readonly #work: (key: string) => void;
  readonly #keys = new Set<string>();
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(context: Pick<Context, "clock" | "onProblem">, work: (key: string) => void) {
    this.#context = context;
    this.#work = work;
  }

  add(key: string): void {
    if (this.#isStopped) return;
    this.#keys.add(key);
    this.#timer ??= this.#context.clock.after(0, () => this.#drain());
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
      try {
        this.#work(key);
      } catch (problem) {
        this.#context.onProblem(problem);
      }
    }
    this.#timer = undefined;
  }
}
