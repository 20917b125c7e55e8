/** How long to wait before the next attempt. */

export interface Backoff {
  readonly firstMs: number;
  readonly limitMs: number;
}

/** Doubles with every failure: the first waits `firstMs`, none longer than `limitMs`. */
export function exponentialDelayMs(failures: number, backoff: Backoff): number {
  // Larger powers would overflow to infinity; the limit is reached long before.
  const doublings = Math.min(Math.max(0, failures - 1), 30);
  return Math.min(backoff.firstMs * 2 ** doublings, backoff.limitMs);
}
