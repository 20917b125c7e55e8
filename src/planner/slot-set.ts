/** A set of small integers with fast neighbours, so that ten thousand decisions over one fleet stay cheap. */

const lowestBit = (word: number): number => 31 - Math.clz32(word & -word);
const highestBit = (word: number): number => 31 - Math.clz32(word);
const upTo = (bit: number): number => (bit === 31 ? -1 : (1 << (bit + 1)) - 1);

/** Where the words of each level begin, lowest level first, and where the last one ends. */
function levelStarts(capacity: number): readonly number[] {
  let words = Math.max(1, Math.ceil(capacity / 32));
  const starts = [0, words];
  while (words > 1) {
    words = Math.ceil(words / 32);
    starts.push((starts.at(-1) ?? 0) + words);
  }
  return starts;
}

/** Several empty sets of one capacity; they share one piece of memory, which is cheap to have. */
export function emptySets(count: number, capacity: number): SlotSet[] {
  const starts = levelStarts(capacity);
  const size = starts.at(-1) ?? 1;
  const words = new Int32Array(count * size);
  const sets: SlotSet[] = [];
  for (let at = 0; at < count; at += 1) sets.push(new SlotSet(words, at * size, starts));
  return sets;
}

/**
 * Each level holds one bit for every non-empty word of the level below, so that `next` and
 * `previous` skip 32, 1024, 32768 empty places at a time.
 */
export class SlotSet {
  readonly #words: Int32Array;
  readonly #base: number;
  readonly #starts: readonly number[];
  readonly #levels: number;
  #size = 0;

  constructor(words: Int32Array, base: number, starts: readonly number[]) {
    this.#words = words;
    this.#base = base;
    this.#starts = starts;
    this.#levels = starts.length - 1;
  }

  get size(): number {
    return this.#size;
  }

  has(slot: number): boolean {
    return (this.#word(0, slot >> 5) & (1 << (slot & 31))) !== 0;
  }

  set(slot: number, isMember: boolean): void {
    if (this.has(slot) === isMember) return;
    this.#size += isMember ? 1 : -1;
    let index = slot;
    for (let depth = 0; depth < this.#levels; depth += 1) {
      const at = this.#at(depth, index >> 5);
      const before = this.#words[at] ?? 0;
      const bit = 1 << (index & 31);
      const after = isMember ? before | bit : before & ~bit;
      this.#words[at] = after;
      // The levels above only know whether a word is empty.
      if (isMember ? before !== 0 : after !== 0) return;
      index >>= 5;
    }
  }

  /** The lowest member at or above `from`, -1 where there is none. */
  next(from = 0): number {
    let index = from;
    for (let depth = 0; depth < this.#levels; depth += 1) {
      const found = this.#word(depth, index >> 5) & ~((1 << (index & 31)) - 1);
      if (found !== 0) return this.#descend(depth, (index & ~31) | lowestBit(found), lowestBit);
      index = (index >> 5) + 1;
    }
    return -1;
  }

  /** The highest member at or below `from`, -1 where there is none. */
  previous(from: number): number {
    let index = from;
    for (let depth = 0; depth < this.#levels && index >= 0; depth += 1) {
      const found = this.#word(depth, index >> 5) & upTo(index & 31);
      if (found !== 0) return this.#descend(depth, (index & ~31) | highestBit(found), highestBit);
      index = (index >> 5) - 1;
    }
    return -1;
  }

  #descend(depth: number, from: number, pick: (word: number) => number): number {
    let index = from;
    for (let level = depth - 1; level >= 0; level -= 1) {
      index = (index << 5) | pick(this.#word(level, index));
    }
    return index;
  }

  /** A word that lies beyond its level is empty, not the first one of the next. */
  #word(depth: number, index: number): number {
    const isBeyond = index >= (this.#starts[depth + 1] ?? 0) - (this.#starts[depth] ?? 0);
    return isBeyond ? 0 : (this.#words[this.#at(depth, index)] ?? 0);
  }

  #at(depth: number, index: number): number {
    return this.#base + (this.#starts[depth] ?? 0) + index;
  }
}

/** Members in rising order, at most `limit`. */
export function lowest(set: SlotSet, limit = Number.POSITIVE_INFINITY): number[] {
  const found: number[] = [];
  for (let slot = set.next(0); slot >= 0 && found.length < limit; slot = set.next(slot + 1)) {
    found.push(slot);
  }
  return found;
}

/** Members in falling order from `top`, at most `limit`. */
export function highest(set: SlotSet, top: number, limit = Number.POSITIVE_INFINITY): number[] {
  const found: number[] = [];
  for (let slot = set.previous(top); slot >= 0 && found.length < limit;) {
    found.push(slot);
    slot = slot === 0 ? -1 : set.previous(slot - 1);
  }
  return found;
}
