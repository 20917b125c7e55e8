/** String functions of Kubernetes' CEL that the library lacks. */
import type { Environment } from "@marcbachmann/cel-js";
import { goPattern } from "../go-pattern.ts";
import { RuleProblem } from "./rule-problem.ts";
import { formatText } from "./text-format.ts";

export function registerTextFunctions(environment: Environment): void {
  environment
    .registerFunction(
      "string.replace(string, string): string",
      (text: string, from: string, to: string) => text.replaceAll(from, () => to),
    )
    .registerFunction(
      "string.replace(string, string, int): string",
      (text: string, from: string, to: string, limit: bigint) =>
        replaceSome(text, from, to, Number(limit)),
    )
    .registerFunction("string.charAt(int): string", (text: string, index: bigint) =>
      charAt(text, index),
    )
    .registerFunction("string.reverse(): string", (text: string) =>
      Array.from(text).toReversed().join(""),
    )
    .registerFunction("string.find(string): string", (text: string, pattern: string) =>
      find(text, pattern),
    )
    .registerFunction("string.findAll(string): list<string>", (text: string, pattern: string) =>
      findAll(text, pattern, -1),
    )
    .registerFunction(
      "string.findAll(string, int): list<string>",
      (text: string, pattern: string, limit: bigint) => findAll(text, pattern, Number(limit)),
    )
    .registerFunction("string.format(list): string", (template: string, values: unknown[]) =>
      formatText(template, values),
    );
}

function replaceSome(text: string, from: string, to: string, limit: number): string {
  if (limit < 0) return text.replaceAll(from, () => to);
  let left = limit;
  return text.replaceAll(from, (found) => (left-- > 0 ? to : found));
}

function charAt(text: string, index: bigint): string {
  const characters = Array.from(text);
  if (index < 0n || index > characters.length) {
    throw new RuleProblem(`index out of range: ${index}`);
  }
  return characters[Number(index)] ?? "";
}

function expression(pattern: string): RegExp {
  const compiled = goPattern(pattern);
  if (compiled === undefined) throw new RuleProblem(`Illegal regex: ${pattern}`);
  return compiled;
}

const find = (text: string, pattern: string): string => expression(pattern).exec(text)?.[0] ?? "";

function findAll(text: string, pattern: string, limit: number): string[] {
  const compiled = expression(pattern);
  const all = [...text.matchAll(new RegExp(compiled, `${compiled.flags}g`))].map(
    ([found]) => found,
  );
  return limit < 0 ? all : all.slice(0, limit);
}
