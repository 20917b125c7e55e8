/** Copies a custom resource without the fields its schema does not know. */
import type { JsonMap, JsonSchema } from "./json-schema.ts";
import { childPath, isMap, own, setKey, valueSchema } from "./json-schema.ts";

/** Fields an embedded resource has whatever its schema lists. */
const embeddedFields = new Set(["apiVersion", "kind", "metadata"]);

export interface Pruned {
  readonly value: unknown;
  /** Paths of what was dropped, in document order. */
  readonly unknownFields: readonly string[];
}

export function prune(value: unknown, schema: JsonSchema): Pruned {
  const unknownFields: string[] = [];
  const pruner: Pruner = { unknownFields, path: "" };
  return { value: copy(value, schema, pruner, true), unknownFields };
}

interface Pruner {
  readonly unknownFields: string[];
  readonly path: string;
}

function copy(value: unknown, schema: JsonSchema, at: Pruner, isResource: boolean): unknown {
  if (Array.isArray(value)) return copyList(value, schema, at);
  return isMap(value) ? copyMap(value, schema, at, isResource) : value;
}

function copyList(list: readonly unknown[], schema: JsonSchema, at: Pruner): unknown[] {
  const { items } = schema;
  if (items === undefined) return list.map((item) => structuredClone(item));
  return list.map((item, index) =>
    copy(item, items, { ...at, path: `${at.path}[${index}]` }, isEmbedded(items)),
  );
}

function copyMap(map: JsonMap, schema: JsonSchema, at: Pruner, isResource: boolean): JsonMap {
  const result: JsonMap = {};
  const rest = valueSchema(schema);
  const keepsUnknown =
    schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties === true;
  for (const [key, value] of Object.entries(map)) {
    const path = childPath(at.path, key);
    const known = own(schema.properties, key) ?? rest;
    if (isResource && embeddedFields.has(key)) {
      setKey(result, key, structuredClone(value));
    } else if (known !== undefined) {
      setKey(result, key, copy(value, known, { ...at, path }, isEmbedded(known)));
    } else if (keepsUnknown) {
      setKey(result, key, structuredClone(value));
    } else {
      at.unknownFields.push(path);
    }
  }
  return result;
}

const isEmbedded = (schema: JsonSchema): boolean =>
  schema["x-kubernetes-embedded-resource"] === true;
