/** The checks of one value that do not visit its parts: type, enum, bounds, lengths, pattern, format. */
import { isSameJson } from "../../api/same-json.ts";
import type { FieldError } from "../../api/field-error.ts";
import { invalid, notSupported, tooLong } from "../../api/field-error.ts";
import { matchesFormat } from "./formats.ts";
import type { GoPattern } from "../../cel/go-pattern.ts";
import { goPattern, PatternTooCostly } from "../../cel/go-pattern.ts";
import type { JsonSchema } from "./json-schema.ts";
import { isMap } from "./json-schema.ts";

type Check = (value: unknown, path: string, errors: FieldError[]) => void;

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
  return (value, path, errors) => {
    const name = typeName(value);
    if (value === null && schema.nullable === true) return;
    if (allowed.includes(name) || (name === "integer" && allowed.includes("number"))) return;
    const detail = `${path} in body must be of type ${allowed.join(",")}: "${name}"`;
    errors.push({ type: "TypeInvalid", field: path, value: name, detail });
  };
}

const int32 = { least: -(2 ** 31), most: 2 ** 31 - 1 };

/** Upstream checks that a number fits its Go type separately from its schema type, and names no field. */
function integerFormatCheck({ type, format }: JsonSchema): Check | undefined {
  if (type !== "integer") return undefined;
  const kind = format === undefined || format === "" ? "(default format)" : `with format ${format}`;
  return (value, path, errors) => {
    if (typeof value !== "number") return;
    const fits =
      Number.isInteger(value) &&
      (format !== "int32" || (value >= int32.least && value <= int32.most));
    if (fits) return;
    const detail = `Checked value must be of type integer ${kind} in ${path}`;
    errors.push(invalid("<nil>", "", detail));
  };
}

function enumCheck(schema: JsonSchema): Check | undefined {
  const { enum: allowed } = schema;
  if (allowed === undefined || allowed.length === 0) return undefined;
  const listed = allowed.map((value) =>
    typeof value === "string" ? value : JSON.stringify(value),
  );
  return (value, path, errors) => {
    if (value === null && schema.nullable === true) return;
    if (allowed.some((candidate) => isSameJson(candidate, value))) return;
    errors.push(notSupported(path, value, listed));
  };
}

/** Code points, not UTF-16 units. */
function characterCount(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; count++) {
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  }
  return count;
}

type TextCheck = (value: string, path: string) => FieldError | undefined;

/** One complaint about a text is enough: a text of a wrong length is not compared with the pattern. */
function textCheck(schema: JsonSchema): Check | undefined {
  const checks = [lengthCheck(schema), patternCheck(schema)].filter((check) => check !== undefined);
  if (checks.length === 0) return undefined;
  return (value, path, errors) => {
    if (typeof value !== "string") return;
    for (const check of checks) {
      const error = check(value, path);
      if (error !== undefined) return void errors.push(error);
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
  return (value, path) => {
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
  return (value, path, errors) => {
    if (typeof value !== "string" || matchesFormat(format, value)) return;
    const detail = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
    errors.push({ type: "TypeInvalid", field: path, value, detail });
  };
}

function boundsCheck(schema: JsonSchema): Check | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (minimum === undefined && maximum === undefined) return undefined;
  const above = exclusiveMinimum === true ? "greater than" : "greater than or equal to";
  const below = exclusiveMaximum === true ? "less than" : "less than or equal to";
  return (value, path, errors) => {
    if (typeof value !== "number") return;
    const isLow =
      minimum !== undefined && (exclusiveMinimum === true ? value <= minimum : value < minimum);
    const isHigh =
      maximum !== undefined && (exclusiveMaximum === true ? value >= maximum : value > maximum);
    if (isHigh) errors.push(invalid(path, value, `${path} in body should be ${below} ${maximum}`));
    if (isLow) errors.push(invalid(path, value, `${path} in body should be ${above} ${minimum}`));
  };
}

function multipleCheck({ multipleOf }: JsonSchema): Check | undefined {
  if (multipleOf === undefined || multipleOf === 0) return undefined;
  return (value, path, errors) => {
    if (typeof value !== "number" || Number.isInteger(value / multipleOf)) return;
    errors.push(invalid(path, value, `${path} in body should be a multiple of ${multipleOf}`));
  };
}
