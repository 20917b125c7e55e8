/** The OpenAPI forms of types without fields; some are definitions of their own, as upstream has them. */
import type { JsonObject } from "../served-resource.ts";
import type { LeafType } from "./type-expression.ts";

const machinery = "io.k8s.apimachinery.pkg";
const extensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** Leaves that have a definition of their own. */
export const leafReferences: Partial<Record<LeafType, string>> = {
  quantity: `${machinery}.api.resource.Quantity`,
  intOrString: `${machinery}.util.intstr.IntOrString`,
  time: `${machinery}.apis.meta.v1.Time`,
  microTime: `${machinery}.apis.meta.v1.MicroTime`,
  duration: `${machinery}.apis.meta.v1.Duration`,
  raw: `${machinery}.runtime.RawExtension`,
  json: `${extensions}.JSON`,
  schemaOrArray: `${extensions}.JSONSchemaPropsOrArray`,
  schemaOrBool: `${extensions}.JSONSchemaPropsOrBool`,
  schemaOrStringArray: `${extensions}.JSONSchemaPropsOrStringArray`,
};

export const leafSchemas: Readonly<Record<string, JsonObject>> = {
  [`${machinery}.api.resource.Quantity`]: {
    description: "An amount with an optional suffix, such as 500m, 2, 1.5Gi or 1e3.",
    oneOf: [{ type: "string" }, { type: "number" }],
  },
  [`${machinery}.util.intstr.IntOrString`]: {
    description: "A whole number or a text, such as 3 or 25%.",
    format: "int-or-string",
    oneOf: [{ type: "integer" }, { type: "string" }],
  },
  [`${machinery}.apis.meta.v1.Time`]: {
    description: "A time to the second, such as 2026-01-02T03:04:05Z.",
    type: "string",
    format: "date-time",
  },
  [`${machinery}.apis.meta.v1.MicroTime`]: {
    description: "A time to the microsecond, such as 2026-01-02T03:04:05.000000Z.",
    type: "string",
    format: "date-time",
  },
  [`${machinery}.apis.meta.v1.Duration`]: {
    description: "A length of time, such as 1m30s.",
    type: "string",
  },
  [`${machinery}.runtime.RawExtension`]: {
    description: "An object of any shape.",
    type: "object",
  },
  [`${extensions}.JSON`]: { description: "Any JSON value." },
  [`${extensions}.JSONSchemaPropsOrArray`]: { description: "A schema or a list of schemas." },
  [`${extensions}.JSONSchemaPropsOrBool`]: { description: "A schema, or true or false." },
  [`${extensions}.JSONSchemaPropsOrStringArray`]: { description: "A schema or a list of texts." },
};

const plainLeaves: Partial<Record<LeafType, JsonObject>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  float64: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
};

export function plainLeaf(leaf: LeafType): JsonObject {
  return plainLeaves[leaf] ?? {};
}
