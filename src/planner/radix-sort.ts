/** Sorts by whole numbers in linear time: a fleet of a hundred thousand is ordered in every decision. */

const digits = 2048;

/** `items` by rising `keys`; equal keys keep their order. Of a fraction only the whole part counts. */
export function radixSorted(items: Uint32Array, keys: Float64Array): Uint32Array {
  const least = keys.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const span = keys.reduce((a, b) => Math.max(a, b), least) - least;
  let from: Column = { items: items.slice(), keys: keys.map((key) => key - least) };
  let to: Column = { items: new Uint32Array(items.length), keys: new Float64Array(items.length) };
  for (let worth = 1; worth <= span; worth *= digits) {
    distribute(from, to, worth);
    [from, to] = [to, from];
  }
  return from.items;
}

interface Column {
  readonly items: Uint32Array;
  readonly keys: Float64Array;
}

/** One pass: everything goes to where its digit of this worth belongs, in the order it comes. */
function distribute(from: Column, to: Column, worth: number): void {
  const size = from.items.length;
  const places = new Uint32Array(digits + 1);
  const digitAt = (at: number): number => Math.floor((from.keys[at] ?? 0) / worth) % digits;
  for (let at = 0; at < size; at += 1) {
    const next = digitAt(at) + 1;
    places[next] = (places[next] ?? 0) + 1;
  }
  for (let digit = 0; digit < digits; digit += 1) {
    places[digit + 1] = (places[digit + 1] ?? 0) + (places[digit] ?? 0);
  }
  for (let at = 0; at < size; at += 1) {
    const digit = digitAt(at);
    const place = places[digit] ?? 0;
    places[digit] = place + 1;
    to.items[place] = from.items[at] ?? 0;
    to.keys[place] = from.keys[at] ?? 0;
  }
}
