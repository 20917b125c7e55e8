/** Compiles and evaluates single CEL rules; the only file that knows how the CEL library reports errors. */
import type { ASTNode, ParseResult } from "@marcbachmann/cel-js";
import { Environment, Optional } from "@marcbachmann/cel-js";
import { registerKubeFunctions } from "./kube-functions.ts";
import { registerListFunctions } from "./list-functions.ts";
import { registerMacros } from "./macros.ts";
import { RuleProblem } from "./rule-problem.ts";
import { compileProblemText, evaluationProblemText } from "./problem-text.ts";
import { registerTextFunctions } from "./text-functions.ts";

/** What a rule sees: `self`, and `oldSelf` where it asks for it. */
export interface RuleScope {
  /** An environment that holds the types of the schema. */
  readonly environment: Environment;
  readonly selfType: string;
  readonly optionalOldSelf: boolean;
}

export interface CompiledExpression {
  readonly usesOldSelf: boolean;
  /** How deep comprehensions are nested, which decides how the time of an evaluation grows. */
  readonly loopDepth: number;
  /** Throws RuleProblem. */
  evaluate(self: unknown, oldSelf: unknown): unknown;
}

let base: Environment | undefined;

/** Every schema gets a clone, since it adds types of its own. */
export function newEnvironment(): Environment {
  base ??= createEnvironment();
  return base.clone();
}

let names: ReadonlySet<string> | undefined;

function functionNames(): ReadonlySet<string> {
  names ??= new Set(
    newEnvironment()
      .getDefinitions()
      .functions.map(({ name }) => name),
  );
  return names;
}

function createEnvironment(): Environment {
  const environment = new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: 10_000, maxDepth: 100, maxListElements: 1000 },
  });
  registerTextFunctions(environment);
  registerListFunctions(environment);
  registerKubeFunctions(environment);
  registerMacros(environment);
  return environment;
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
  const parsed = parse(scoped, expression);
  const result = parsed.check();
  if (!result.valid)
    throw new RuleProblem(compileProblemText(result.error, expression, functionNames()));
  if (result.type !== wanted && result.type !== "dyn") {
    throw new RuleProblem(`must evaluate to ${wanted === "bool" ? "a bool" : "a string"}`);
  }
  const wrap = (old: unknown): unknown => (old === undefined ? Optional.none() : Optional.of(old));
  return {
    usesOldSelf: mentions(parsed.ast, "oldSelf"),
    loopDepth: loopDepth(parsed.ast),
    evaluate(self, oldSelf) {
      try {
        return parsed({
          self,
          oldSelf: optionalOldSelf ? wrap(oldSelf) : (oldSelf ?? self),
        }) as unknown;
      } catch (error) {
        throw new RuleProblem(evaluationProblemText(error), { cause: error });
      }
    },
  };
}

function parse(environment: Environment, expression: string): ParseResult {
  try {
    return environment.parse(expression);
  } catch (error) {
    throw new RuleProblem(compileProblemText(error, expression, functionNames()), { cause: error });
  }
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}

function childNodes(value: unknown): ASTNode[] {
  if (isNode(value)) return [value];
  if (Array.isArray(value)) return value.flatMap(childNodes);
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((part) => (isNode(part) ? [part] : []));
}

function mentions(node: ASTNode, name: string): boolean {
  if (node.op === "id" && node.args === name) return true;
  return childNodes(node.args).some((child) => mentions(child, name));
}

const loops = new Set(
  "all exists exists_one existsOne map filter transformList transformMap sum isSorted".split(" "),
);

function loopDepth(node: ASTNode): number {
  const inside = Math.max(0, ...childNodes(node.args).map(loopDepth));
  const isLoop = node.op === "rcall" && loops.has(node.args[0]);
  return isLoop || (node.op as string) === "comprehension" ? inside + 1 : inside;
}
