/** Parses an expression, with problems in the words of Kubernetes and `has()` as wide as it is there. */
import type { ASTNode, Environment, ParseResult } from "@marcbachmann/cel-js";
import { TypeError as CelTypeError } from "@marcbachmann/cel-js";
import { functionNames } from "./environment.ts";
import { functionCalls } from "./expression-tree.ts";
import type { Checker, CelType, Scope } from "./macros.ts";
import { compileProblemText } from "./problem-text.ts";
import { RuleProblem } from "./rule-problem.ts";

/** Throws RuleProblem with the compiler's words where the expression does not parse. */
export function parseRule(environment: Environment, expression: string): ParseResult {
  try {
    const parsed = environment.parse(expression);
    for (const node of functionCalls(parsed.ast, "has")) widen(node as unknown as HasNode);
    return parsed;
  } catch (error) {
    throw new RuleProblem(compileProblemText(error, expression, functionNames()), { cause: error });
  }
}

interface HasNode {
  readonly start: number;
  readonly meta: { readonly macro?: HasMacro };
}

/** The library's own: it evaluates the last of the nodes, then takes one field after the other, the first one last. */
interface HasMacro {
  readonly args: readonly ASTNode[];
  macroHasProps?: readonly ASTNode[];
  typeCheck: (checker: Checker, macro: HasMacro, scope: Scope) => CelType;
}

/**
 * The library takes paths that begin with a name only, `has(self.a)` but not `has(self.list[0].a)`, and does not look
 * whether there is such a field.
 */
function widen({ start, meta: { macro } }: HasNode): void {
  const [field] = macro?.args ?? [];
  if (macro === undefined || field?.op !== ".") return;
  const [operand] = field.args;
  const checkPath = macro.typeCheck;
  macro.typeCheck = (checker, _macro, scope) => {
    checker.check(operand, scope);
    checkField(() => checker.check(field, scope), start);
    if (isPath(field)) return checkPath(checker, macro, scope);
    macro.macroHasProps = [field, operand];
    return checker.getType("bool");
  };
}

/** An unknown field is reported where the macro begins, as in Go. */
function checkField(check: () => unknown, start: number): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof CelTypeError) || error.code !== "no_such_key") throw error;
    const { code, summary: message } = error;
    const begin = start + "has(".length;
    throw new CelTypeError({ code, message, range: { start: begin, end: begin }, cause: error });
  }
}

const isPath = (node: ASTNode): boolean =>
  node.op === "." || node.op === ".?" ? isPath(node.args[0]) : node.op === "id";
