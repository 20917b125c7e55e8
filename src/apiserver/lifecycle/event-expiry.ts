/** Removes events an hour after they were last written, as a real server does, so that they do not fill the memory. */
import type { Context } from "../context.ts";
import type { Subscription } from "../store/store.ts";

const keptMs = 60 * 60 * 1000;
const collection = "events";

interface Expiry {
  readonly key: string;
  readonly version: number;
  readonly atMs: number;
}

export interface EventExpiry extends Subscription {
  /**
   * Runs before every request rather than on a timer: nobody sees a difference, and a simulation that waits
   * until nothing is left to happen does not wait for events to end.
   */
  expire(): void;
}

export function startEventExpiry({ store, clock }: Pick<Context, "store" | "clock">): EventExpiry {
  let pending: Expiry[] = [];
  let start = 0;
  const subscription = store.subscribe(({ collection: name, type, key, version }) => {
    if (name !== collection || type === "DELETED") return;
    pending.push({ key, version, atMs: clock.now() + keptMs });
  });
  return {
    stop: () => subscription.stop(),
    expire() {
      const nowMs = clock.now();
      for (let next = pending[start]; next !== undefined && next.atMs <= nowMs;) {
        const stored = store.collection(collection).get(next.key);
        // An event that was written again has a later entry of its own.
        if (stored?.metadata.resourceVersion === String(next.version)) {
          store.collection(collection).delete(next.key);
        }
        start += 1;
        next = pending[start];
      }
      if (start < 1000 || start * 2 < pending.length) return;
      pending = pending.slice(start);
      start = 0;
    },
  };
}
