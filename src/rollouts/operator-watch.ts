/** Asks again and again whether an operator is at work: a lease that nobody renews makes no event. */
import type { Client } from "../runtime/client.ts";
import type { Clock, Timer } from "../runtime/clock.ts";
import type { AbsentOperator, MissingLease } from "./operator.ts";
import { readAbsentOperator } from "./operator.ts";

interface WatchOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly onChange: () => void;
}

type Reading = AbsentOperator | MissingLease | undefined;

const askEveryMs = 15_000;

export class OperatorWatch {
  readonly #options: WatchOptions;
  #timer: Timer | undefined;
  #hasStopped = false;
  /** Undefined while one is at work, and where nobody knows. */
  absent: Reading;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Resolves when it has asked once; `onChange` is for what it learns later. */
  async start(): Promise<void> {
    const { client, clock } = this.#options;
    // Without a connection nobody knows.
    this.absent = await readAbsentOperator(client, clock.now()).catch(() => undefined);
    if (!this.#hasStopped) this.#timer = clock.after(askEveryMs, () => void this.#askAgain());
  }

  async #askAgain(): Promise<void> {
    const before = this.absent;
    await this.start();
    if (!this.#hasStopped && isNews(before, this.absent)) this.#options.onChange();
  }

  stop(): void {
    this.#hasStopped = true;
    this.#timer?.cancel();
  }
}

/** While there is no lease, more and more objects have been silent for long. */
function isNews(before: Reading, now: Reading): boolean {
  if (now !== undefined && "missing" in now) return true;
  if (before !== undefined && "missing" in before) return true;
  return before?.since !== now?.since;
}
