/** The JSONPath subset that printer columns, scale paths and selectable fields use: kubectl's simple paths. */
import { isMap, own } from "./json-schema.ts";

type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "slice"; readonly from?: number; readonly to?: number }
  | { readonly kind: "all" }
  | { readonly kind: "descend" }
  | {
      readonly kind: "filter";
      readonly path: JsonPath;
      readonly operator: string;
      readonly literal: unknown;
    };

export type JsonPath = readonly Step[];

export class JsonPathProblem extends Error {}

const tokens = new RegExp(
  [
    String.raw`\.\.`,
    String.raw`\.?\[\*\]|\.\*`,
    String.raw`\.([\w-]+(?:\\.[\w-]+)*)`,
    String.raw`\.?\[\?\(@([^=<>!]*?)\s*(==|!=|<=|>=|<|>)\s*('[^']*'|"[^"]*"|[^)]+?)\s*\)\]`,
    String.raw`\.?\[(-?\d*):(-?\d*)\]`,
    String.raw`\.?\[(-?\d+)\]`,
    String.raw`\.?\['((?:[^'\\]|\\.)*)'\]`,
    String.raw`\.?\["((?:[^"\\]|\\.)*)"\]`,
  ].join("|"),
  "y",
);

/** `.spec.ports[0].name`, `.metadata.labels['a\.b']`, `.status.conditions[?(@.type=="Ready")].status`. */
export function parseJsonPath(text: string): JsonPath {
  const steps: Step[] = [];
  // A separate scanner, because the path inside a filter is read while this one is in use.
  const scanner = new RegExp(tokens);
  while (scanner.lastIndex < text.length) {
    const at = scanner.lastIndex;
    const match = scanner.exec(text);
    if (match === null)
      throw new JsonPathProblem(`unrecognized character in ${JSON.stringify(text.slice(at))}`);
    steps.push(stepOf(match));
  }
  return steps;
}

function stepOf(match: RegExpExecArray): Step {
  const [whole, field, filterPath, operator, literal, from, to, index, single, double] = match;
  if (whole === "..") return { kind: "descend" };
  if (whole.endsWith("*") || whole.endsWith("[*]")) return { kind: "all" };
  if (operator !== undefined) {
    return {
      kind: "filter",
      path: parseJsonPath(filterPath ?? ""),
      operator,
      literal: literalOf(literal ?? ""),
    };
  }
  if (index !== undefined) return { kind: "index", index: Number(index) };
  if (from !== undefined) {
    return {
      kind: "slice",
      ...(from === "" ? {} : { from: Number(from) }),
      ...(to ? { to: Number(to) } : {}),
    };
  }
  const name = field ?? single ?? double ?? "";
  return { kind: "field", name: name.replaceAll(/\\(.)/g, "$1") };
}

function literalOf(text: string): unknown {
  if (/^['"]/.test(text)) return text.slice(1, -1);
  if (text === "true" || text === "false") return text === "true";
  return Number(text);
}

/** Every value the path leads to; none where a field on the way is missing. */
export function findAll(path: JsonPath, root: unknown): unknown[] {
  return path.reduce<unknown[]>(
    (values, step) => values.flatMap((value) => follow(step, value)),
    [root],
  );
}

export function findFirst(path: JsonPath, root: unknown): unknown {
  return findAll(path, root)[0];
}

/** A found value as text; empty if it is missing. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function follow(step: Step, value: unknown): unknown[] {
  switch (step.kind) {
    case "field": {
      const found = isMap(value) ? own(value, step.name) : undefined;
      return found === undefined ? [] : [found];
    }
    case "index":
      return Array.isArray(value) ? present(value.at(step.index)) : [];
    case "slice":
      return Array.isArray(value) ? value.slice(step.from, step.to) : [];
    case "all":
      return partsOf(value);
    case "descend":
      return descendants(value);
    case "filter":
      return partsOf(value).filter((part) => matches(step, part));
  }
}

const present = (value: unknown): unknown[] => (value === undefined ? [] : [value]);

function partsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isMap(value) ? Object.values(value) : [];
}

function descendants(value: unknown): unknown[] {
  return [value, ...partsOf(value).flatMap(descendants)];
}

function matches(step: Extract<Step, { kind: "filter" }>, part: unknown): boolean {
  const value = findFirst(step.path, part);
  if (value === undefined) return false;
  const { operator, literal } = step;
  switch (operator) {
    case "==":
      return value === literal;
    case "!=":
      return value !== literal;
    case "<":
      return (value as number) < (literal as number);
    case "<=":
      return (value as number) <= (literal as number);
    case ">":
      return (value as number) > (literal as number);
    default:
      return (value as number) >= (literal as number);
  }
}
