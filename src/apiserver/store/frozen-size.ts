/** Freezes objects for sharing, and estimates the memory that they take. */

/** Bytes of a heap object besides what is in it, of a property's or item's place, and of a text. */
const perObject = 56;
const perPlace = 16;
const perText = 24;

/**
 * Freezes a whole object, so that the store, its readers and its watchers can share it. Returns the bytes that were
 * not shared before.
 */
export function deepFreeze(value: unknown): number {
  if (typeof value === "string") return perText + value.length;
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return 0;
  Object.freeze(value);
  let bytes = perObject;
  for (const key in value) bytes += perPlace + deepFreeze((value as Record<string, unknown>)[key]);
  return bytes;
}

/** The bytes of a whole value, shared or not. */
export function sizeInMemory(value: unknown): number {
  if (typeof value === "string") return perText + value.length;
  if (typeof value !== "object" || value === null) return 0;
  let bytes = perObject;
  for (const key in value)
    bytes += perPlace + sizeInMemory((value as Record<string, unknown>)[key]);
  return bytes;
}
