/** The store in memory: nothing survives the process. */
import { MemoryCollection } from "./memory-collection.ts";
import type { Change, Collection, Indexes, Store } from "./store.ts";

/** Changes kept per collection; a watch that is further behind has to list again. */
const defaultHistory = 10_000;

export function memoryStore(options: { readonly history?: number } = {}): Store {
  const collections = new Map<string, Collection>();
  const listeners = new Set<(change: Change) => void>();
  const sequence = { version: 0 };
  const announce = (change: Change): void => {
    for (const listener of listeners) listener(change);
  };
  return {
    get version() {
      return sequence.version;
    },
    collection(name: string, indexes: Indexes = {}) {
      const existing = collections.get(name);
      if (existing !== undefined) return existing;
      const history = options.history ?? defaultHistory;
      const created = new MemoryCollection({ name, indexes, history, sequence, announce });
      collections.set(name, created);
      return created;
    },
    collections: () => [...collections.values()],
    compact() {
      for (const collection of collections.values()) collection.compact(sequence.version);
    },
    subscribe(onChange) {
      listeners.add(onChange);
      return { stop: () => listeners.delete(onChange) };
    },
  };
}
