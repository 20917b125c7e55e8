/** Which texts may be keys and values of labels, and which annotations are too much. */
import { dns1123SubdomainProblems } from "./dns-name.ts";
import { invalid, tooLong, type FieldError } from "./field-error.ts";
import { emptyProblem, patternProblem, tooLongProblem } from "./problem-text.ts";
import { byteLength, isLongerThan } from "./text-size.ts";

const keyName = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const keyNamePattern = new RegExp(`^${keyName}$`);
const labelValue = `(${keyName})?`;
const labelValuePattern = new RegExp(`^${labelValue}$`);
const maxBytes = 63;
const annotationsMaxBytes = 256 * 1024;

const keyNameProblem = patternProblem(
  "must consist of alphanumeric characters, '-', '_' or '.', " +
    "and must start and end with an alphanumeric character",
  keyName,
  "MyName",
  "my.name",
  "123-abc",
);

/** `name` or `prefix.example/name`: label keys, annotation keys, finalizers, resource names. */
export function qualifiedNameProblems(value: string): string[] {
  const parts = value.split("/");
  if (parts.length > 2) {
    const form = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a valid label key ${keyNameProblem} ${form}`];
  }
  const name = parts.at(-1) ?? "";
  const prefix = parts.length === 2 ? parts[0] : undefined;
  return [...prefixProblems(prefix), ...namePartProblems(name)];
}

export function labelValueProblems(value: string): string[] {
  const problems = isLongerThan(value, maxBytes) ? [tooLongProblem(maxBytes, "bytes")] : [];
  if (labelValuePattern.test(value)) return problems;
  const message =
    "a valid label must be an empty string or consist of alphanumeric characters, " +
    "'-', '_' or '.', and must start and end with an alphanumeric character";
  return [...problems, patternProblem(message, labelValue, "MyValue", "my_value", "12345")];
}

export function validateLabelKey(key: string, path: string): FieldError[] {
  return qualifiedNameProblems(key).map((problem) => invalid(path, key, problem));
}

export function validateLabels(
  labels: Readonly<Record<string, string>> | undefined,
  path: string,
): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...validateLabelKey(key, path),
    ...labelValueProblems(value).map((problem) => invalid(path, value, problem)),
  ]);
}

export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    size += byteLength(key) + byteLength(value);
    // Upper case is fine even in the prefix, unlike in labels.
    for (const problem of qualifiedNameProblems(key.toLowerCase())) {
      errors.push(invalid(path, key, problem));
    }
  }
  if (size > annotationsMaxBytes) errors.push(tooLong(path, annotationsMaxBytes));
  return errors;
}

function prefixProblems(prefix: string | undefined): string[] {
  if (prefix === undefined) return [];
  const problems = prefix === "" ? [emptyProblem] : dns1123SubdomainProblems(prefix, "bytes");
  return problems.map((problem) => `prefix part ${problem}`);
}

function namePartProblems(name: string): string[] {
  const problems: string[] = [];
  if (name === "") problems.push(emptyProblem);
  if (isLongerThan(name, maxBytes)) problems.push(tooLongProblem(maxBytes, "bytes"));
  if (!keyNamePattern.test(name)) problems.push(keyNameProblem);
  return problems.map((problem) => `name part ${problem}`);
}
