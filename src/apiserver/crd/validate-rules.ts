/** Evaluates the compiled rules of a schema on an object, and on its old state for transition rules. */
import type { FieldError, FieldErrorType } from "../../api/field-error.ts";
import { fieldErrorText } from "../../api/field-error.ts";
import { perObjectLimit } from "../../cel/cost.ts";
import { costLimitExceeded } from "../../cel/rule-problem.ts";
import type { Evaluated } from "./cel/evaluate-rule.ts";
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
  const run: Run = { errors: [], warnings: [], budget: perObjectLimit };
  visit(node, value, { path: "", correlation }, run);
  return run;
}

interface Run {
  readonly errors: FieldError[];
  readonly warnings: string[];
  /** What all rules together may still cost; below 0 no further one is run. */
  budget: number;
}

interface Place {
  readonly path: string;
  readonly correlation: Correlation;
}

function visit(node: RuleNode, value: unknown, place: Place, run: Run): void {
  // A nullable null has nothing to check.
  if (value === null || value === undefined || run.budget < 0) return;
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
  const subject: Subject = { value, self, oldSelf };
  let unchanged: boolean | undefined;
  for (const compiled of node.rules) {
    if (run.budget < 0) return;
    const { usesOldSelf } = compiled.rule;
    const isTransition = usesOldSelf && compiled.source.optionalOldSelf !== true;
    // Without an old value there is no transition to check.
    if (isTransition && oldSelf === undefined) continue;
    const error = checkRule(compiled, subject, place.path, run);
    if (error === undefined) continue;
    unchanged ??= isUnchanged(value, place.correlation);
    if (!usesOldSelf && unchanged) run.warnings.push(fieldErrorText(error));
    else run.errors.push(error);
  }
}

interface Subject {
  readonly value: unknown;
  readonly self: unknown;
  readonly oldSelf: unknown;
}

function checkRule(
  compiled: CompiledRule,
  subject: Subject,
  path: string,
  run: Run,
): FieldError | undefined {
  const { source, rule } = compiled;
  const evaluated = rule.evaluate(subject.self, subject.oldSelf);
  const shown = source.message?.trim() ?? source.rule.trim();
  const problem = (detail: string): FieldError => {
    return { type: "Invalid", field: path, value: typeName(subject.value), detail };
  };
  if ("problem" in evaluated && evaluated.problem === costLimitExceeded) {
    run.budget = -1;
    const why = "no further validation rules will be run due to call cost exceeds limit for rule";
    return problem(`'${evaluated.problem}': ${why}: ${shown}`);
  }
  if (!spend(run, evaluated)) return problem(outOfBudget);
  if ("problem" in evaluated) return problem(`${evaluated.problem} evaluating rule: ${shown}`);
  return evaluated.value === true ? undefined : failure(compiled, subject, path, run);
}

const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/** False where the object's rules have used up what they may cost. */
function spend(run: Run, { cost }: Evaluated): boolean {
  run.budget -= cost;
  return run.budget >= 0;
}

function failure(compiled: CompiledRule, subject: Subject, path: string, run: Run): FieldError {
  const { source } = compiled;
  const type = errorTypes[source.reason ?? ""] ?? "Invalid";
  const within = (source.fieldPath ?? "").replaceAll(/\['([^']*)'\]/g, "[$1]");
  const field = `${path}${within}`.replace(/^\./, "");
  // Objects and lists are too long to repeat, and a field path makes the value another one.
  const isShown = typeof subject.value !== "object" && (source.fieldPath ?? "") === "";
  const value = isShown ? subject.value : undefined;
  if (type === "Duplicate") return { type, field, value };
  return { type, field, value, detail: messageOf(compiled, subject, run) };
}

const errorTypes: Readonly<Record<string, FieldErrorType>> = {
  FieldValueInvalid: "Invalid",
  FieldValueForbidden: "Forbidden",
  FieldValueRequired: "Required",
  FieldValueDuplicate: "Duplicate",
};

const longestMessage = 5 * 1024;

function messageOf({ source, message }: CompiledRule, subject: Subject, run: Run): string {
  if (message !== undefined) {
    const evaluated = message.evaluate(subject.self, subject.oldSelf);
    const isAffordable = spend(run, evaluated);
    const text = "value" in evaluated && isAffordable ? evaluated.value : undefined;
    if (typeof text === "string" && isUsable(text)) return text.trim();
  }
  const fixed = source.message?.trim() ?? "";
  return fixed === "" ? `failed rule: ${source.rule.trim()}` : fixed;
}

const isUsable = (text: string): boolean =>
  text.trim() !== "" && !text.includes("\n") && text.length <= longestMessage;
