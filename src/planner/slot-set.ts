/** A set of places in order, kept up to date by single changes: a preview asks it after every step. */

const noMembers = new Uint8Array();

export class SlotSet {
  readonly #capacity: number;
  /** Made for the first member: a decision asks many questions, and few have an answer. */
  #members = noMembers;
  #size = 0;
  /** No member is below or above these: a rollout that sweeps over the fleet looks at no place twice. */
  #low: number;
  #high = -1;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#low = capacity;
  }

  get size(): number {
    return this.#size;
  }

  has(slot: number): boolean {
    return this.#members[slot] === 1;
  }

  add(slot: number): void {
    if (this.has(slot)) return;
    if (this.#members === noMembers) this.#members = new Uint8Array(this.#capacity);
    this.#members[slot] = 1;
    this.#size += 1;
    this.#low = Math.min(this.#low, slot);
    this.#high = Math.max(this.#high, slot);
  }

  delete(slot: number): void {
    if (!this.has(slot)) return;
    this.#members[slot] = 0;
    this.#size -= 1;
    if (this.#size > 0) return;
    this.#low = this.#capacity;
    this.#high = -1;
  }

  /** The lowest member at or above `from`, -1 where there is none. */
  next(from = 0): number {
    if (from > this.#high) return -1;
    if (from > this.#low) return this.#members.indexOf(1, from);
    this.#low = this.#members.indexOf(1, this.#low);
    return this.#low;
  }

  /** The highest member at or below `from`, -1 where there is none. */
  previous(from = Number.POSITIVE_INFINITY): number {
    if (from < this.#low) return -1;
    if (from < this.#high) return this.#members.lastIndexOf(1, from);
    this.#high = this.#members.lastIndexOf(1, this.#high);
    return this.#high;
  }
}

/** Members in rising order, at most `limit`. */
export function lowest(set: SlotSet, limit = Number.POSITIVE_INFINITY): number[] {
  const found: number[] = [];
  const wanted = Math.min(limit, set.size);
  for (let slot = set.next(); found.length < wanted; slot = set.next(slot + 1)) found.push(slot);
  return found;
}

/** Members in falling order, at most `limit`. */
export function highest(set: SlotSet, limit = Number.POSITIVE_INFINITY): number[] {
  const found: number[] = [];
  const wanted = Math.min(limit, set.size);
  for (let slot = set.previous(); found.length < wanted; slot = set.previous(slot - 1)) {
    found.push(slot);
  }
  return found;
}
