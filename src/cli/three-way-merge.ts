/** What `apply` must change: a merge patch from what was applied last, what is there now, and what is wanted. */

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };
type JsonMap = { readonly [key: string]: Json };

/**
 * Fields that the last applied manifest had and the new one has not are removed; fields that others
 * set and no manifest ever named are left alone. Lists count as one value: a list is sent only
 * when the manifest changed it, so that what the server filled in inside it is no difference.
 * Returns an empty patch when nothing is to be done.
 */
export function threeWayMerge(last: JsonMap, live: JsonMap, wanted: JsonMap): JsonMap {
  const patch: Record<string, Json> = {};
  for (const key of Object.keys(last)) {
    if (!Object.hasOwn(wanted, key) && Object.hasOwn(live, key)) patch[key] = null;
  }
  for (const [key, value] of Object.entries(wanted)) {
    const change = changeOf(ownValue(last, key), ownValue(live, key), value);
    if (change !== undefined) patch[key] = change;
  }
  return patch;
}

function ownValue(map: JsonMap, key: string): Json | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function changeOf(last: Json | undefined, live: Json | undefined, wanted: Json): Json | undefined {
  if (isMap(wanted) && isMap(live)) {
    const change = threeWayMerge(isMap(last) ? last : {}, live, wanted);
    return Object.keys(change).length === 0 ? undefined : change;
  }
  if (wanted === null) return live === undefined || live === null ? undefined : null;
  if (Array.isArray(wanted) && Array.isArray(live) && last !== undefined) {
    return isSame(last, wanted) && covers(live, wanted) ? undefined : wanted;
  }
  return covers(live, wanted) ? undefined : wanted;
}

/** Whether everything the manifest says already holds; the server may have added more to it. */
function covers(live: Json | undefined, wanted: Json): boolean {
  if (isMap(wanted)) {
    if (!isMap(live)) return false;
    return Object.entries(wanted).every(([key, value]) => covers(ownValue(live, key), value));
  }
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live) || live.length !== wanted.length) return false;
    return wanted.every((value: Json, index) => covers(live[index] as Json, value));
  }
  return isSame(live, wanted);
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return (
      a.length === b.length && a.every((value: Json, index) => isSame(value, b[index] as Json))
    );
  }
  if (!isMap(a) || !isMap(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => isSame(a[key], ownValue(b, key)))
  );
}

function isMap(value: Json | undefined): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
