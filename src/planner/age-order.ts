/** The places of a fleet from the oldest unit to the youngest, sorted once. */
import type { Fleet } from "./fleet.ts";
import { lowest, type SlotSet } from "./slot-set.ts";

export class AgeOrder {
  readonly #slots: readonly number[];
  readonly #fleet: Fleet;
  #start = 0;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#slots = oldestFirst(fleet);
  }

  /** The oldest `limit` members of `set`, which must be among the replaceable places. */
  first(set: SlotSet, limit: number): number[] {
    const { replaceable } = this.#fleet.sets;
    const isGone = (at: number): boolean => !replaceable.has(this.#slots[at] ?? 0);
    // A place once replaced holds the target revision, so it never comes back into this walk.
    while (this.#start < this.#slots.length && isGone(this.#start)) this.#start += 1;
    const found: number[] = [];
    for (let at = this.#start; at < this.#slots.length && found.length < limit; at += 1) {
      const slot = this.#slots[at] ?? 0;
      if (set.has(slot)) found.push(slot);
    }
    return found;
  }
}

/**
 * Sorting numbers without a comparison function is several times faster than with one, so age and
 * place are packed into one number wherever both fit into 53 bits (ages up to decades).
 */
function oldestFirst(fleet: Fleet): number[] {
  const slots = lowest(fleet.sets.replaceable);
  const packed = slots.length;
  const ages = new Float64Array(packed);
  for (let index = 0; index < packed; index += 1) {
    ages[index] = fleet.unitIn(slots[index] ?? 0).createdAtMs;
  }
  const oldest = ages.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const youngest = ages.reduce((a, b) => Math.max(a, b), oldest);
  if (!Number.isSafeInteger((youngest - oldest + 1) * packed)) {
    const byAge = (a: number, b: number): number => (ages[a] ?? 0) - (ages[b] ?? 0) || a - b;
    return [...slots.keys()].toSorted(byAge).map((index) => slots[index] ?? 0);
  }
  const keys = ages.map((age, index) => (age - oldest) * packed + index).toSorted();
  const sorted: number[] = [];
  for (const key of keys) sorted.push(slots[key % packed] ?? 0);
  return sorted;
}
