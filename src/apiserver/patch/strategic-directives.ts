/** The directives that a strategic merge patch may contain beside the fields of the kind. */
import type { JsonObject } from "../served-resource.ts";
import { getOwn, isRecord, setOwn } from "../schema/own-property.ts";
import { goText } from "./go-text.ts";
import { invalidPatch } from "./patch-errors.ts";

export const orderPrefix = "$setElementOrder/";
export const deletePrefix = "$deleteFromPrimitiveList/";

export function unknownDirective(map: JsonObject): Error {
  const directive = getOwn(map, "$patch");
  const shown = typeof directive === "number" ? `%!s(int64=${directive})` : goText(directive);
  return invalidPatch(`unknown patch type: ${shown} in map: ${goText(map)}`);
}

/** What a patch adds where the object has nothing, without its directives. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return withoutDirectiveElements(value);
  if (!isRecord(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (key === "$retainKeys" || key === "$patch") continue;
    if (key.startsWith(orderPrefix) || key.startsWith(deletePrefix)) continue;
    if (value[key] !== null) setOwn(result, key, withoutDirectives(value[key]));
  }
  return result;
}

function withoutDirectiveElements(list: readonly unknown[]): unknown[] {
  return list
    .filter((element) => !isRecord(element) || getOwn(element, "$patch") === undefined)
    .map(withoutDirectives);
}
