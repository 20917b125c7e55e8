/** Whether two JSON values are equal, whatever the order of their keys. */

export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return isSameArray(a, b);
  return isSameRecord(a as Record<string, unknown>, b as Record<string, unknown>);
}

function isSameArray(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((item, index) => isSameJson(item, b[index]));
}

function isSameRecord(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const keys = presentKeys(a);
  if (keys.length !== presentKeys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]));
}

/** A key with the value undefined counts as absent, as in JSON. */
function presentKeys(record: Record<string, unknown>): string[] {
  return Object.keys(record).filter((key) => record[key] !== undefined);
}
