/** The places of a fleet from the oldest unit to the youngest, sorted once. */
import type { Fleet } from "./fleet.ts";
import type { SlotSet } from "./slot-set.ts";

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
    const { replaceable } = this.#fleet;
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
  const slots = Array.from({ length: fleet.desired }, (_, slot) => slot);
  const ages = slots.map((slot) => fleet.unitAt(slot)?.createdAtMs ?? 0);
  const youngest = ages.reduce((a, b) => Math.max(a, b), 0);
  const oldest = ages.reduce((a, b) => Math.min(a, b), youngest);
  if (!Number.isSafeInteger((youngest - oldest + 1) * fleet.desired)) {
    return slots.toSorted((a, b) => (ages[a] ?? 0) - (ages[b] ?? 0) || a - b);
  }
  const keys = Float64Array.from(
    slots,
    (slot) => ((ages[slot] ?? 0) - oldest) * fleet.desired + slot,
  );
  return Array.from(keys.toSorted(), (key) => key % fleet.desired);
}
