/** String functions of Kubernetes' CEL that the library lacks. */
import type { Environment } from "@marcbachmann/cel-js";
import type { GoPattern } from "./go-pattern.ts";
import { goPattern, PatternTooCostly } from "./go-pattern.ts";
import { costLimitExceeded, RuleProblem } from "./rule-problem.ts";
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
      withPattern(pattern, (compiled) => compiled.find(text) ?? ""),
    )
    .registerFunction("string.findAll(string): list<string>", (text: string, pattern: string) =>
      withPattern(pattern, (compiled) => compiled.findAll(text, -1)),
    )
    .registerFunction(
      "string.findAll(string, int): list<string>",
      (text: string, pattern: string, limit: bigint) =>
        withPattern(pattern, (compiled) => compiled.findAll(text, Number(limit))),
    )
    .registerFunction("string.format(list): string", (template: string, values: unknown[]) =>
      formatText(template, values),
    )
    .registerType("StringsNamespace", StringsNamespace)
    .registerConstant("strings", "StringsNamespace", new StringsNamespace())
    .registerFunction("StringsNamespace.quote(string): string", (_: unknown, text: string) =>
      quoted(text),
    );
}

/** CEL writes its function as if `strings` were a value; here it is one. */
class StringsNamespace {
  readonly name = "strings";
}

const escapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** So that it prints on one line, between quotes. */
const quoted = (text: string): string =>
  `"${Array.from(text, (character) => escapes[character] ?? character).join("")}"`;

function replaceSome(text: string, from: string, to: string, limit: number): string {
  if (limit < 0) return text.replaceAll(from, () => to);
  let left = limit;
  return text.replaceAll(from, (found) => (left-- > 0 ? to : found));
}

function charAt(text: string, index: bigint): string {
  let place = 0n;
  for (const character of text) {
    if (place++ === index) return character;
  }
  if (place === index) return "";
  throw new RuleProblem(`index out of range: ${index}`);
}

/** RE2 on a text, for `matches`, `find` and `findAll`. */
export function withPattern<T>(pattern: string, search: (compiled: GoPattern) => T): T {
  const compiled = goPattern(pattern);
  if ("problem" in compiled) throw new RuleProblem(compiled.problem);
  try {
    return search(compiled);
  } catch (error) {
    if (error instanceof PatternTooCostly) throw new RuleProblem(costLimitExceeded);
    throw error;
  }
}
