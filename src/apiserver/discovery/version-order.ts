/** The order of API versions: stable before beta before alpha, higher numbers first. */

const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const rank: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };

export function newestFirst(a: string, b: string): number {
  const left = weightsOf(a);
  const right = weightsOf(b);
  for (const [index, weight] of left.entries()) {
    const difference = (right[index] ?? 0) - weight;
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Versions that follow no pattern come last, by their name. */
function weightsOf(version: string): readonly number[] {
  const match = pattern.exec(version);
  if (match === null) return [-1, 0, 0];
  const [, major, stage, minor = "0"] = match;
  return [stage === undefined ? 2 : (rank[stage] ?? 0), Number(major), Number(minor)];
}
