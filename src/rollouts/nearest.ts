/** The nearest of some known words to one that was mistyped. Pure. */

/** Undefined where nothing is near enough to be meant. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  const ranked = [...new Set(known)]
    .map((candidate) => ({
      candidate,
      distance: candidate.startsWith(word)
        ? 1
        : editDistance(word.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1));
  return ranked[0]?.candidate;
}

/** Insertions, deletions, replacements, and two neighbours swapped: what fingers do. */
export function editDistance(a: string, b: string): number {
  const known = new Map<string, number>();
  const at = (row: number, column: number): number =>
    row < 0 || column < 0 ? Infinity : (known.get(`${row},${column}`) ?? 0);
  const distance = (row: number, column: number): number => {
    if (row === 0 || column === 0) return row + column;
    const cost = a[row - 1] === b[column - 1] ? 0 : 1;
    const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
    return Math.min(
      at(row - 1, column) + 1,
      at(row, column - 1) + 1,
      at(row - 1, column - 1) + cost,
      isSwapped ? at(row - 2, column - 2) + 1 : Infinity,
    );
  };
  for (let row = 0; row <= a.length; row++) {
    for (let column = 0; column <= b.length; column++) {
      known.set(`${row},${column}`, distance(row, column));
    }
  }
  return at(a.length, b.length);
}
