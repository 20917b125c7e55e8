/** The OpenAPI v3 schemas of built-in kinds, written from the field table with descriptions of our own. */
import type { JsonObject, OpenApiPart } from "../served-resource.ts";
import { fieldDescription, typeDescription } from "./descriptions.ts";
import { leafReferences, leafSchemas, plainLeaf } from "./open-api-leaf.ts";
import { parseType, withoutPointer } from "./type-expression.ts";
import type { TypeExpression } from "./type-expression.ts";
import { shortTypeName, typeNameOf, typeRow } from "./type-table.ts";
import type { FieldRow, GroupVersionKind, TypeRow } from "./type-table.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const listMetaName = `${meta}.ListMeta`;

const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

const parts = new Map<string, OpenApiPart>();

/** Makes the `openApi` of a built-in kind: its schema, that of its list, and all they refer to. */
export function openApiPartOf(gvk: GroupVersionKind): OpenApiPart {
  const definition = typeNameOf(gvk);
  if (definition === undefined) throw new Error(`${gvk.kind} is no built-in kind`);
  const known = parts.get(definition);
  if (known !== undefined) return known;
  const part: OpenApiPart = {
    definition,
    schemas: {
      ...schemasFrom(definition),
      ...sharedSchemas(),
      [`${definition}List`]: listSchema(definition, gvk),
    },
  };
  parts.set(definition, part);
  return part;
}

let shared: Readonly<Record<string, JsonObject>> | undefined;

/** What the schemas of every kind refer to, custom ones included. */
export function sharedSchemas(): Readonly<Record<string, JsonObject>> {
  shared ??= {
    ...schemasFrom(`${meta}.ObjectMeta`),
    ...schemasFrom(`${meta}.DeleteOptions`),
    ...schemasFrom(`${meta}.Status`),
    ...schemasFrom(listMetaName),
    [`${meta}.Patch`]: {
      type: "object",
      description: "A patch, in the form its content type says.",
    },
  };
  return shared;
}

/** A type and everything it reaches. */
function schemasFrom(root: string): Record<string, JsonObject> {
  const schemas: Record<string, JsonObject> = {};
  const open = [root];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (Object.hasOwn(schemas, name)) continue;
    const leaf = leafSchemas[name];
    if (leaf !== undefined) {
      schemas[name] = leaf;
      continue;
    }
    const row = typeRow(name);
    schemas[name] = typeSchema(name, row);
    for (const field of Object.values(row.fields)) open.push(...referred(parseType(field.type)));
  }
  return schemas;
}

function referred(type: TypeExpression): readonly string[] {
  if (type.kind === "struct") return [type.name];
  if (type.kind !== "leaf") return referred(type.of);
  const name = leafReferences[type.leaf];
  return name === undefined ? [] : [name];
}

function typeSchema(name: string, row: TypeRow): JsonObject {
  const fields = Object.entries(row.fields);
  const required = fields.filter(([, field]) => field.required).map(([fieldName]) => fieldName);
  const properties = fields.map(([fieldName, field]) => {
    return [fieldName, fieldSchema(field, fieldDescription(name, fieldName))] as const;
  });
  return {
    description: typeDescription(name),
    type: "object",
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(properties.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    ...(row.gvk === undefined ? {} : { "x-kubernetes-group-version-kind": row.gvk.map(readGvk) }),
    ...extension("map-type", row.map),
    ...extension("unions", row.unions),
  };
}

function readGvk(text: string): JsonObject {
  const [group, version, kind] = text.split("/");
  return { group, kind, version };
}

const extension = (name: string, value: unknown): JsonObject =>
  value === undefined ? {} : { [`x-kubernetes-${name}`]: value };

function fieldSchema(row: FieldRow, description: string | undefined): JsonObject {
  const type = withoutPointer(parseType(row.type));
  const schema = withEnum(valueSchema(type), row);
  const annotations = {
    ...(description === undefined ? {} : { description }),
    ...(row.default === undefined ? {} : { default: row.default }),
  };
  return {
    ...annotations,
    ...("$ref" in schema ? { allOf: [schema] } : schema),
    ...extension("list-type", row.list),
    ...extension("list-map-keys", row.keys),
    ...extension("map-type", row.map),
    ...extension("patch-strategy", row.patch),
    ...extension("patch-merge-key", row.mergeKey),
  };
}

/** The enumeration of a list is one of its elements. */
function withEnum(schema: JsonObject, row: FieldRow): JsonObject {
  if (row.enum === undefined) return schema;
  if (schema["type"] !== "array") return { ...schema, enum: row.enum };
  return { ...schema, items: { ...(schema["items"] as JsonObject), enum: row.enum } };
}

function valueSchema(type: TypeExpression): JsonObject {
  switch (type.kind) {
    case "pointer":
      return valueSchema(type.of);
    case "struct":
      return reference(type.name);
    case "list":
      return { type: "array", items: elementSchema(type.of) };
    case "map":
      return { type: "object", additionalProperties: elementSchema(type.of) };
    case "leaf": {
      const name = leafReferences[type.leaf];
      return name === undefined ? plainLeaf(type.leaf) : reference(name);
    }
  }
}

function elementSchema(type: TypeExpression): JsonObject {
  if (type.kind !== "struct") return valueSchema(type);
  return { allOf: [reference(type.name)], default: {} };
}

function listSchema(definition: string, gvk: GroupVersionKind): JsonObject {
  const kind = shortTypeName(definition);
  return {
    description: `A list of ${kind} objects.`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: { type: "string", description: "The group and version the list is written in." },
      items: { type: "array", items: { allOf: [reference(definition)], default: {} } },
      kind: { type: "string", description: `${kind}List.` },
      metadata: { allOf: [reference(listMetaName)], default: {} },
    },
    "x-kubernetes-group-version-kind": [
      { group: gvk.group, kind: `${gvk.kind}List`, version: gvk.version },
    ],
  };
}
