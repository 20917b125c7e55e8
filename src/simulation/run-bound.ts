/** Ends a run that never would: past so many requests nobody is answered any more, so whoever goes in circles stops. */
import type { Transport } from "../runtime/transport.ts";

export interface RunBoundOptions {
  readonly mostRequests: number;
  readonly mostTimers: number;
}

export class RunBound {
  readonly #options: RunBoundOptions;
  readonly #reached: Promise<void>;
  #reach: () => void = () => undefined;
  #requests = 0;
  #timers = 0;

  constructor(options: RunBoundOptions) {
    this.#options = options;
    this.#reached = new Promise((resolve) => (this.#reach = resolve));
  }

  get isReached(): boolean {
    const { mostRequests, mostTimers } = this.#options;
    return this.#requests > mostRequests || this.#timers > mostTimers;
  }

  get text(): string {
    return `no end after ${this.#requests} requests and ${this.#timers} timers`;
  }

  /** Whatever was to be done in the run, or its bound, whichever comes first. */
  async within(task: Promise<unknown>): Promise<void> {
    await Promise.race([task, this.#reached]);
  }

  /** Called after every timer that fires. */
  countTimer(): void {
    this.#timers++;
    if (this.isReached) this.#reach();
  }

  bounded(transport: Transport): Transport {
    return {
      stream: (request, onEvent) => transport.stream(request, onEvent),
      request: (request) => {
        this.#requests++;
        if (!this.isReached) return transport.request(request);
        this.#reach();
        return new Promise(() => undefined);
      },
    };
  }
}
