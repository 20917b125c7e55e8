/** Reproducible random numbers: the same seed gives the same sequence. */

export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** True with this probability. */
  happens(probability: number): boolean;
  /** A whole number from 0 up to, not including, `bound`. */
  below(bound: number): number;
}

/** Mulberry32: small, fast, and good enough to choose faults. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    happens: (probability) => next() < probability,
    below: (bound) => Math.floor(next() * bound),
  };
}
