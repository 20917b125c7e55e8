/** Checks for lists and for promises, where `expect` says too little or is too slow. */

/** For promises checked after every event, some hundred thousand times. */
export function must(isTrue: boolean, promise: string, detail: () => unknown): void {
  if (!isTrue) throw new Error(`${promise}: ${JSON.stringify(detail())}`);
}

/** To assert something of each: of an empty list everything would hold. */
export function atLeastOne<T>(items: Iterable<T>): readonly T[] {
  const all = [...items];
  if (all.length === 0) throw new Error("there is nothing to look at");
  return all;
}
