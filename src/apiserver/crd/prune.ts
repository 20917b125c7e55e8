/** Copies a custom resource without the fields that its schema does not list. */
import { BoundedTexts } from "../schema/bounded-texts.ts";
import type { JsonMap, JsonSchema } from "./json-schema.ts";
import { childPath, isMap, own, setKey, valueSchema } from "./json-schema.ts";

/** Fields an embedded resource has whatever its schema lists. */
const embeddedFields = new Set(["apiVersion", "kind", "metadata"]);

export interface Pruned {
  readonly value: unknown;
  /** Paths of what was dropped, sorted as a real server sorts them; of too many the first that were met. */
  readonly unknownFields: readonly string[];
}

/** Fields that are the very same in `known`, which was pruned before, are kept as they are. */
export function prune(value: unknown, schema: JsonSchema, known?: JsonMap): Pruned {
  const at: Cursor = { segments: [], unknownFields: new BoundedTexts() };
  const copied =
    known === undefined || !isMap(value)
      ? copy(value, schema, at, true)
      : copyChanged(value, schema, at, known);
  return { value: copied, unknownFields: at.unknownFields.all.toSorted() };
}

function copyChanged(map: JsonMap, schema: JsonSchema, at: Cursor, known: JsonMap): JsonMap {
  const changed = Object.entries(map).filter(([key, value]) => value !== own(known, key));
  const copied = copyMap(Object.fromEntries(changed), schema, at, true);
  const result: JsonMap = {};
  for (const key of Object.keys(map)) {
    const value = map[key] === own(known, key) ? map[key] : own(copied, key);
    if (value !== undefined) setKey(result, key, value);
  }
  return result;
}

/** Where the walk is; the path becomes text only where a field is dropped. */
interface Cursor {
  readonly segments: (string | number)[];
  readonly unknownFields: BoundedTexts;
}

function pathOf({ segments }: Cursor): string {
  return segments.reduce<string>(
    (path, segment) =>
      typeof segment === "number" ? `${path}[${segment}]` : childPath(path, segment),
    "",
  );
}

function copy(value: unknown, schema: JsonSchema, at: Cursor, isResource: boolean): unknown {
  if (Array.isArray(value)) return copyList(value, schema, at);
  return isMap(value) ? copyMap(value, schema, at, isResource) : value;
}

function copyList(list: readonly unknown[], schema: JsonSchema, at: Cursor): unknown[] {
  const { items } = schema;
  if (items === undefined) return list.map(copyAll);
  const isResource = isEmbedded(items);
  return list.map((item, index) => {
    at.segments.push(index);
    const copied = copy(item, items, at, isResource);
    at.segments.pop();
    return copied;
  });
}

function copyMap(map: JsonMap, schema: JsonSchema, at: Cursor, isResource: boolean): JsonMap {
  const result: JsonMap = {};
  const rest = valueSchema(schema);
  const keepsUnknown =
    schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties === true;
  for (const key of Object.keys(map)) {
    const value = map[key];
    const known = own(schema.properties, key) ?? rest;
    at.segments.push(key);
    if (isResource && embeddedFields.has(key)) setKey(result, key, copyAll(value));
    else if (known !== undefined) setKey(result, key, copy(value, known, at, isEmbedded(known)));
    else if (keepsUnknown) setKey(result, key, copyAll(value));
    else if (!at.unknownFields.isFull) at.unknownFields.add(pathOf(at));
    at.segments.pop();
  }
  return result;
}

/** A copy that keeps everything; much faster than the platform's clone of any kind of object. */
function copyAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyAll);
  if (!isMap(value)) return value;
  const result: JsonMap = {};
  for (const key of Object.keys(value)) setKey(result, key, copyAll(value[key]));
  return result;
}

const isEmbedded = (schema: JsonSchema): boolean =>
  schema["x-kubernetes-embedded-resource"] === true;
