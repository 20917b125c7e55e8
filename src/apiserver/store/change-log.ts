/** The recent changes of one collection, so that watches can resume and old states can be read. */
import type { KubeObject } from "../../api/object.ts";
import type { Change } from "./store.ts";

export class ChangeLog {
  readonly #retained: number;
  #changes: Change[] = [];
  /** Changes before this index are dropped; the array is cut in bulk, not at every write. */
  #start = 0;
  #oldestVersion: number;

  constructor(retained: number, version: number) {
    this.#retained = retained;
    this.#oldestVersion = version;
  }

  get oldestVersion(): number {
    return this.#oldestVersion;
  }

  append(change: Change): void {
    this.#changes.push(change);
    if (this.#changes.length - this.#start <= this.#retained) return;
    this.#oldestVersion = this.#changes[this.#start]?.version ?? this.#oldestVersion;
    this.#start++;
    if (this.#start < this.#retained) return;
    this.#changes = this.#changes.slice(this.#start);
    this.#start = 0;
  }

  compact(version: number): void {
    this.#changes = [...this.since(version)];
    this.#start = 0;
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
    return this.#changes.slice(low);
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
