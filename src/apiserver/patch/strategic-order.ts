/**
 * The order of a merged list. What a patch names comes in the patch's order; what only the object has
 * keeps its own order and goes before the first named element that it preceded in the object.
 */

/** `identify` gives equal texts for elements that are the same by merge key, or by value. */
export interface Order<T> {
  /** Everything that is in the list after the merge. */
  readonly merged: readonly T[];
  readonly named: readonly string[];
  /** Ids of the object's list before the merge. */
  readonly before: readonly string[];
  readonly identify: (element: T) => string;
}

export function inMergedOrder<T>({ merged, named, before, identify }: Order<T>): T[] {
  const rankNamed = ranks(named);
  const rankBefore = ranks(before);
  const byRank = (rank: ReadonlyMap<string, number>) => (a: T, b: T) =>
    (rank.get(identify(a)) ?? merged.length) - (rank.get(identify(b)) ?? merged.length);

  const fromPatch = merged.filter((item) => rankNamed.has(identify(item)));
  const others = merged.filter((item) => !rankNamed.has(identify(item)));
  return interleave(
    others.toSorted(byRank(rankBefore)),
    fromPatch.toSorted(byRank(rankNamed)),
    (other, item) => {
      const otherRank = rankBefore.get(identify(other));
      const itemRank = rankBefore.get(identify(item));
      return otherRank !== undefined && itemRank !== undefined && otherRank < itemRank;
    },
  );
}

function ranks(ids: readonly string[]): ReadonlyMap<string, number> {
  const result = new Map<string, number>();
  ids.forEach((id, index) => {
    if (!result.has(id)) result.set(id, index);
  });
  return result;
}

function interleave<T>(
  others: readonly T[],
  named: readonly T[],
  goesBefore: (other: T, item: T) => boolean,
): T[] {
  const result: T[] = [];
  let next = 0;
  for (const item of named) {
    for (let other = others[next]; other !== undefined && goesBefore(other, item);) {
      result.push(other);
      next += 1;
      other = others[next];
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}
