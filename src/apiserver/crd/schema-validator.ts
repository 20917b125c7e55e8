/** Checks a value against a structural schema, with the messages of the OpenAPI library in kube-apiserver. */
import type { FieldError } from "../../api/field-error.ts";
import { invalid, required, tooMany } from "../../api/field-error.ts";
import type { Correlation } from "./correlation.ts";
import { isUnchanged, ofItem, ofProperty, uncorrelated } from "./correlation.ts";
import type { JsonMap, JsonSchema } from "./json-schema.ts";
import { childPath, isMap, own, valueSchema } from "./json-schema.ts";
import { compileScalarChecks } from "./scalar-checks.ts";

/** Adds what is wrong with `value` to `errors`. */
export type Check = (value: unknown, path: string, errors: FieldError[]) => void;

/** As Check, and skips the parts that are equal to the stored ones. */
export type Validator = (
  value: unknown,
  path: string,
  errors: FieldError[],
  correlation: Correlation,
) => void;

/** A message that belongs to no field: upstream prints its missing path this way. */
export const nowhere = "<nil>";

export function compileValidator(schema: JsonSchema): Validator {
  const checks = compileScalarChecks(schema);
  const onMap = compileMapCheck(schema);
  const onList = compileListCheck(schema);
  const onCombination = compileCombinations(schema);
  return (value, path, errors, correlation) => {
    // An invalid value that was stored before the schema changed is accepted until it is changed.
    if (correlation !== uncorrelated && correlation.old !== undefined) {
      if (isUnchanged(value, correlation)) return;
    }
    for (const check of checks) check(value, path, errors);
    if (value === null) return;
    if (Array.isArray(value)) onList(value, path, errors, correlation);
    else if (isMap(value)) onMap(value, path, errors, correlation);
    onCombination(value, path, errors, correlation);
  };
}

type MapCheck = (map: JsonMap, path: string, errors: FieldError[], at: Correlation) => void;
type ListCheck = (list: unknown[], path: string, errors: FieldError[], at: Correlation) => void;

function compileMapCheck(schema: JsonSchema): MapCheck {
  const properties = new Map(
    Object.entries(schema.properties ?? {}).map(([key, part]) => [key, compileValidator(part)]),
  );
  const rest = valueSchema(schema);
  const onRest = rest === undefined ? undefined : compileValidator(rest);
  const needed = schema.required ?? [];
  return (map, path, errors, correlation) => {
    checkPropertyCount(schema, Object.keys(map).length, path, errors);
    for (const key of needed) {
      if (own(map, key) === undefined) errors.push(required(childPath(path, key)));
    }
    for (const key of Object.keys(map)) {
      const onValue = properties.get(key) ?? onRest;
      if (onValue === undefined) continue;
      onValue(map[key], childPath(path, key), errors, ofProperty(schema, map, correlation, key));
    }
  };
}

function checkPropertyCount(
  { minProperties, maxProperties }: JsonSchema,
  count: number,
  path: string,
  errors: FieldError[],
): void {
  if (minProperties !== undefined && count < minProperties) {
    const detail = `${path} in body should have at least ${minProperties} properties`;
    errors.push(invalid(path, count, detail));
  }
  if (maxProperties !== undefined && count > maxProperties) {
    errors.push(tooMany(path, count, maxProperties));
  }
}

function compileListCheck(schema: JsonSchema): ListCheck {
  const onItem = schema.items === undefined ? undefined : compileValidator(schema.items);
  const { minItems, maxItems } = schema;
  return (list, path, errors, correlation) => {
    if (minItems !== undefined && list.length < minItems) {
      const detail = `${path} in body should have at least ${minItems} items`;
      errors.push(invalid(path, list.length, detail));
    }
    if (maxItems !== undefined && list.length > maxItems) {
      errors.push(tooMany(path, list.length, maxItems));
    }
    if (onItem === undefined) return;
    const correlated = ofItem(schema, list, correlation);
    list.forEach((item, index) => {
      onItem(item, `${path}[${index}]`, errors, correlated(item));
    });
  };
}

const none: Validator = () => {};

function compileCombinations(schema: JsonSchema): Validator {
  const { allOf, anyOf, oneOf, not } = schema;
  if (allOf === undefined && anyOf === undefined && oneOf === undefined && not === undefined) {
    return none;
  }
  const branches = (parts: readonly JsonSchema[] = []) => parts.map(compileBranch);
  const all = branches(allOf);
  const any = branches(anyOf);
  const one = branches(oneOf);
  const never = branches(not === undefined ? [] : [not]);
  return (value, path, errors) => {
    if (any.length > 0) checkAny(any, value, path, errors);
    if (one.length > 0) checkOne(one, value, path, errors);
    if (all.length > 0) checkAll(all, value, path, errors);
    if (never.some((branch) => branch(value, path).length === 0)) {
      errors.push(combinationError(path, "must not validate the schema (not)"));
    }
  };
}

type Branch = (value: unknown, path: string) => FieldError[];

function compileBranch(schema: JsonSchema): Branch {
  const validate = compileValidator(schema);
  return (value, path) => {
    const errors: FieldError[] = [];
    validate(value, path, errors, uncorrelated);
    return errors;
  };
}

const combinationError = (path: string, problem: string): FieldError =>
  invalid(nowhere, "", `"${path}" ${problem}`);

function checkAny(
  any: readonly Branch[],
  value: unknown,
  path: string,
  errors: FieldError[],
): void {
  const results = any.map((branch) => branch(value, path));
  if (results.some((result) => result.length === 0)) return;
  errors.push(combinationError(path, "must validate at least one schema (anyOf)"));
  errors.push(...(results[0] ?? []));
}

function checkOne(
  one: readonly Branch[],
  value: unknown,
  path: string,
  errors: FieldError[],
): void {
  const results = one.map((branch) => branch(value, path));
  const valid = results.filter((result) => result.length === 0).length;
  if (valid === 1) return;
  const found = valid === 0 ? "none valid" : `${valid} valid alternatives`;
  const problem = `must validate one and only one schema (oneOf). Found ${found}`;
  errors.push(combinationError(path, problem));
  // The first alternative shows the reader what would have been accepted.
  if (valid === 0) errors.push(...(results[0] ?? []));
}

function checkAll(
  all: readonly Branch[],
  value: unknown,
  path: string,
  errors: FieldError[],
): void {
  const failures = all.flatMap((branch) => branch(value, path));
  if (failures.length === 0) return;
  errors.push(...failures, combinationError(path, "must validate all the schemas (allOf)"));
}
