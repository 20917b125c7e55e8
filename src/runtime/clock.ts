/** The source of time. Only the command line uses the system clock directly. */

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the epoch, for what is written. Administrators and time servers move it either way. */
  now(): number;
  /** Milliseconds that only ever go forward, from an arbitrary start: for everything that is measured. */
  monotonic(): number;
  /** Runs `task` once, `delayMs` from now; a task never runs before the call returns. */
  after(delayMs: number, task: () => void): Timer;
  /**
   * Where too much has been done without a pause, a promise to await before the next: requests and timers get their
   * turn. In virtual time nothing waits outside of what is done.
   */
  pause?(): Promise<void> | undefined;
}

/** Resolves `delayMs` from now, or at once when `signal` aborts. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const timer = clock.after(delayMs, finish);
    signal?.addEventListener("abort", finish, { once: true });
    function finish(): void {
      timer.cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    }
  });
}
