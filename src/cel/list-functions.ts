/** List and set functions of Kubernetes' CEL that the library lacks. */
import type { Environment } from "@marcbachmann/cel-js";
import { Optional } from "@marcbachmann/cel-js";
import { RuleProblem } from "./rule-problem.ts";
import { celEqual } from "./value-equality.ts";

type Ordered = bigint | number | string | boolean | Date;

export function registerListFunctions(environment: Environment): void {
  environment
    .registerFunction("list.isSorted(): bool", (list: Ordered[]) =>
      list.every((item, index) => index === 0 || !((list[index - 1] ?? item) > item)),
    )
    .registerFunction("list<int>.sum(): int", (list: bigint[]) => list.reduce((a, b) => a + b, 0n))
    .registerFunction("list<double>.sum(): double", (list: number[]) =>
      list.reduce((a, b) => a + b, 0),
    )
    .registerFunction("list<A>.min(): A", (list: Ordered[]) =>
      pick(list, "min", (candidate, best) => candidate < best),
    )
    .registerFunction("list<A>.max(): A", (list: Ordered[]) =>
      pick(list, "max", (candidate, best) => candidate > best),
    )
    .registerFunction("list<A>.indexOf(A): int", (list: unknown[], value: unknown) =>
      BigInt(list.findIndex((item) => celEqual(item, value))),
    )
    .registerFunction("list<A>.lastIndexOf(A): int", (list: unknown[], value: unknown) =>
      BigInt(list.findLastIndex((item) => celEqual(item, value))),
    )
    .registerFunction(
      "list<A>.slice(int, int): list<A>",
      (list: unknown[], from: bigint, to: bigint) => slice(list, Number(from), Number(to)),
    )
    .registerFunction("list<A>.distinct(): list<A>", (list: unknown[]) => distinct(list))
    .registerFunction("list<A>.reverse(): list<A>", (list: unknown[]) => list.toReversed())
    .registerFunction("list<A>.first(): optional<A>", (list: unknown[]) => end(list, 0))
    .registerFunction("list<A>.last(): optional<A>", (list: unknown[]) => end(list, -1));
  registerSets(environment);
  // Lists declared as sets are equal in any order; the library would compare them item by item.
  for (const scalar of ["string", "int", "double", "bool"]) {
    environment.registerOperator(`list<${scalar}> == list<${scalar}>`, celEqual);
  }
}

function pick(list: Ordered[], name: string, wins: (a: Ordered, b: Ordered) => boolean): Ordered {
  const [first, ...rest] = list;
  if (first === undefined) throw new RuleProblem(`${name} called on empty list`);
  return rest.reduce((best, candidate) => (wins(candidate, best) ? candidate : best), first);
}

function slice(list: unknown[], from: number, to: number): unknown[] {
  if (from < 0 || to > list.length || from > to) {
    throw new RuleProblem(`cannot slice(${from}, ${to}), list is length ${list.length}`);
  }
  return list.slice(from, to);
}

const end = (list: unknown[], at: 0 | -1): Optional =>
  list.length === 0 ? Optional.none() : Optional.of(list.at(at));

function distinct(list: unknown[]): unknown[] {
  return list.filter((item, index) => list.findIndex((other) => celEqual(item, other)) === index);
}

/** CEL writes these functions as if `sets` were a value; here it is one. */
class SetsNamespace {
  readonly name = "sets";
}

function registerSets(environment: Environment): void {
  const holds = (list: unknown[], item: unknown): boolean =>
    list.some((other) => celEqual(item, other));
  const contains = (list: unknown[], sub: unknown[]): boolean =>
    sub.every((item) => holds(list, item));
  environment
    .registerType("SetsNamespace", SetsNamespace)
    .registerConstant("sets", "SetsNamespace", new SetsNamespace())
    .registerFunction(
      "SetsNamespace.contains(list, list): bool",
      (_: unknown, a: unknown[], b: unknown[]) => contains(a, b),
    )
    .registerFunction(
      "SetsNamespace.equivalent(list, list): bool",
      (_: unknown, a: unknown[], b: unknown[]) => contains(a, b) && contains(b, a),
    )
    .registerFunction(
      "SetsNamespace.intersects(list, list): bool",
      (_: unknown, a: unknown[], b: unknown[]) => a.some((item) => holds(b, item)),
    );
}
