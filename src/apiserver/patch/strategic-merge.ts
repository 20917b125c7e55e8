/**
 * Strategic merge patch for built-in kinds: lists merge by the keys the field table names, and patches
 * may carry directives (`$patch`, `$retainKeys`, `$setElementOrder/x`, `$deleteFromPrimitiveList/x`).
 */
import type { JsonObject } from "../served-resource.ts";
import { copyJson, getOwn, isRecord, setOwn } from "../schema/own-property.ts";
import { notAMap } from "./merge-patch.ts";
import { malformedPatch, invalidPatch } from "./patch-errors.ts";
import { fieldMerge, structMerge } from "./merge-rules.ts";
import type { ListMerge, StructMerge } from "./merge-rules.ts";
import {
  deletePrefix,
  orderPrefix,
  unknownDirective,
  withoutDirectives,
} from "./strategic-directives.ts";
import { mergeLists, orderedLists } from "./strategic-list.ts";

/** Merges without looking at the result's types; never changes its arguments, whose untouched parts it shares. */
export function mergeByRules(typeName: string, original: JsonObject, patch: unknown): JsonObject {
  if (!isRecord(patch)) throw malformedPatch(notAMap(patch));
  return mergeMaps(structMerge(typeName), original, patch);
}

/** Merges an object of a known type, or a plain map where the type is undefined. */
function mergeMaps(
  type: StructMerge | undefined,
  original: JsonObject,
  patch: JsonObject,
): JsonObject {
  const whole = replacedWhole(patch);
  if (whole !== undefined) return whole;

  const result = { ...retained(original, patch) };
  const ordered = new Set<string>();
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(orderPrefix)) continue;
    const field = key.slice(orderPrefix.length);
    ordered.add(field);
    orderField(type, field, result, patch);
  }
  for (const key of Object.keys(patch)) {
    if (key === "$retainKeys" || key.startsWith(orderPrefix) || ordered.has(key)) continue;
    mergeField(type, key, result, patch[key]);
  }
  return result;
}

/** `$patch: replace` and `$patch: delete` on a map. */
function replacedWhole(patch: JsonObject): JsonObject | undefined {
  const directive = getOwn(patch, "$patch");
  if (directive === undefined) return undefined;
  if (directive === "delete") return {};
  if (directive !== "replace") throw unknownDirective(patch);
  const { $patch: _directive, ...rest } = patch;
  return copyJson(rest) as JsonObject;
}

function retained(original: JsonObject, patch: JsonObject): JsonObject {
  const keys = getOwn(patch, "$retainKeys");
  if (keys === undefined) return original;
  const named = Array.isArray(keys) ? new Set<unknown>(keys) : undefined;
  const isSound = Object.keys(patch).every((key) => key.startsWith("$") || named?.has(key));
  if (named === undefined || !isSound) throw malformedPatch("invalid patch format of retainKeys");
  return Object.fromEntries(Object.entries(original).filter(([key]) => named.has(key)));
}

function mergeField(
  type: StructMerge | undefined,
  key: string,
  result: JsonObject,
  patched: unknown,
): void {
  const isDeletion = key.startsWith(deletePrefix);
  const field = isDeletion ? key.slice(deletePrefix.length) : key;
  const present = getOwn(result, field);
  if (patched === null) {
    delete result[field];
  } else if (isRecord(patched) && isRecord(present)) {
    setOwn(result, field, mergeStructField(type, field, present, patched));
  } else if (Array.isArray(patched) && Array.isArray(present)) {
    const merge = fieldMerge(type, field).list;
    setOwn(result, field, mergeLists(merge, present, { elements: patched, isDeletion }, mergeMaps));
  } else if (!isDeletion) {
    setOwn(result, field, withoutDirectives(patched));
  }
}

function mergeStructField(
  type: StructMerge | undefined,
  field: string,
  present: JsonObject,
  patched: JsonObject,
): JsonObject {
  const rule = fieldMerge(type, field);
  if (rule.replaces) return copyJson(patched) as JsonObject;
  return mergeMaps(rule.struct?.(), present, patched);
}

/** `$setElementOrder/field`: merges the field's list, then puts it in the given order. */
function orderField(
  type: StructMerge | undefined,
  field: string,
  result: JsonObject,
  patch: JsonObject,
): void {
  const order = getOwn(patch, orderPrefix + field);
  if (!Array.isArray(order)) {
    throw invalidPatch(`expected a []interface {}, but received a ${typeof order}`);
  }
  const list: ListMerge = knownList(type, field);
  const present = getOwn(result, field);
  const patched = getOwn(patch, field);
  if (patched === null || (!Array.isArray(present) && !Array.isArray(patched))) {
    mergeField(type, field, result, patched ?? null);
    return;
  }
  setOwn(
    result,
    field,
    orderedLists(
      list,
      {
        present: Array.isArray(present) ? present : [],
        patched: Array.isArray(patched) ? patched : [],
        order,
      },
      mergeMaps,
    ),
  );
}

function knownList(type: StructMerge | undefined, field: string): ListMerge {
  const known = type?.field(field);
  if (known !== undefined) return known.list;
  const owner = type?.name ?? "map";
  throw invalidPatch(
    `unable to find api field in struct ${owner} for the json field ${JSON.stringify(field)}`,
  );
}
