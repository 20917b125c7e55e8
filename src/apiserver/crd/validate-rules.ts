/** Evaluates the compiled rules of a schema on an object, and on its old state for transition rules. */
import type { FieldError, FieldErrorType } from "../../api/field-error.ts";
import { fieldErrorText } from "../../api/field-error.ts";
import { RuleProblem } from "./cel/rule-problem.ts";
import type { Correlation } from "./correlation.ts";
import { isUnchanged, ofItem, ofProperty } from "./correlation.ts";
import { childPath, isMap } from "./json-schema.ts";
import type { CompiledRule, RuleNode } from "./rule-set.ts";
import { typeName } from "./scalar-checks.ts";

export interface RuleResults {
  readonly errors: readonly FieldError[];
  /** Rules that an unchanged part breaks: they cause a warning, not a refusal. */
  readonly warnings: readonly string[];
}

export function validateRules(
  node: RuleNode,
  value: unknown,
  correlation: Correlation,
): RuleResults {
  const run: Run = { errors: [], warnings: [] };
  visit(node, value, { path: "", correlation }, run);
  return run;
}

interface Run {
  readonly errors: FieldError[];
  readonly warnings: string[];
}

interface Place {
  readonly path: string;
  readonly correlation: Correlation;
}

function visit(node: RuleNode, value: unknown, place: Place, run: Run): void {
  // A nullable null has nothing to check.
  if (value === null || value === undefined) return;
  if (node.rules.length > 0) checkRules(node, value, place, run);
  const { path, correlation } = place;
  if (Array.isArray(value)) {
    const { items } = node;
    if (items === undefined) return;
    const correlated = ofItem(node.schema, value, correlation);
    value.forEach((item: unknown, index) => {
      visit(items, item, { path: `${path}[${index}]`, correlation: correlated(item) }, run);
    });
    return;
  }
  if (!isMap(value)) return;
  for (const [key, part] of Object.entries(value)) {
    const listed = node.properties.get(key);
    const inner = listed ?? (node.schema.properties?.[key] === undefined ? node.values : undefined);
    if (inner === undefined) continue;
    const innerPath = listed === undefined ? `${path}[${key}]` : childPath(path, key);
    const at = ofProperty(node.schema, value, correlation, key);
    visit(inner, part, { path: innerPath, correlation: at }, run);
  }
}

function checkRules(node: RuleNode, value: unknown, place: Place, run: Run): void {
  const { old } = place.correlation;
  const self = node.convert(value);
  const oldSelf = old === undefined || old === null ? undefined : node.convert(old);
  for (const compiled of node.rules) {
    const { usesOldSelf } = compiled.rule;
    const isTransition = usesOldSelf && compiled.source.optionalOldSelf !== true;
    // Without an old value there is no transition to check.
    if (isTransition && oldSelf === undefined) continue;
    const error = checkRule(compiled, { value, self, oldSelf }, place.path);
    if (error === undefined) continue;
    if (!usesOldSelf && isUnchanged(value, place.correlation))
      run.warnings.push(fieldErrorText(error));
    else run.errors.push(error);
  }
}

interface Subject {
  readonly value: unknown;
  readonly self: unknown;
  readonly oldSelf: unknown;
}

function checkRule(compiled: CompiledRule, subject: Subject, path: string): FieldError | undefined {
  const { source, rule } = compiled;
  try {
    assertAffordable(rule.loopDepth, subject.value);
    if (rule.evaluate(subject.self, subject.oldSelf) === true) return undefined;
  } catch (error) {
    if (!(error instanceof RuleProblem)) throw error;
    const shown = source.message?.trim() ?? source.rule.trim();
    const detail = `${error.message} evaluating rule: ${shown}`;
    return { type: "Invalid", field: path, value: typeName(subject.value), detail };
  }
  return failure(compiled, subject, path);
}

function failure(compiled: CompiledRule, subject: Subject, path: string): FieldError {
  const { source } = compiled;
  const type = errorTypes[source.reason ?? ""] ?? "Invalid";
  const within = (source.fieldPath ?? "").replaceAll(/\['([^']*)'\]/g, "[$1]");
  const field = `${path}${within}`.replace(/^\./, "");
  // Objects and lists are too long to repeat, and a field path makes the value another one.
  const isShown = typeof subject.value !== "object" && (source.fieldPath ?? "") === "";
  const value = isShown ? subject.value : undefined;
  if (type === "Duplicate") return { type, field, value };
  return { type, field, value, detail: messageOf(compiled, subject) };
}

const errorTypes: Readonly<Record<string, FieldErrorType>> = {
  FieldValueInvalid: "Invalid",
  FieldValueForbidden: "Forbidden",
  FieldValueRequired: "Required",
  FieldValueDuplicate: "Duplicate",
};

const longestMessage = 5 * 1024;

function messageOf({ source, message }: CompiledRule, subject: Subject): string {
  if (message !== undefined) {
    try {
      const text = message.evaluate(subject.self, subject.oldSelf);
      if (typeof text === "string" && isUsable(text)) return text.trim();
    } catch (error) {
      if (!(error instanceof RuleProblem)) throw error;
    }
  }
  const fixed = source.message?.trim() ?? "";
  return fixed === "" ? `failed rule: ${source.rule.trim()}` : fixed;
}

const isUsable = (text: string): boolean =>
  text.trim() !== "" && !text.includes("\n") && text.length <= longestMessage;

const mostSteps = 10_000_000;

/** Nested loops over a large value could block the server for minutes; such a rule is refused instead. */
function assertAffordable(loopDepth: number, value: unknown): void {
  if (loopDepth < 2) return;
  if (partCount(value) ** loopDepth <= mostSteps) return;
  throw new RuleProblem("operation cancelled: actual cost limit exceeded");
}

function partCount(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + partCount(part), 1);
}
