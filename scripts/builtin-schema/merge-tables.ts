/** Joins what OpenAPI and what the Go declarations say about the built-in types into one compact table. */

export interface GoField {
  readonly name: string;
  readonly type: string;
  readonly omitEmpty?: boolean;
  readonly omitZero?: boolean;
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly protobuf?: readonly string[];
  readonly embedded?: readonly string[];
}

export type GoTypes = Record<string, readonly GoField[]>;

interface Schema {
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly items?: Schema;
  readonly [extension: `x-kubernetes-${string}`]: unknown;
}

export type DocumentSchemas = Record<string, Schema>;

type Row = Record<string, unknown>;

const leafNames: Record<string, string> = {
  "k8s.io/apimachinery/pkg/api/resource.Quantity": "quantity",
  "k8s.io/apimachinery/pkg/util/intstr.IntOrString": "intOrString",
  "k8s.io/apimachinery/pkg/apis/meta/v1.Time": "time",
  "k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime": "microTime",
  "k8s.io/apimachinery/pkg/apis/meta/v1.Duration": "duration",
  "k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1": "raw",
  "k8s.io/apimachinery/pkg/runtime.RawExtension": "raw",
};
const extensions = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1";
const schemaLeaves: Record<string, string> = {
  [`${extensions}.JSON`]: "json",
  [`${extensions}.JSONSchemaPropsOrArray`]: "schemaOrArray",
  [`${extensions}.JSONSchemaPropsOrBool`]: "schemaOrBool",
  [`${extensions}.JSONSchemaPropsOrStringArray`]: "schemaOrStringArray",
};

/** `k8s.io/api/core/v1.Pod` -> `io.k8s.api.core.v1.Pod`, the name OpenAPI uses. */
function openApiName(goName: string): string {
  const [host = "", ...path] = goName.split("/");
  return [host.split(".").toReversed().join("."), ...path].join(".");
}

/** `k8s.io/api/core/v1.PullPolicy` -> `v1.PullPolicy`, the name Go's decoding errors use. */
const shortName = (goName: string): string => goName.slice(goName.lastIndexOf("/") + 1);

/** Our spelling: `*T`, `[]T`, `{}T` for maps, `<v1.PullPolicy>string` for named types. */
function typeExpression(go: string): string {
  if (go.startsWith("*")) return `*${typeExpression(go.slice(1))}`;
  if (go.startsWith("[]")) return `[]${typeExpression(go.slice(2))}`;
  if (go.startsWith("map[string]")) return `{}${typeExpression(go.slice("map[string]".length))}`;
  const named = /^([^=[\]*]+)=(.*)$/.exec(go);
  if (named !== null) return `<${shortName(named[1]!)}>${typeExpression(named[2]!)}`;
  const leaf = leafNames[go] ?? schemaLeaves[go];
  if (leaf !== undefined) return leaf;
  return go.includes("/") ? openApiName(go) : go;
}

/** Drops what says nothing, so that most rows are short. */
function compact(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).filter(([, value]) => value !== undefined && value !== false),
  );
}

function fieldRow(field: GoField, schema: Schema, required: boolean): Row {
  return compact({
    type: typeExpression(field.type),
    required,
    keep: !field.omitEmpty && !field.omitZero,
    omitZero: field.omitZero,
    in: field.embedded?.join("."),
    proto: field.protobuf?.join("."),
    enum: schema.enum ?? schema.items?.enum,
    default: schema.default,
    format: schema.format,
    list: schema["x-kubernetes-list-type"],
    keys: schema["x-kubernetes-list-map-keys"],
    map: schema["x-kubernetes-map-type"],
    patch: field.patchStrategy,
    mergeKey: field.patchMergeKey,
  });
}

function typeRow(name: string, fields: readonly GoField[], schema: Schema): Row {
  const properties = schema.properties ?? {};
  const rows: Row = {};
  for (const field of fields) {
    const property = properties[field.name];
    if (property === undefined) throw new Error(`${name}.${field.name} is missing in OpenAPI`);
    rows[field.name] = fieldRow(field, property, schema.required?.includes(field.name) ?? false);
  }
  const missing = Object.keys(properties).filter((property) => !(property in rows));
  if (missing.length > 0) throw new Error(`${name}: ${missing.join(", ")} missing in Go`);
  return compact({
    gvk: groupVersionKinds(schema),
    map: schema["x-kubernetes-map-type"],
    unions: schema["x-kubernetes-unions"],
    fields: rows,
  });
}

function groupVersionKinds(schema: Schema): readonly string[] | undefined {
  const list = schema["x-kubernetes-group-version-kind"] as
    | readonly { group: string; version: string; kind: string }[]
    | undefined;
  const names = list?.map(({ group, version, kind }) => `${group}/${version}/${kind}`);
  return names?.toSorted();
}

export function mergeTables(go: GoTypes, documents: DocumentSchemas): Record<string, Row> {
  const table: Record<string, Row> = {};
  for (const [goName, fields] of Object.entries(go)) {
    const name = openApiName(goName);
    const schema = documents[name];
    if (schema === undefined) throw new Error(`${name} is missing in OpenAPI`);
    table[name] = typeRow(name, fields, schema);
  }
  return table;
}
