/** Macros that the library lacks: comprehensions with two variables, and mapping over optionals. */
import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { Optional } from "@marcbachmann/cel-js";
import { RuleProblem } from "./rule-problem.ts";

/** The parts of the library's type checker, evaluator and scopes that macros are given. */
export interface CelType {
  readonly kind: string;
  readonly name: string;
  readonly keyType?: CelType;
  readonly valueType?: CelType;
}
export interface Scope {
  forkWithVariable(name: string, type: CelType): Scope;
  reuse(parent: Scope): Scope;
  setIterValue(value: unknown, evaluator: Evaluator): Scope;
}
export interface Checker {
  check(node: ASTNode, scope: Scope): CelType;
  getType(name: string): CelType;
  createError(code: string, message: string, node: ASTNode): Error;
}
interface Evaluator {
  run(node: ASTNode, scope: Scope): unknown;
}
interface MacroCall {
  readonly args: readonly ASTNode[];
  readonly receiver: ASTNode;
}

export function registerMacros(environment: Environment): void {
  const twoVariables = (name: string, parameters: number, fold: Fold): void => {
    const asts = Array.from({ length: parameters }, () => "ast").join(", ");
    environment.registerFunction(`list.${name}(${asts}): dyn`, (call: MacroCall) =>
      comprehension(call, fold),
    );
  };
  twoVariables("all", 3, {
    type: "bool",
    run: (entries) => entries.every(([, , run]) => run() === true),
  });
  twoVariables("exists", 3, {
    type: "bool",
    run: (entries) => entries.some(([, , run]) => run() === true),
  });
  twoVariables("existsOne", 3, {
    type: "bool",
    run: (entries) => entries.filter(([, , run]) => run() === true).length === 1,
  });
  twoVariables("transformList", 3, {
    type: "list",
    run: (entries) => entries.map(([, , run]) => run()),
  });
  twoVariables("transformMap", 3, {
    type: "map",
    run: (entries) => Object.fromEntries(entries.map(([key, , run]) => [String(key), run()])),
  });
  environment
    .registerFunction("optional.optMap(ast, ast): dyn", (call: MacroCall) =>
      optionalMap(call, false),
    )
    .registerFunction("optional.optFlatMap(ast, ast): dyn", (call: MacroCall) =>
      optionalMap(call, true),
    );
}

type Entry = readonly [key: unknown, value: unknown, run: () => unknown];

interface Fold {
  readonly type: string;
  run(entries: readonly Entry[]): unknown;
}

function variableName(node: ASTNode | undefined): string {
  if (node?.op === "id") return node.args;
  throw new RuleProblem("argument must be a simple name");
}

function comprehension({ args, receiver }: MacroCall, fold: Fold) {
  const names = [variableName(args[0]), variableName(args[1])] as const;
  const body = args[2] as ASTNode;
  let scopes: readonly [Scope, Scope] | undefined;
  return {
    typeCheck(checker: Checker, _macro: unknown, scope: Scope): CelType {
      const type = checker.check(receiver, scope);
      const keyType = type.kind === "list" ? checker.getType("int") : type.keyType;
      const outer = scope.forkWithVariable(names[0], keyType ?? checker.getType("dyn"));
      const inner = outer.forkWithVariable(names[1], type.valueType ?? checker.getType("dyn"));
      scopes = [outer, inner];
      checker.check(body, inner);
      return checker.getType(fold.type);
    },
    evaluate(evaluator: Evaluator, _macro: unknown, scope: Scope): unknown {
      const range = evaluator.run(receiver, scope);
      const run = (key: unknown, value: unknown) => (): unknown => {
        if (scopes === undefined) throw new RuleProblem("unchecked comprehension");
        const outer = scopes[0].reuse(scope).setIterValue(key, evaluator);
        return evaluator.run(body, scopes[1].reuse(outer).setIterValue(value, evaluator));
      };
      return fold.run(entriesOf(range).map(([key, value]) => [key, value, run(key, value)]));
    },
  };
}

function entriesOf(range: unknown): [unknown, unknown][] {
  if (Array.isArray(range)) return range.map((item, index) => [BigInt(index), item]);
  return Object.entries(range as object);
}

function optionalMap({ args, receiver }: MacroCall, isFlat: boolean) {
  const name = variableName(args[0]);
  const body = args[1] as ASTNode;
  let inner: Scope | undefined;
  return {
    typeCheck(checker: Checker, _macro: unknown, scope: Scope): CelType {
      const type = checker.check(receiver, scope);
      inner = scope.forkWithVariable(name, type.valueType ?? checker.getType("dyn"));
      const result = checker.check(body, inner);
      return isFlat ? result : checker.getType(`optional<${result.name}>`);
    },
    evaluate(evaluator: Evaluator, _macro: unknown, scope: Scope): unknown {
      const optional = evaluator.run(receiver, scope);
      if (!(optional instanceof Optional) || !optional.hasValue() || inner === undefined)
        return optional;
      const result = evaluator.run(
        body,
        inner.reuse(scope).setIterValue(optional.value(), evaluator),
      );
      return isFlat ? result : Optional.of(result);
    },
  };
}
