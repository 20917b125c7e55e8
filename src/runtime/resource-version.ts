/** Order among resourceVersions: decimal numbers of any length, as API servers hand them out. */

/** Negative when `a` is older than `b`. The empty version is older than all others. */
export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function newerVersion(a: string, b: string): string {
  return compareVersions(a, b) >= 0 ? a : b;
}
