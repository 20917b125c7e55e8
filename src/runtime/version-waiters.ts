/** Promises that resolve when a cache has seen a version. */
import { compareVersions } from "./resource-version.ts";

interface Waiter {
  readonly version: string;
  readonly resolve: () => void;
}

export class VersionWaiters {
  /** Ascending by version, so that a release visits only those it resolves. */
  readonly #waiters: Waiter[] = [];

  wait(version: string, seen: string): Promise<void> {
    if (compareVersions(seen, version) >= 0) return Promise.resolve();
    return new Promise((resolve) => {
      // Own writes are mostly the newest, so the position is searched from the end.
      let index = this.#waiters.length;
      while (index > 0 && isAfter(this.#waiters[index - 1], version)) index--;
      this.#waiters.splice(index, 0, { version, resolve });
    });
  }

  release(seen: string): void {
    let released = 0;
    while (released < this.#waiters.length && !isAfter(this.#waiters[released], seen)) released++;
    for (const waiter of this.#waiters.splice(0, released)) waiter.resolve();
  }

  releaseAll(): void {
    for (const waiter of this.#waiters.splice(0)) waiter.resolve();
  }
}

function isAfter(waiter: Waiter | undefined, version: string): boolean {
  return waiter !== undefined && compareVersions(waiter.version, version) > 0;
}
