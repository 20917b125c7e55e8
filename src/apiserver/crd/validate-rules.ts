/** Evaluates the compiled rules of a schema on an object, and on its old state for transition rules. */
import type { FieldError, FieldErrorType } from "../../api/field-error.ts";
import { fieldErrorText } from "../../api/field-error.ts";
import { perObjectLimit } from "../../cel/cost.ts";
import { costLimitExceeded } from "../../cel/rule-problem.ts";
import type { Evaluated } from "./cel/evaluate-rule.ts";
import type { Correlation } from "./correlation.ts";
import { isUnchanged, ofItem, ofProperty } from "./correlation.ts";
import { childPath, isMap } from "./json-schema.ts";
import type { Converted } from "./cel/schema-types.ts";
import type { CompiledRule, RuleNode } from "./rule-set.ts";
import { typeName } from "./scalar-checks.ts";
import type { ValidationRun } from "./validation-run.ts";

/** More than the headers of an answer hold. */
const mostWarnings = 100;

/**
 * Adds what the rules object to, and returns the warnings: rules that an unchanged part breaks do not refuse it.
 */
export function validateRules(
  node: RuleNode,
  value: unknown,
  correlation: Correlation,
  findings: ValidationRun,
): readonly string[] {
  const run: Run = { findings, warnings: [], converted: new Map(), budget: perObjectLimit };
  visit(node, value, { path: "", correlation }, run);
  return run.warnings;
}

interface Run {
  readonly findings: ValidationRun;
  readonly warnings: string[];
  readonly converted: Converted;
  /** What all rules together may still cost; below 0 no further one is run. */
  budget: number;
}

interface Place {
  readonly path: string;
  readonly correlation: Correlation;
}

/** Values never change once stored: what satisfied the rules before is charged for, and not looked at again. */
function visit(node: RuleNode, value: unknown, place: Place, run: Run): void {
  // A nullable null has nothing to check.
  if (value === null || value === undefined || run.budget < 0) return;
  if (node.satisfied === undefined || typeof value !== "object") {
    return visitAfresh(node, value, place, run);
  }
  const cost = node.satisfied.get(value);
  if (cost !== undefined && run.budget >= cost) {
    run.budget -= cost;
    return;
  }
  const { budget, findings, warnings } = run;
  const found = findings.errors.length + warnings.length;
  visitAfresh(node, value, place, run);
  const isSatisfied = findings.errors.length + warnings.length === found && run.budget >= 0;
  if (isSatisfied) node.satisfied.set(value, budget - run.budget);
}

function visitAfresh(node: RuleNode, value: unknown, place: Place, run: Run): void {
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
  const valueOf = (json: unknown): unknown =>
    run.converted.get(json) ?? node.convert(json, run.converted);
  const self = valueOf(value);
  const oldSelf = old === undefined || old === null ? undefined : valueOf(old);
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
    if (usesOldSelf || !unchanged) run.findings.add(error);
    else if (run.warnings.length < mostWarnings) run.warnings.push(fieldErrorText(error));
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
function spend(run: Run, { cost, patternSteps }: Evaluated): boolean {
  run.findings.patternSteps(patternSteps);
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
  const message = messageOf(compiled, subject, run);
  if (message.isTooCostly) {
    run.budget = -1;
    return { type: "Invalid", field, value: typeName(subject.value), detail: message.text };
  }
  return type === "Duplicate"
    ? { type, field, value }
    : { type, field, value, detail: message.text };
}

const errorTypes: Readonly<Record<string, FieldErrorType>> = {
  FieldValueInvalid: "Invalid",
  FieldValueForbidden: "Forbidden",
  FieldValueRequired: "Required",
  FieldValueDuplicate: "Duplicate",
};

const longestMessage = 5 * 1024;

interface Message {
  readonly text: string;
  readonly isTooCostly?: true;
}

const messageOutOfBudget =
  "messageExpression evaluation failed due to running out of cost budget, " +
  "no further validation rules will be run";

function messageOf({ source, message }: CompiledRule, subject: Subject, run: Run): Message {
  const fixed = source.message?.trim() ?? "";
  const plain = { text: fixed === "" ? `failed rule: ${source.rule.trim()}` : fixed };
  if (message === undefined) return plain;
  const evaluated = message.evaluate(subject.self, subject.oldSelf);
  if ("problem" in evaluated && evaluated.problem === costLimitExceeded) {
    const why = "no further validation rules will be run due to call cost exceeds limit for";
    const expression = JSON.stringify(source.messageExpression);
    return { text: `${why} messageExpression: ${expression}`, isTooCostly: true };
  }
  if (!spend(run, evaluated)) return { text: messageOutOfBudget, isTooCostly: true };
  const text = "value" in evaluated ? evaluated.value : undefined;
  return typeof text === "string" && isUsable(text) ? { text: text.trim() } : plain;
}

const isUsable = (text: string): boolean =>
  text.trim() !== "" && !text.includes("\n") && text.length <= longestMessage;
