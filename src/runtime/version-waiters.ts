/** Those who wait until a cache is new enough. */
import { compareVersions } from "./resource-version.ts";

interface Waiter {
  readonly version: string;
  readonly resolve: () => void;
}

export class VersionWaiters {
  /** Ascending by version, so that a release looks only at those it frees. */
  readonly #waiters: Waiter[] = [];

  wait(version: string, seen: string): Promise<void> {
    if (compareVersions(seen, version) >= 0) return Promise.resolve();
    return new Promise((resolve) => {
      // Own writes are mostly the newest, so the place is found from the end.
      let place = this.#waiters.length;
      while (place > 0 && isAfter(this.#waiters[place - 1], version)) place--;
      this.#waiters.splice(place, 0, { version, resolve });
    });
  }

  release(seen: string): void {
    let freed = 0;
    while (freed < this.#waiters.length && !isAfter(this.#waiters[freed], seen)) freed++;
    if (freed > 0) for (const waiter of this.#waiters.splice(0, freed)) waiter.resolve();
  }

  releaseAll(): void {
    for (const waiter of this.#waiters.splice(0)) waiter.resolve();
  }
}

function isAfter(waiter: Waiter | undefined, version: string): boolean {
  return waiter !== undefined && compareVersions(waiter.version, version) > 0;
}
