/** Structural schemas of built-in types for custom kinds that embed them, with all references inlined. */
import type { JsonObject } from "../served-resource.ts";
import { fieldDescription } from "./descriptions.ts";
import { plainLeaf } from "./open-api-leaf.ts";
import type { LeafType, TypeExpression } from "./type-expression.ts";
import { parseType, withoutPointer } from "./type-expression.ts";
import type { FieldRow } from "./type-table.ts";
import { typeRow } from "./type-table.ts";

/** The metadata fields that still have a meaning in an embedded object. */
const innerMetadata = ["annotations", "finalizers", "labels", "name", "namespace"];

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

export function structuralSchemaOf(typeName: string): JsonObject {
  const fields = Object.entries(typeRow(typeName).fields).filter(
    ([name]) => typeName !== objectMeta || innerMetadata.includes(name),
  );
  const required = fields.filter(([, row]) => row.required).map(([name]) => name);
  const properties = fields.map(([name, row]) => [name, fieldSchema(typeName, name, row)] as const);
  const { map } = typeRow(typeName);
  return {
    type: "object",
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(properties.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    ...extension("map-type", map),
  };
}

function fieldSchema(typeName: string, name: string, row: FieldRow): JsonObject {
  const description = fieldDescription(typeName, name);
  const schema = withKeys(withEnum(valueSchema(withoutPointer(parseType(row.type))), row), row);
  return {
    ...(description === undefined ? {} : { description }),
    ...schema,
    // Zero values exist only because Go has no absent value; filling them in would change the request.
    ...(isMeaningful(row.default) ? { default: row.default } : {}),
    ...extension("list-type", row.list),
    ...extension("list-map-keys", row.keys),
    ...extension("map-type", row.map),
  };
}

function isMeaningful(value: unknown): boolean {
  if (value === undefined || value === "" || value === 0) return false;
  return typeof value !== "object" || value === null || Object.keys(value).length > 0;
}

const extension = (name: string, value: unknown): JsonObject =>
  value === undefined ? {} : { [`x-kubernetes-${name}`]: value };

function withEnum(schema: JsonObject, row: FieldRow): JsonObject {
  if (row.enum === undefined) return schema;
  if (schema["type"] !== "array") return { ...schema, enum: row.enum };
  return { ...schema, items: { ...(schema["items"] as JsonObject), enum: row.enum } };
}

/** The keys of a list must be present in every item, if necessary by default. */
function withKeys(schema: JsonObject, row: FieldRow): JsonObject {
  if (row.keys === undefined) return schema;
  const items = schema["items"] as JsonObject;
  const required = (items["required"] ?? []) as readonly string[];
  const properties = items["properties"] as Readonly<Record<string, JsonObject>>;
  const loose = row.keys.filter((key) => !required.includes(key));
  const keyed = loose.map((key) => [key, { default: "", ...properties[key] }] as const);
  if (keyed.length === 0) return schema;
  return {
    ...schema,
    items: { ...items, properties: { ...properties, ...Object.fromEntries(keyed) } },
  };
}

function valueSchema(type: TypeExpression): JsonObject {
  switch (type.kind) {
    case "pointer":
      return valueSchema(type.of);
    case "struct":
      return structuralSchemaOf(type.name);
    case "list":
      return { type: "array", items: valueSchema(type.of) };
    case "map":
      return { type: "object", additionalProperties: valueSchema(type.of) };
    case "leaf":
      return leafSchema(type.leaf);
  }
}

const either = { anyOf: [{ type: "integer" }, { type: "string" }] };
const anything = { "x-kubernetes-preserve-unknown-fields": true };

const decimal = String.raw`([0-9]+(\.[0-9]*)?)|(\.[0-9]+)`;

const leaves: Partial<Record<LeafType, JsonObject>> = {
  quantity: {
    ...either,
    pattern: `^(\\+|-)?(${decimal})(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(${decimal})))?$`,
    "x-kubernetes-int-or-string": true,
  },
  intOrString: { ...either, "x-kubernetes-int-or-string": true },
  time: { type: "string", format: "date-time" },
  microTime: { type: "string", format: "date-time" },
  duration: { type: "string" },
  raw: { type: "object", ...anything },
  json: anything,
};

function leafSchema(leaf: LeafType): JsonObject {
  return leaves[leaf] ?? plainLeaf(leaf);
}
