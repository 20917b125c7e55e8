/** Whether two JSON values are equal, whatever the order of their keys. */

type IsSameText = (a: string, b: string) => boolean;

/** Texts are the same where they are equal, unless `isSameText` says more. */
export function isSameJson(a: unknown, b: unknown, isSameText?: IsSameText): boolean {
  if (a === b) return true;
  if (typeof a === "string" && typeof b === "string") return isSameText?.(a, b) === true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return isSameArray(a, b, isSameText);
  return isSameRecord(a as Fields, b as Fields, isSameText);
}

function isSameArray(a: unknown, b: unknown, isSameText?: IsSameText): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((item, index) => isSameJson(item, b[index], isSameText));
}

type Fields = Readonly<Record<string, unknown>>;

function isSameRecord(a: Fields, b: Fields, isSameText?: IsSameText): boolean {
  for (const key of Object.keys(a)) {
    if (!isSameJson(a[key], ownValue(b, key), isSameText)) return false;
  }
  for (const key of Object.keys(b)) {
    if (b[key] !== undefined && ownValue(a, key) === undefined) return false;
  }
  return true;
}

/** A key with the value undefined counts as absent, as in JSON. */
const ownValue = (record: Fields, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined;

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
