/** The recent changes of one collection, so that watches can resume and old states can be read. */
import type { KubeObject } from "../../api/object.ts";
import type { Change } from "./store.ts";

export class ChangeLog {
  readonly #retained: number;
  #changes: (Change | undefined)[] = [];
  #sizes: number[] = [];
  /** Changes before this index are dropped; the arrays are cut in bulk, not at every write. */
  #start = 0;
  #oldestVersion: number;
  #bytes = 0;

  constructor(retained: number, version: number) {
    this.#retained = retained;
    this.#oldestVersion = version;
  }

  get oldestVersion(): number {
    return this.#oldestVersion;
  }

  /** About how much memory the changes hold. */
  get bytes(): number {
    return this.#bytes;
  }

  append(change: Change, bytes: number): void {
    this.#changes.push(change);
    this.#sizes.push(bytes);
    this.#bytes += bytes;
    if (this.#changes.length - this.#start > this.#retained) this.dropOldest();
  }

  dropOldest(): void {
    const dropped = this.#changes[this.#start];
    if (dropped === undefined) return;
    this.#oldestVersion = dropped.version;
    this.#bytes -= this.#sizes[this.#start] ?? 0;
    this.#changes[this.#start] = undefined;
    this.#start++;
    if (this.#start * 2 < this.#changes.length) return;
    this.#changes = this.#changes.slice(this.#start);
    this.#sizes = this.#sizes.slice(this.#start);
    this.#start = 0;
  }

  compact(version: number): void {
    while ((this.#changes[this.#start]?.version ?? Infinity) <= version) this.dropOldest();
    this.#oldestVersion = Math.max(this.#oldestVersion, version);
  }

  since(version: number): readonly Change[] {
    let low = this.#start;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.version ?? 0) <= version) low = middle + 1;
      else high = middle;
    }
    // Only what lies before the start has been dropped.
    return this.#changes.slice(low) as Change[];
  }

  /** What differed at `version`: the object as it was then, or undefined if there was none. */
  undoneTo(version: number): ReadonlyMap<string, KubeObject | undefined> {
    const then = new Map<string, KubeObject | undefined>();
    for (const change of this.since(version)) {
      if (!then.has(change.key)) then.set(change.key, change.previous);
    }
    return then;
  }
}

/** Bounds the memory of all logs of a store together: the largest one gives up its oldest changes first. */
export class HistoryBudget {
  readonly #limit: number;
  readonly #logs: ChangeLog[] = [];

  constructor(bytes: number) {
    this.#limit = bytes;
  }

  add(log: ChangeLog): void {
    this.#logs.push(log);
  }

  enforce(): void {
    let total = this.#logs.reduce((sum, log) => sum + log.bytes, 0);
    while (total > this.#limit) {
      const largest = this.#logs.reduce((a, b) => (b.bytes > a.bytes ? b : a));
      const before = largest.bytes;
      largest.dropOldest();
      total -= before - largest.bytes;
    }
  }
}
