/** One thing wrong with one field, worded as Kubernetes words it, and the text of a list of them. */

export type FieldErrorType =
  | "Required"
  | "Invalid"
  | "NotSupported"
  | "Duplicate"
  | "NotFound"
  | "Forbidden"
  | "TooLong"
  | "TooShort"
  | "TooMany"
  | "TooFew"
  | "TypeInvalid"
  | "Internal";

export interface FieldError {
  readonly type: FieldErrorType;
  /** Path from the object's root: `spec.containers[0].image`. */
  readonly field: string;
  /** The offending value; `undefined` prints nothing. */
  readonly value?: unknown;
  /** What is wrong and what would be right. */
  readonly detail?: string;
}

/** The value of `causes[].reason` in a Status. */
export const causeReasons: Record<FieldErrorType, string> = {
  Required: "FieldValueRequired",
  Invalid: "FieldValueInvalid",
  NotSupported: "FieldValueNotSupported",
  Duplicate: "FieldValueDuplicate",
  NotFound: "FieldValueNotFound",
  Forbidden: "FieldValueForbidden",
  TooLong: "FieldValueTooLong",
  TooShort: "FieldValueTooShort",
  TooMany: "FieldValueTooMany",
  TooFew: "FieldValueTooFew",
  TypeInvalid: "FieldValueTypeInvalid",
  Internal: "InternalError",
};

const words: Record<FieldErrorType, string> = {
  Required: "Required value",
  Invalid: "Invalid value",
  NotSupported: "Unsupported value",
  Duplicate: "Duplicate value",
  NotFound: "Not found",
  Forbidden: "Forbidden",
  TooLong: "Too long",
  TooShort: "Too short",
  TooMany: "Too many",
  TooFew: "Too few",
  TypeInvalid: "Invalid value",
  Internal: "Internal error",
};

const typesWithoutValue: ReadonlySet<FieldErrorType> = new Set([
  "Required",
  "Forbidden",
  "TooLong",
  "TooShort",
  "Internal",
]);

export function required(field: string, detail = ""): FieldError {
  return { type: "Required", field, detail };
}

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { type: "Invalid", field, value, detail };
}

export function notSupported(
  field: string,
  value: unknown,
  supported: readonly string[],
): FieldError {
  const listed = supported.map(quoted).join(", ");
  const detail = listed === "" ? "" : `supported values: ${listed}`;
  return { type: "NotSupported", field, value, detail };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { type: "Duplicate", field, value };
}

export function notFound(field: string, value: unknown): FieldError {
  return { type: "NotFound", field, value };
}

export function forbidden(field: string, detail: string): FieldError {
  return { type: "Forbidden", field, detail };
}

export function tooLong(field: string, maxBytes: number): FieldError {
  const unit = maxBytes === 1 ? "byte" : "bytes";
  return { type: "TooLong", field, detail: `may not be more than ${maxBytes} ${unit}` };
}

export function tooMany(field: string, count: number, most: number): FieldError {
  const unit = most === 1 ? "item" : "items";
  return { type: "TooMany", field, value: count, detail: `must have at most ${most} ${unit}` };
}

/** Everything but the field: `Invalid value: "x": must be y`. This is a cause's message. */
export function fieldErrorBody(error: FieldError): string {
  const shown = typesWithoutValue.has(error.type) ? undefined : valueText(error.value);
  return [words[error.type], shown, error.detail === "" ? undefined : error.detail]
    .filter((part) => part !== undefined)
    .join(": ");
}

export function fieldErrorText(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

/** One error as it is, several as `[a, b]`, the same text once. */
export function fieldErrorsText(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(fieldErrorText))];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

/** The message of an Invalid status: `StatefulSet.apps "x" is invalid: spec.a: Required value`. */
export function invalidMessage(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): string {
  const groupKind = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  const head = `${groupKind} ${quoted(name)} is invalid`;
  return errors.length === 0 ? head : `${head}: ${fieldErrorsText(errors)}`;
}

/** A string as Go quotes it; differs from JSON only in control characters. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/\\u00([01][0-9a-f])/g, String.raw`\x$1`);
}

function valueText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string") return quoted(value);
  return JSON.stringify(value).replaceAll(/[<>&]/g, htmlEscaped);
}

/** Go's JSON encoder keeps its output harmless inside HTML; so does every message built by it. */
function htmlEscaped(character: string): string {
  return String.raw`\u00` + character.charCodeAt(0).toString(16);
}
