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

/** Units of one age go in the order of their ordinals. */
const oldestFirst = (fleet: Fleet): readonly number[] =>
  lowest(fleet.sets.replaceable)
    .map((slot) => ({ slot, createdAtMs: fleet.unitIn(slot).createdAtMs }))
    .toSorted((a, b) => a.createdAtMs - b.createdAtMs || a.slot - b.slot)
    .map(({ slot }) => slot);
