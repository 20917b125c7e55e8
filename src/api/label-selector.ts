/** Structured label selectors: their value rules, their meaning and their text. */
import { forbidden, invalid, required, type FieldError } from "./field-error.ts";
import { labelValueProblems, validateLabelKey, validateLabels } from "./label-syntax.ts";

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export function validateLabelSelector(
  selector: LabelSelector | undefined,
  path: string,
): FieldError[] {
  const requirements = selector?.matchExpressions ?? [];
  return [
    ...validateLabels(selector?.matchLabels, `${path}.matchLabels`),
    ...requirements.flatMap((requirement, index) =>
      validateRequirement(requirement, `${path}.matchExpressions[${index}]`),
    ),
  ];
}

export function isEmptySelector(selector: LabelSelector): boolean {
  return (
    Object.keys(selector.matchLabels ?? {}).length === 0 &&
    (selector.matchExpressions ?? []).length === 0
  );
}

/** An absent selector matches nothing, an empty one everything. */
export function selectorMatches(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  if (selector === undefined) return false;
  const pairs = Object.entries(selector.matchLabels ?? {});
  return (
    pairs.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value) &&
    (selector.matchExpressions ?? []).every((requirement) =>
      requirementMatches(requirement, labels),
    )
  );
}

/** `app=web,tier in (a,b),!old`: the form a scale's status carries. */
export function selectorText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return "";
  const parts = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
      key,
      text: `${key}=${value}`,
    })),
    ...(selector.matchExpressions ?? []).map((requirement) => ({
      key: requirement.key,
      text: requirementText(requirement),
    })),
  ];
  return parts
    .toSorted((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1))
    .map((part) => part.text)
    .join(",");
}

function validateRequirement(requirement: LabelSelectorRequirement, path: string): FieldError[] {
  const values = requirement.values ?? [];
  return [
    ...validateOperator(requirement.operator, values, path),
    ...validateLabelKey(requirement.key, `${path}.key`),
    ...values.flatMap((value, index) =>
      labelValueProblems(value).map((problem) =>
        invalid(`${path}.values[${index}]`, value, problem),
      ),
    ),
  ];
}

function validateOperator(operator: string, values: readonly string[], path: string): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return [];
      return [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return [];
      return [
        forbidden(
          `${path}.values`,
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
      ];
    default:
      return [invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}

export function requirementMatches(
  { key, operator, values = [] }: LabelSelectorRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && includes(values, value);
    case "NotIn":
      return value === undefined || !includes(values, value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}

/** A selector may list as many values as an object holds, and is asked about every pod or cluster. */
function includes(values: readonly string[], value: string): boolean {
  if (values.length < leastForSet) return values.includes(value);
  const known = setsOfValues.get(values) ?? new Set(values);
  setsOfValues.set(values, known);
  return known.has(value);
}

const leastForSet = 32;
const setsOfValues = new WeakMap<readonly string[], ReadonlySet<string>>();

function requirementText({ key, operator, values = [] }: LabelSelectorRequirement): string {
  const listed = values.toSorted().join(",");
  switch (operator) {
    case "In":
      return `${key} in (${listed})`;
    case "NotIn":
      return `${key} notin (${listed})`;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return key;
  }
}
