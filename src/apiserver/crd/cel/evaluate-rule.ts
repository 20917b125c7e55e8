/** Compiles and evaluates single CEL rules; the only file that knows how the CEL library reports errors. */
import type { Environment } from "@marcbachmann/cel-js";
import { Optional } from "@marcbachmann/cel-js";
import { CostMeter, meterExpression } from "../../../cel/cost.ts";
import { functionNames } from "../../../cel/environment.ts";
import { mentions } from "../../../cel/expression-tree.ts";
import { parseRule } from "../../../cel/parse-rule.ts";
import { compileProblemText, evaluationProblemText } from "../../../cel/problem-text.ts";
import { costLimitExceeded, RuleProblem } from "../../../cel/rule-problem.ts";

/** What a rule sees: `self`, and `oldSelf` where it asks for it. */
export interface RuleScope {
  /** An environment that holds the types of the schema. */
  readonly environment: Environment;
  readonly selfType: string;
  readonly optionalOldSelf: boolean;
}

export interface CompiledExpression {
  readonly usesOldSelf: boolean;
  evaluate(self: unknown, oldSelf: unknown): Evaluated;
}

/** The value, or why there is none, and what it cost to find out. */
export type Evaluated = Spent & ({ readonly value: unknown } | { readonly problem: string });

interface Spent {
  readonly cost: number;
  /** Characters times instructions of the patterns that were matched. */
  readonly patternSteps: number;
}

/** Throws RuleProblem with the compiler's words where the expression is not valid or gives another type. */
export function compileExpression(
  expression: string,
  scope: RuleScope,
  wanted: "bool" | "string",
): CompiledExpression {
  const { environment, selfType, optionalOldSelf } = scope;
  const oldType = optionalOldSelf ? `optional<${selfType}>` : selfType;
  const scoped = environment
    .clone()
    .registerVariable("self", selfType)
    .registerVariable("oldSelf", oldType);
  const parsed = parseRule(scoped, expression);
  const result = parsed.check();
  if (!result.valid)
    throw new RuleProblem(compileProblemText(result.error, expression, functionNames()));
  if (result.type !== wanted && result.type !== "dyn") {
    throw new RuleProblem(`must evaluate to ${wanted === "bool" ? "a bool" : "a string"}`);
  }
  const wrap = (old: unknown): unknown => (old === undefined ? Optional.none() : Optional.of(old));
  const meter = new CostMeter();
  meterExpression(parsed.ast, meter);
  return {
    usesOldSelf: mentions(parsed.ast, "oldSelf"),
    evaluate(self, oldSelf) {
      meter.reset();
      const old = optionalOldSelf ? wrap(oldSelf) : (oldSelf ?? self);
      const outcome = attempt(() => parsed({ self, oldSelf: old }) as unknown);
      const spent: Spent = { cost: meter.spent, patternSteps: meter.patternSteps };
      // Loops and logical operators swallow errors, this one must not be.
      return meter.isExceeded ? { ...spent, problem: costLimitExceeded } : { ...spent, ...outcome };
    },
  };
}

function attempt(evaluate: () => unknown): { value: unknown } | { problem: string } {
  try {
    return { value: evaluate() };
  } catch (error) {
    return { problem: evaluationProblemText(error) };
  }
}
