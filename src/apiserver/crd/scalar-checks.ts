/** The checks of one value that do not visit its parts: type, enum, bounds, lengths, pattern, format. */
import { isSameJson } from "../../api/same-json.ts";
import type { FieldError } from "../../api/field-error.ts";
import { invalid, notSupported, tooLong } from "../../api/field-error.ts";
import { matchesFormat } from "../../cel/formats.ts";
import type { GoPattern } from "../../cel/go-pattern.ts";
import { goPattern, PatternTooCostly } from "../../cel/go-pattern.ts";
import type { JsonSchema } from "./json-schema.ts";
import { isMap } from "./json-schema.ts";
import type { ValidationRun } from "./validation-run.ts";
import { nowhere } from "./validation-run.ts";

type Check = (value: unknown, path: string, run: ValidationRun) => void;

export function compileScalarChecks(schema: JsonSchema): readonly Check[] {
  return [
    typeCheck(schema),
    integerFormatCheck(schema),
    enumCheck(schema),
    textCheck(schema),
    formatCheck(schema),
    boundsCheck(schema),
    multipleCheck(schema),
  ].filter((check) => check !== undefined);
}

/** The type's name as messages give it. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (isMap(value)) return "object";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function typeCheck(schema: JsonSchema): Check | undefined {
  const isEither = schema["x-kubernetes-int-or-string"] === true;
  if (!isEither && (schema.type === undefined || schema.type === "")) return undefined;
  const allowed = isEither ? ["integer", "string"] : [schema.type ?? ""];
  return (value, path, run) => {
    const name = typeName(value);
    if (value === null && schema.nullable === true) return;
    if (allowed.includes(name) || (name === "integer" && allowed.includes("number"))) return;
    const detail = `${path} in body must be of type ${allowed.join(",")}: "${name}"`;
    run.add({ type: "TypeInvalid", field: path, value: name, detail });
  };
}

const int32 = { least: -(2 ** 31), most: 2 ** 31 - 1 };

/** Upstream checks that a number fits its Go type separately from its schema type, and names no field. */
function integerFormatCheck({ type, format }: JsonSchema): Check | undefined {
  if (type !== "integer") return undefined;
  const kind = format === undefined || format === "" ? "(default format)" : `with format ${format}`;
  return (value, path, run) => {
    if (typeof value !== "number") return;
    const fits =
      Number.isInteger(value) &&
      (format !== "int32" || (value >= int32.least && value <= int32.most));
    if (fits) return;
    const detail = `Checked value must be of type integer ${kind} in ${path}`;
    run.add(invalid(nowhere, "", detail));
  };
}

function enumCheck(schema: JsonSchema): Check | undefined {
  const { enum: allowed } = schema;
  if (allowed === undefined || allowed.length === 0) return undefined;
  const listed = allowed.map((value) =>
    typeof value === "string" ? value : JSON.stringify(value),
  );
  // Looked up, since a list may hold as many values as the enumeration does.
  const scalars = new Set(allowed.filter(isScalar));
  const others = allowed.filter((value) => !isScalar(value));
  return (value, path, run) => {
    if (value === null && schema.nullable === true) return;
    if (scalars.has(value)) return;
    for (const candidate of isScalar(value) ? [] : others) {
      run.step();
      if (isSameJson(candidate, value)) return;
    }
    run.add(notSupported(path, value, listed));
  };
}

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null;

/** Code points, not UTF-16 units. */
function characterCount(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; count++) {
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  }
  return count;
}

type TextCheck = (value: string, path: string, run: ValidationRun) => FieldError | undefined;

/** One complaint about a text is enough: a text of a wrong length is not compared with the pattern. */
function textCheck(schema: JsonSchema): Check | undefined {
  const checks = [lengthCheck(schema), patternCheck(schema)].filter((check) => check !== undefined);
  if (checks.length === 0) return undefined;
  return (value, path, run) => {
    if (typeof value !== "string") return;
    for (const check of checks) {
      const error = check(value, path, run);
      if (error === undefined) continue;
      run.add(error);
      return;
    }
  };
}

function lengthCheck({ minLength, maxLength }: JsonSchema): TextCheck | undefined {
  if (minLength === undefined && maxLength === undefined) return undefined;
  return (value, path) => {
    const length = characterCount(value);
    if (maxLength !== undefined && length > maxLength) return tooLong(path, maxLength);
    if (minLength === undefined || length >= minLength) return undefined;
    return invalid(path, value, `${path} in body should be at least ${minLength} chars long`);
  };
}

function patternCheck({ pattern }: JsonSchema): TextCheck | undefined {
  if (pattern === undefined || pattern === "") return undefined;
  const expression = goPattern(pattern);
  if ("problem" in expression) return undefined;
  return (value, path, run) => {
    run.patternSteps(expression.stepsFor(value));
    const problem = mismatch(expression, value);
    if (problem === undefined) return undefined;
    return invalid(path, value, `${path} in body should match '${pattern}'${problem}`);
  };
}

/** What follows "should match"; undefined where the value does. */
function mismatch(expression: GoPattern, value: string): string | undefined {
  try {
    return expression.test(value) ? undefined : "";
  } catch (error) {
    if (error instanceof PatternTooCostly) return `, but is ${error.message}`;
    throw error;
  }
}

function formatCheck({ format }: JsonSchema): Check | undefined {
  if (format === undefined || format === "") return undefined;
  return (value, path, run) => {
    if (typeof value !== "string" || matchesFormat(format, value)) return;
    const detail = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
    run.add({ type: "TypeInvalid", field: path, value, detail });
  };
}

function boundsCheck(schema: JsonSchema): Check | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (minimum === undefined && maximum === undefined) return undefined;
  const above = exclusiveMinimum === true ? "greater than" : "greater than or equal to";
  const below = exclusiveMaximum === true ? "less than" : "less than or equal to";
  return (value, path, run) => {
    if (typeof value !== "number") return;
    const isLow =
      minimum !== undefined && (exclusiveMinimum === true ? value <= minimum : value < minimum);
    const isHigh =
      maximum !== undefined && (exclusiveMaximum === true ? value >= maximum : value > maximum);
    if (isHigh) run.add(invalid(path, value, `${path} in body should be ${below} ${maximum}`));
    if (isLow) run.add(invalid(path, value, `${path} in body should be ${above} ${minimum}`));
  };
}

function multipleCheck({ multipleOf }: JsonSchema): Check | undefined {
  if (multipleOf === undefined || multipleOf === 0) return undefined;
  return (value, path, run) => {
    if (typeof value !== "number" || Number.isInteger(value / multipleOf)) return;
    run.add(invalid(path, value, `${path} in body should be a multiple of ${multipleOf}`));
  };
}
