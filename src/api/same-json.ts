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

/** Whether `actual` says everything that `wanted` says; what others added does not matter. */
export function includesJson(actual: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted)) {
    return isSameJson(actual, wanted);
  }
  if (typeof actual !== "object" || actual === null) return Object.keys(wanted).length === 0;
  const have = actual as Record<string, unknown>;
  return Object.entries(wanted).every(
    ([key, value]) => value === undefined || includesJson(have[key], value),
  );
}
