/** The source of uids and generated name suffixes; injected so that a simulation is reproducible. */
import { randomInt, randomUUID } from "node:crypto";

export interface Ids {
  uid(): string;
  /** The five-character suffix of a generated name. */
  nameSuffix(): string;
}

/** No vowels and no 0, 1, 3: generated names must not spell words or be misread. */
const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";

export function randomIds(): Ids {
  return { uid: () => randomUUID(), nameSuffix: () => suffixFrom((below) => randomInt(below)) };
}

/** The same sequence for the same seed. */
export function seededIds(seed: number): Ids {
  let state = seed >>> 0;
  const next = (below: number): number => {
    // splitmix32: a small generator whose every 32-bit state is good.
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % below;
  };
  return { uid: () => uuidFrom(next), nameSuffix: () => suffixFrom(next) };
}

function suffixFrom(next: (below: number) => number): string {
  return Array.from({ length: 5 }, () => suffixAlphabet[next(suffixAlphabet.length)]).join("");
}

const hexDigits = "0123456789abcdef";

function uuidFrom(next: (below: number) => number): string {
  let hex = "";
  for (let digit = 0; digit < 32; digit++) hex += hexDigits[next(16)];
  const variant = "89ab"[next(4)] ?? "8";
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join("-");
}
