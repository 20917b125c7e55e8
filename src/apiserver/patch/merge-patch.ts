/** JSON merge patch: objects merge, null removes, everything else replaces. */
import type { JsonObject } from "../served-resource.ts";
import { getOwn, isRecord, setOwn } from "../schema/own-property.ts";
import { malformedPatch } from "./patch-errors.ts";

/** Never changes its arguments; what the patch does not touch is the very same in the result. */
export function mergePatch(original: JsonObject, patch: unknown): JsonObject {
  if (patch === null) throw malformedPatch("Invalid JSON Patch");
  if (!isRecord(patch)) throw malformedPatch(`error decoding patch: ${notAMap(patch)}`);
  return merged(original, patch);
}

/** Go's message about a patch that is not an object. */
export function notAMap(patch: unknown): string {
  const given = Array.isArray(patch) ? "array" : typeof patch === "boolean" ? "bool" : typeof patch;
  return `json: cannot unmarshal ${given} into Go value of type map[string]interface {}`;
}

/** What the patch does not mention is shared with the original: copying it once for every level above would add up. */
function merged(original: JsonObject, patch: JsonObject): JsonObject {
  const result = { ...original };
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    const present = getOwn(result, key);
    if (value === null) delete result[key];
    else if (isRecord(value) && isRecord(present)) setOwn(result, key, merged(present, value));
    else setOwn(result, key, withoutNulls(value));
  }
  return result;
}

/** Nulls in added parts have nothing to remove; upstream drops them, also inside lists. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (value[key] !== null) setOwn(result, key, withoutNulls(value[key]));
  }
  return result;
}
