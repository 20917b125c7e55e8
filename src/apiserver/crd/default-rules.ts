/** Checks that the defaults in a schema are valid against the schema itself. */
import { isSameJson } from "../../api/same-json.ts";
import type { FieldError } from "../../api/field-error.ts";
import { forbidden, invalid, required } from "../../api/field-error.ts";
import { uncorrelated } from "./correlation.ts";
import type { JsonSchema } from "./json-schema.ts";
import { isMap, valueSchema } from "./json-schema.ts";
import { prune } from "./prune.ts";
import { compileRuleSet } from "./rule-set.ts";
import { compileValidator } from "./schema-validator.ts";
import { validateRules } from "./validate-rules.ts";
import { ValidationRun } from "./validation-run.ts";

export function validateDefaults(schema: JsonSchema, path: string): FieldError[] {
  const root = schema.default === undefined ? [] : validateRootDefault(schema.default, path);
  return [...root, ...validateParts(schema, path, true)];
}

/** A default for the object as a whole would have to be a whole object. */
function validateRootDefault(value: unknown, path: string): FieldError[] {
  return ["apiVersion", "kind"]
    .filter((key) => !isMap(value) || typeof value[key] !== "string")
    .map((key) => required(`${path}.default.${key}`));
}

function validateParts(schema: JsonSchema, path: string, isRoot = false): FieldError[] {
  const rest = valueSchema(schema);
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, part]) => {
      const at = `${path}.properties[${key}]`;
      return isRoot && key === "metadata" ? forbidDefaults(part, at) : validateNode(part, at);
    }),
    ...(rest === undefined ? [] : validateNode(rest, `${path}.additionalProperties`)),
    ...(schema.items === undefined ? [] : validateNode(schema.items, `${path}.items`)),
  ];
}

function forbidDefaults(schema: JsonSchema, path: string): FieldError[] {
  const problem = "must not be set in top-level metadata";
  const self = schema.default === undefined ? [] : [forbidden(`${path}.default`, problem)];
  const parts = Object.entries(schema.properties ?? {}).flatMap(([key, part]) =>
    forbidDefaults(part, `${path}.properties[${key}]`),
  );
  return [...self, ...parts];
}

function validateNode(schema: JsonSchema, path: string): FieldError[] {
  return [...validateDefault(schema, path), ...validateParts(schema, path)];
}

function validateDefault(schema: JsonSchema, path: string): FieldError[] {
  const value = schema.default;
  if (value === undefined) return [];
  const at = `${path}.default`;
  if (!isSameJson(prune(value, schema).value, value)) {
    return [invalid(at, value, "must not have unknown fields")];
  }
  const run = new ValidationRun();
  run.completes(() => {
    compileValidator(schema)(value, "", run, uncorrelated);
    if (run.errors.length > 0) return;
    const { root, defects } = compileRuleSet(schema);
    if (root !== undefined && defects.length === 0) validateRules(root, value, uncorrelated, run);
  });
  return run.errors.map((error) => ({ ...error, field: below(at, error.field) }));
}

function below(path: string, field: string): string {
  if (field === "") return path;
  return field.startsWith("[") ? `${path}${field}` : `${path}.${field}`;
}
