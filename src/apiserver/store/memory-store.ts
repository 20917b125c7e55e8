/** The store in memory: nothing survives the process. */
import { HistoryBudget } from "./change-log.ts";
import { MemoryCollection } from "./memory-collection.ts";
import type { Change, Collection, Indexes, Store } from "./store.ts";

/** Changes kept per collection; a watch that is further behind has to list again. */
const defaultHistory = 10_000;

/** Memory that the changes of all collections may hold; large objects leave fewer of them. */
const defaultHistoryBytes = 64 * 1024 * 1024;

export interface MemoryStoreOptions {
  readonly history?: number;
  readonly historyBytes?: number;
}

export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const budget = new HistoryBudget(options.historyBytes ?? defaultHistoryBytes);
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
      const parts = { name, indexes, history, budget, sequence, announce };
      const created = new MemoryCollection(parts);
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
