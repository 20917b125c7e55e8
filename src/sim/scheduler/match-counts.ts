/** Counts per node of the pods that match a selector, kept up to date so that no decision has to scan all pods. */
import type { Pod } from "../../api/pod.ts";
import type { PodMatcher } from "./pod-matcher.ts";
import { bucketsOf, labelKeys, matchesPod } from "./pod-matcher.ts";

export type CountByNode = ReadonlyMap<string, number>;

interface Counted {
  readonly matcher: PodMatcher;
  readonly byNode: Map<string, number>;
}

/** With more matchers than this, all counts are dropped and computed again on demand. */
const maxMatchers = 5_000;

export class MatchCounts {
  readonly #byId = new Map<string, Counted>();
  readonly #buckets = new Map<string, Set<Counted>>();
  readonly #placed: () => Iterable<readonly [string, Pod]>;
  /** Label keys that any matcher has used. */
  readonly labelKeys = new Set<string>();

  /** `placed` lists all pods with their nodes; it is called only for a new matcher. */
  constructor(placed: () => Iterable<readonly [string, Pod]>) {
    this.#placed = placed;
  }

  of(matcher: PodMatcher): CountByNode {
    const known = this.#byId.get(matcher.id);
    if (known !== undefined) return known.byNode;
    if (this.#byId.size >= maxMatchers) this.#clear();
    const counted: Counted = { matcher, byNode: new Map() };
    this.#byId.set(matcher.id, counted);
    const bucket = this.#buckets.get(matcher.bucket) ?? new Set();
    this.#buckets.set(matcher.bucket, bucket.add(counted));
    for (const key of labelKeys(matcher)) this.labelKeys.add(key);
    for (const [node, pod] of this.#placed()) {
      if (matchesPod(matcher, pod)) change(counted.byNode, node, 1);
    }
    return counted.byNode;
  }

  add(node: string, pod: Pod): void {
    this.#change(node, pod, 1);
  }

  remove(node: string, pod: Pod): void {
    this.#change(node, pod, -1);
  }

  #change(node: string, pod: Pod, by: number): void {
    for (const name of bucketsOf(pod)) {
      for (const { matcher, byNode } of this.#buckets.get(name) ?? []) {
        if (matchesPod(matcher, pod)) change(byNode, node, by);
      }
    }
  }

  #clear(): void {
    this.#byId.clear();
    this.#buckets.clear();
  }
}

export function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
