/** Checks that a schema is structural, so that objects can be pruned by it. */
import type { FieldError } from "../../api/field-error.ts";
import { forbidden, invalid, notSupported, required } from "../../api/field-error.ts";
import { goPattern } from "../../cel/go-pattern.ts";
import type { JsonSchema } from "./json-schema.ts";
import { own, valueSchema } from "./json-schema.ts";
import { validateListType } from "./list-type-rules.ts";

const types = ["array", "boolean", "integer", "number", "object", "string"];
const unsupported = ["$ref", "definitions", "dependencies", "id", "patternProperties"];

/** The position of a schema in the tree, which decides the message about a missing type. */
type Role = "root" | "field" | "item";

const typeMissing: Readonly<Record<Role, string>> = {
  root: "must not be empty at the root",
  field: "must not be empty for specified object fields",
  item: "must not be empty for specified array items",
};

export function validateStructure(schema: JsonSchema, path: string): FieldError[] {
  return [...validateRoot(schema, path), ...validateNode(schema, path, "root")];
}

function validateRoot(schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.nullable === true) {
    errors.push(forbidden(`${path}.nullable`, "nullable cannot be true at the root"));
  }
  if (schema.type !== undefined && schema.type !== "object" && types.includes(schema.type)) {
    errors.push(invalid(`${path}.type`, schema.type, "must be object at the root"));
  }
  for (const key of ["apiVersion", "kind"]) {
    const type = own(schema.properties, key)?.type;
    if (type === undefined || type === "string") continue;
    errors.push(invalid(`${path}.properties[${key}].type`, type, "must be string"));
  }
  const metadata = own(schema.properties, "metadata");
  return metadata === undefined ? errors : [...errors, ...validateMetadata(metadata, path)];
}

function validateMetadata(metadata: JsonSchema, path: string): FieldError[] {
  const at = `${path}.properties[metadata]`;
  const names = Object.keys(metadata.properties ?? {});
  const isPlain = names.every((name) => name === "name" || name === "generateName");
  if (isPlain) return [];
  const problem =
    "must not specify anything other than name and generateName, but metadata is implicitly specified";
  return [forbidden(at, problem)];
}

function validateNode(schema: JsonSchema, path: string, role: Role): FieldError[] {
  const rest = valueSchema(schema);
  return [
    ...validateType(schema, path, role),
    ...validateKeywords(schema, path),
    ...validateExtensions(schema, path),
    ...validateListType(schema, path),
    ...validateCombinations(schema, path),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, part]) =>
      validateNode(part, `${path}.properties[${key}]`, "field"),
    ),
    ...(rest === undefined ? [] : validateNode(rest, `${path}.additionalProperties`, "field")),
    ...(schema.items === undefined ? [] : validateNode(schema.items, `${path}.items`, "item")),
  ];
}

function validateType(schema: JsonSchema, path: string, role: Role): FieldError[] {
  const { type = "" } = schema;
  const needsNone =
    schema["x-kubernetes-int-or-string"] === true ||
    schema["x-kubernetes-preserve-unknown-fields"] === true ||
    schema["$ref"] !== undefined;
  if (type === "") {
    return needsNone && role !== "root" ? [] : [required(`${path}.type`, typeMissing[role])];
  }
  return types.includes(type) ? [] : [notSupported(`${path}.type`, type, types)];
}

function validateKeywords(schema: JsonSchema, path: string): FieldError[] {
  const errors = unsupported
    .filter((keyword) => schema[keyword] !== undefined)
    .map((keyword) => forbidden(`${path}.${keyword}`, `${keyword} is not supported`));
  if (schema.uniqueItems === true) {
    const problem =
      "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbidden(`${path}.uniqueItems`, problem));
  }
  if (schema.type === "array" && schema.items === undefined) {
    errors.push(required(`${path}.items`, "must be specified"));
  }
  if (schema.additionalProperties !== undefined && schema.properties !== undefined) {
    const problem = "additionalProperties and properties are mutual exclusive";
    errors.push(forbidden(`${path}.additionalProperties`, problem));
  }
  return [...errors, ...validatePattern(schema, path)];
}

function validatePattern({ pattern }: JsonSchema, path: string): FieldError[] {
  const compiled = pattern === undefined ? undefined : goPattern(pattern);
  if (compiled === undefined || !("problem" in compiled)) return [];
  const problem = `must be a valid regular expression, but isn't: ${compiled.problem}`;
  return [invalid(`${path}.pattern`, pattern, problem)];
}

function validateExtensions(schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    const at = `${path}.x-kubernetes-preserve-unknown-fields`;
    errors.push(invalid(at, false, "must be true or undefined"));
  }
  if (schema["x-kubernetes-embedded-resource"] === true) {
    if (schema.type !== "object") {
      const problem = "must be object if x-kubernetes-embedded-resource is true";
      errors.push(invalid(`${path}.type`, schema.type ?? "", problem));
    }
    const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
    if (schema.properties === undefined && !isOpen) {
      const problem =
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
      errors.push(required(`${path}.properties`, problem));
    }
  }
  return errors;
}

/** What a schema inside anyOf, oneOf, allOf or not must not contain: only the outer schema defines the structure. */
const shaping: readonly (readonly [keyword: string, problem: string])[] = [
  ["type", "must be empty to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["default", "must be undefined to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be undefined to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
];

function validateCombinations(schema: JsonSchema, path: string): FieldError[] {
  const isEither = schema["x-kubernetes-int-or-string"] === true;
  const { not } = schema;
  return [
    ...(["anyOf", "oneOf", "allOf"] as const).flatMap((keyword) =>
      (schema[keyword] ?? []).flatMap((part, index) =>
        validateBranch(part, `${path}.${keyword}[${index}]`, isEither),
      ),
    ),
    ...(not === undefined ? [] : validateBranch(not, `${path}.not`, false)),
  ];
}

/** `anyOf: [{type: integer}, {type: string}]` is how int-or-string is usually spelt out. */
const isPlainType = (schema: JsonSchema): boolean =>
  Object.keys(schema).length === 1 && (schema.type === "integer" || schema.type === "string");

function validateBranch(schema: JsonSchema, path: string, isEither: boolean): FieldError[] {
  if (isEither && isPlainType(schema)) return [];
  const errors = shaping
    .filter(([keyword]) => schema[keyword] !== undefined && schema[keyword] !== false)
    .map(([keyword, problem]) => forbidden(`${path}.${keyword}`, problem));
  const parts = Object.entries(schema.properties ?? {}).flatMap(([key, part]) =>
    validateBranch(part, `${path}.properties[${key}]`, false),
  );
  const items =
    schema.items === undefined ? [] : validateBranch(schema.items, `${path}.items`, false);
  return [...errors, ...parts, ...items, ...validateCombinations(schema, path)];
}
