/** Finds repeated entries of a list in one pass: lists come from clients and may be long. */

/** Whether each key in turn was there before. */
export function repeatedKeys(): (key: string) => boolean {
  const seen = new Set<string>();
  return (key) => {
    if (seen.has(key)) return true;
    seen.add(key);
    return false;
  };
}
