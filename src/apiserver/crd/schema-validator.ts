/** Checks a value against a structural schema, with the messages of the OpenAPI library in kube-apiserver. */
import type { FieldError } from "../../api/field-error.ts";
import { invalid, required, tooMany } from "../../api/field-error.ts";
import type { Correlation } from "./correlation.ts";
import { isUnchanged, ofItem, ofProperty, uncorrelated } from "./correlation.ts";
import type { JsonMap, JsonSchema } from "./json-schema.ts";
import { childPath, isMap, own, valueSchema } from "./json-schema.ts";
import { compileScalarChecks } from "./scalar-checks.ts";
import type { ValidationRun } from "./validation-run.ts";
import { nowhere } from "./validation-run.ts";

/** Adds what is wrong with `value` to the run, and skips the parts that are equal to the stored ones. */
export type Validator = (
  value: unknown,
  path: string,
  run: ValidationRun,
  correlation: Correlation,
) => void;

export function compileValidator(schema: JsonSchema): Validator {
  const checks = compileScalarChecks(schema);
  const onMap = compileMapCheck(schema);
  const onList = compileListCheck(schema);
  const onCombination = compileCombinations(schema);
  return (value, path, run, correlation) => {
    run.step();
    // An invalid value that was stored before the schema changed is accepted until it is changed.
    if (correlation !== uncorrelated && correlation.old !== undefined) {
      if (isUnchanged(value, correlation)) return;
    }
    for (const check of checks) check(value, path, run);
    if (value === null) return;
    if (Array.isArray(value)) onList(value, path, run, correlation);
    else if (isMap(value)) onMap(value, path, run, correlation);
    onCombination(value, path, run, correlation);
  };
}

type MapCheck = (map: JsonMap, path: string, run: ValidationRun, at: Correlation) => void;
type ListCheck = (list: unknown[], path: string, run: ValidationRun, at: Correlation) => void;

function compileMapCheck(schema: JsonSchema): MapCheck {
  const properties = new Map(
    Object.entries(schema.properties ?? {}).map(([key, part]) => [key, compileValidator(part)]),
  );
  const rest = valueSchema(schema);
  const onRest = rest === undefined ? undefined : compileValidator(rest);
  const needed = schema.required ?? [];
  return (map, path, run, correlation) => {
    checkPropertyCount(schema, Object.keys(map).length, path, run);
    for (const key of needed) {
      if (own(map, key) === undefined) run.add(required(childPath(path, key)));
    }
    for (const key of Object.keys(map)) {
      const onValue = properties.get(key) ?? onRest;
      if (onValue === undefined) continue;
      onValue(map[key], childPath(path, key), run, ofProperty(schema, map, correlation, key));
    }
  };
}

function checkPropertyCount(
  { minProperties, maxProperties }: JsonSchema,
  count: number,
  path: string,
  run: ValidationRun,
): void {
  if (minProperties !== undefined && count < minProperties) {
    const detail = `${path} in body should have at least ${minProperties} properties`;
    run.add(invalid(path, count, detail));
  }
  if (maxProperties !== undefined && count > maxProperties) {
    run.add(tooMany(path, count, maxProperties));
  }
}

function compileListCheck(schema: JsonSchema): ListCheck {
  const onItem = schema.items === undefined ? undefined : compileValidator(schema.items);
  const { minItems, maxItems } = schema;
  return (list, path, run, correlation) => {
    if (minItems !== undefined && list.length < minItems) {
      const detail = `${path} in body should have at least ${minItems} items`;
      run.add(invalid(path, list.length, detail));
    }
    if (maxItems !== undefined && list.length > maxItems) {
      run.add(tooMany(path, list.length, maxItems));
    }
    if (onItem === undefined) return;
    const correlated = ofItem(schema, list, correlation);
    list.forEach((item, index) => {
      onItem(item, `${path}[${index}]`, run, correlated(item));
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
  return (value, path, run) => {
    const at = { value, path, run };
    if (any.length > 0) checkAny(any, at);
    if (one.length > 0) checkOne(one, at);
    if (all.length > 0) checkAll(all, at);
    if (never.some((branch) => branch(at).length === 0)) {
      run.add(combinationError(path, "must not validate the schema (not)"));
    }
  };
}

interface Place {
  readonly value: unknown;
  readonly path: string;
  readonly run: ValidationRun;
}

type Branch = (at: Place) => readonly FieldError[];

function compileBranch(schema: JsonSchema): Branch {
  const validate = compileValidator(schema);
  return ({ value, path, run }) => {
    const own = run.branch();
    validate(value, path, own, uncorrelated);
    return own.errors;
  };
}

const combinationError = (path: string, problem: string): FieldError =>
  invalid(nowhere, "", `"${path}" ${problem}`);

function checkAny(any: readonly Branch[], at: Place): void {
  const results = any.map((branch) => branch(at));
  if (results.some((result) => result.length === 0)) return;
  const [first = []] = results;
  at.run.add(combinationError(at.path, "must validate at least one schema (anyOf)"), ...first);
}

function checkOne(one: readonly Branch[], at: Place): void {
  const results = one.map((branch) => branch(at));
  const valid = results.filter((result) => result.length === 0).length;
  if (valid === 1) return;
  const found = valid === 0 ? "none valid" : `${valid} valid alternatives`;
  const problem = `must validate one and only one schema (oneOf). Found ${found}`;
  // The first alternative shows the reader what would have been accepted.
  const [first = []] = valid === 0 ? results : [];
  at.run.add(combinationError(at.path, problem), ...first);
}

function checkAll(all: readonly Branch[], at: Place): void {
  const failures = all.flatMap((branch) => branch(at));
  if (failures.length === 0) return;
  at.run.add(...failures, combinationError(at.path, "must validate all the schemas (allOf)"));
}
