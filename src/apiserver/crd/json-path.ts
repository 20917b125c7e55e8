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
    String.raw`\.\.(?=[\w-])`,
    String.raw`(?<=\.\.)([\w-]+(?:\\.[\w-]+)*)`,
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

/** The few paths that definitions name, which every write of their kinds asks for. */
const known = new Map<string, JsonPath>();
const knownAtMost = 1_000;

/** `.spec.ports[0].name`, `.metadata.labels['a\.b']`, `.status.conditions[?(@.type=="Ready")].status`. */
export function parseJsonPath(text: string): JsonPath {
  const before = known.get(text);
  if (before !== undefined) return before;
  const path = stepsOf(text);
  if (known.size >= knownAtMost) known.clear();
  known.set(text, path);
  return path;
}

function stepsOf(text: string): JsonPath {
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
  const [whole, below, field, filterPath, operator, literal, from, to, index, single, double] =
    match;
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
  const name = below ?? field ?? single ?? double ?? "";
  return { kind: "field", name: name.replaceAll(/\\(.)/g, "$1") };
}

function literalOf(text: string): unknown {
  if (/^['"]/.test(text)) return text.slice(1, -1);
  if (text === "true" || text === "false") return text === "true";
  return Number(text);
}

/**
 * As many values as are visited for one path: every `..` leads from every value to all below it. What is not found by
 * then counts as missing.
 */
const mostVisits = 100_000;

interface Visits {
  left: number;
}

/** Every value the path leads to; none where a field on the way is missing. */
export function findAll(path: JsonPath, root: unknown): unknown[] {
  return [...valuesAt(path, root, { left: mostVisits })];
}

export function findFirst(path: JsonPath, root: unknown): unknown {
  return firstAt(path, root, { left: mostVisits });
}

function firstAt(path: JsonPath, root: unknown, visits: Visits): unknown {
  for (const value of valuesAt(path, root, visits)) return value;
  return undefined;
}

/** One by one, since most who ask want the first. */
function* valuesAt(path: JsonPath, value: unknown, visits: Visits): Generator {
  const [step, ...rest] = path;
  if (step === undefined) {
    yield value;
    return;
  }
  for (const found of follow(step, value, visits)) {
    if (--visits.left < 0) return;
    yield* valuesAt(rest, found, visits);
  }
}

/** A found value as text; empty if it is missing. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function follow(step: Step, value: unknown, visits: Visits): Iterable<unknown> {
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
      return matching(step, value, visits);
  }
}

const present = (value: unknown): unknown[] => (value === undefined ? [] : [value]);

function partsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isMap(value) ? Object.values(value) : [];
}

/** The value and all below it, from the top down. */
function* descendants(value: unknown): Generator {
  const ahead = [value];
  while (ahead.length > 0) {
    const next = ahead.pop();
    yield next;
    ahead.push(...partsOf(next).toReversed());
  }
}

type Filter = Extract<Step, { kind: "filter" }>;

function* matching(step: Filter, value: unknown, visits: Visits): Generator {
  for (const part of partsOf(value)) {
    if (--visits.left < 0) return;
    if (matches(step, part, visits)) yield part;
  }
}

function matches(step: Filter, part: unknown, visits: Visits): boolean {
  const value = firstAt(step.path, part, visits);
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
