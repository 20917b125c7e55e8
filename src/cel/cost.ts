/**
 * Counts what the evaluation of a rule costs and ends it at the limit. The prices are Kubernetes' own; where this
 * implementation does work in proportion to a value that Go does in one step, that work has a price too.
 */
import type { ASTNode } from "@marcbachmann/cel-js";
import { costLimitExceeded, RuleProblem } from "./rule-problem.ts";
import { goPattern } from "./go-pattern.ts";
import { withPattern } from "./text-functions.ts";
import { partsOf, sizeOf } from "./value-size.ts";
import type { NamedFormat } from "./values.ts";

/** What one evaluation may cost, and what all rules of one object may cost together. */
export const perCallLimit = 1_000_000;
export const perObjectLimit = 10_000_000;

/** Prices per character, and per part of a value that Go would not have to visit. */
const perCharacter = 0.1;
const perRegexCharacter = 0.25;
const perVisitedPart = 0.01;
/** A list that is joined is kept, too: ten million items are eighty megabytes. */
const perJoinedItem = 0.1;
const perTimeZone = 400;
const perError = 100;

const exceeded = new RuleProblem(costLimitExceeded);

/** Of one evaluation: some seconds where an expression is made for it. Kubernetes has no such limit, and threads. */
const mostPatternSteps = 100_000_000;

export class CostMeter {
  spent = 0;
  patternSteps = 0;

  reset(): void {
    this.spent = 0;
    this.patternSteps = 0;
  }

  chargePattern([text, pattern]: readonly unknown[]): void {
    if (typeof text !== "string" || typeof pattern !== "string") return;
    const compiled = goPattern(pattern);
    if ("problem" in compiled) return;
    this.patternSteps += compiled.stepsFor(text);
    if (this.isExceeded) throw exceeded;
  }

  charge(cost: number): void {
    this.spent += cost;
    // Always the same error: a loop that swallows errors reaches its end quickly.
    if (this.isExceeded) throw exceeded;
  }

  get isExceeded(): boolean {
    return this.spent > perCallLimit || this.patternSteps > mostPatternSteps;
  }
}

/** The library's nodes, as far as evaluation is concerned. */
interface RunningNode {
  readonly op: string;
  readonly args: unknown;
  readonly meta: {
    readonly alternate?: RunningNode;
    readonly macro?: { readonly macroHasProps?: readonly RunningNode[]; evaluate: Evaluate };
    readonly evaluate: Evaluate;
  };
  evaluate: Evaluate;
  handle?: (...values: unknown[]) => unknown;
}

type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown;

/** Makes every later evaluation of the checked expression pay the meter. */
export function meterExpression(root: ASTNode, meter: CostMeter): void {
  meterNode(root as unknown as RunningNode, { meter, seen: new Set(), steps: new Set() });
}

interface Metering {
  readonly meter: CostMeter;
  readonly seen: Set<RunningNode>;
  /** Nodes that a loop evaluates once for each item. */
  readonly steps: Set<RunningNode>;
}

function meterNode(node: RunningNode, metering: Metering): void {
  if (metering.seen.has(node)) return;
  metering.seen.add(node);
  for (const step of stepsOf(node)) metering.steps.add(step);
  const { alternate, macro } = node.meta;
  if (alternate !== undefined) {
    if (metering.steps.has(node)) metering.steps.add(alternate);
    return meterNode(alternate, metering);
  }
  for (const child of [...childNodes(node.args), ...(macro?.macroHasProps ?? [])]) {
    meterNode(child, metering);
  }
  meterEvaluation(node, metering);
  meterCall(node, metering.meter);
}

function stepsOf({ op, args, meta }: RunningNode): readonly RunningNode[] {
  if (op === "comprehension") return [(args as { step: RunningNode }).step];
  // The macros with two variables: `list.all(index, item, step)`.
  if (op !== "rcall" || meta.macro === undefined) return [];
  const step = (args as [string, RunningNode, RunningNode[]])[2][2];
  return step === undefined ? [] : [step];
}

function childNodes(value: unknown): readonly RunningNode[] {
  if (typeof value !== "object" || value === null) return [];
  if ("op" in value && "args" in value) return [value as RunningNode];
  if (Array.isArray(value)) return value.flatMap(childNodes);
  // A loop: what else it holds is the library's own.
  const { iterable, init, step } = value as Record<string, unknown>;
  return [iterable, init, step].flatMap(childNodes);
}

/** What a node costs however large its values are; a loop's condition and result are three more for each item. */
const nodePrices: Readonly<Record<string, number>> = {
  id: 1,
  ".": 1,
  ".?": 1,
  "[]": 1,
  "[?]": 1,
  list: 10,
  map: 30,
  accuPush: 11,
  accuValue: 1,
  accuInc: 2,
};
const loopPrice = 3;

function meterEvaluation(node: RunningNode, { meter, steps }: Metering): void {
  const { macro } = node.meta;
  const evaluate: Evaluate =
    macro === undefined
      ? node.meta.evaluate
      : (evaluator, _node, context) => macro.evaluate(evaluator, macro, context);
  const written = node.op === "list" || node.op === "map" ? sizeOf(node.args) * perCharacter : 0;
  const own = (nodePrices[node.op] ?? 0) + (macro?.macroHasProps?.length ?? 0) + written;
  const price = own + (steps.has(node) ? loopPrice : 0);
  if (price === 0) return;
  const paid: Evaluate = (evaluator, ast, context) => {
    meter.charge(price);
    return evaluate(evaluator, ast, context);
  };
  node.evaluate = steps.has(node) ? payingForErrors(paid, meter) : paid;
}

/** Loops swallow errors, and each of them is an object with a stack and a drawing of its place. */
const payingForErrors =
  (evaluate: Evaluate, meter: CostMeter): Evaluate =>
  (evaluator, ast, context) => {
    try {
      return evaluate(evaluator, ast, context);
    } catch (error) {
      meter.charge(perError);
      throw error;
    }
  };

function meterCall(node: RunningNode, meter: CostMeter): void {
  const { handle, op } = node;
  if (handle === undefined || node.meta.macro !== undefined) return;
  if (op === "call" || op === "rcall") {
    const name = (node.args as [string])[0];
    node.handle = (values, ...rest) => {
      meter.charge(callPrice(name, values as unknown[]));
      if (patternCalls.has(name)) meter.chargePattern(values as unknown[]);
      return name === "matches" ? matches(values as unknown[]) : handle(values, ...rest);
    };
  } else if (op in operatorPrices) {
    node.handle = (left, right, ...rest) => {
      meter.charge(operatorPrice(op, left, right));
      return handle(left, right, ...rest);
    };
  }
}

/** The library's own `matches` runs on JavaScript's engine, which backtracks. */
function matches([text, pattern]: readonly unknown[]): boolean {
  if (typeof text !== "string" || typeof pattern !== "string") {
    throw new RuleProblem("no such overload");
  }
  return withPattern(pattern, (compiled) => compiled.test(text));
}

const characters = (...values: readonly unknown[]): number =>
  Math.ceil(values.reduce<number>((sum, value) => sum + sizeOf(value), 0) * perCharacter);

type Operator = (left: unknown, right: unknown) => number;

const compare: Operator = (left, right) => {
  const isText = typeof left === "string" || typeof right === "string";
  const least = Math.min(partsOf(left), partsOf(right));
  return isText ? Math.max(1, Math.min(characters(left), characters(right))) : least;
};

const operatorPrices: Readonly<Record<string, Operator>> = {
  "==": compare,
  "!=": compare,
  "<": compare,
  "<=": compare,
  ">": compare,
  ">=": compare,
  in: (left, right) => {
    if (!Array.isArray(right)) return 1;
    return sizeOf(right) * (typeof left === "object" ? partsOf(left) : 1);
  },
  "+": (left, right) => {
    if (typeof left === "string") return Math.max(1, characters(left, right));
    return Array.isArray(left) ? 1 + (sizeOf(left) + sizeOf(right)) * perJoinedItem : 1;
  },
};

const operatorPrice = (operator: string, left: unknown, right: unknown): number =>
  operatorPrices[operator]?.(left, right) ?? 1;

type Call = (...values: unknown[]) => number;

const patternPrice = (text: number, pattern: number): number =>
  Math.ceil((1 + text) * perCharacter) * Math.ceil(pattern * perRegexCharacter);
const regex: Call = (text, pattern) => patternPrice(sizeOf(text), sizeOf(pattern));
const traversal: Call = (value) => partsOf(value);
const reading: Call = (text) => Math.max(1, characters(text));
const product: Call = (_namespace, a, b) => partsOf(a) * partsOf(b);

const patternCalls: ReadonlySet<string> = new Set(["matches", "find", "findAll"]);

const callPrices: ReadonlyMap<string, Call> = new Map<string, Call>([
  ...["isSorted", "sum", "max", "min"].map((name) => [name, traversal] as const),
  ...["indexOf", "lastIndexOf"].map(
    (name) => [name, (list: unknown, value: unknown) => partsOf(list) * partsOf(value)] as const,
  ),
  ...[
    "url",
    "isURL",
    "ip",
    "isIP",
    "cidr",
    "isCIDR",
    "quantity",
    "isQuantity",
    "semver",
    "isSemver",
  ].map((name) => [name, reading] as const),
  ...["lowerAscii", "upperAscii", "substring", "trim", "charAt", "reverse", "bytes", "string"].map(
    (name) => [name, reading] as const,
  ),
  ...[...patternCalls].map((name) => [name, regex] as const),
  ...["contains", "equivalent", "intersects"].map(
    (name) => [name, (a: unknown, b: unknown, c: unknown) => containmentPrice(a, b, c)] as const,
  ),
  ["startsWith", (_text, start) => reading(start)],
  ["endsWith", (_text, end) => reading(end)],
  ["split", (text) => 2 * reading(text)],
  ["replace", (text, from, to) => 2 * reading(text) + replacedSize(text, from, to) * perCharacter],
  [
    "join",
    (list, separator) => (partsOf(list) + sizeOf(list) * textSize(separator)) * perCharacter,
  ],
  ["distinct", (list) => partsOf(list) * sizeOf(list)],
  ["validate", (format, text) => patternPrice(sizeOf(text), (format as NamedFormat).patternSize)],
  ["format", (template, values) => reading(template) + partsOf(values)],
]);

/** `'text'.contains('x')`, or `sets.contains(a, b)`. */
const containmentPrice: Call = (a, b, c) =>
  typeof a === "string" ? Math.max(1, characters(a) * characters(b)) : product(a, b, c);

const textSize = (value: unknown): number => (typeof value === "string" ? value.length : 0);

/** How long a text may become: nothing is replaced before it is paid for. */
function replacedSize(text: unknown, from: unknown, to: unknown): number {
  const most = textSize(text) / Math.max(1, textSize(from)) + 1;
  return textSize(text) + most * textSize(to);
}

function callPrice(name: string, values: readonly unknown[]): number {
  const price = callPrices.get(name);
  if (price !== undefined) return Math.max(1, price(...values));
  // `getHours('Europe/Berlin')`: the time zone is looked up each time.
  if (name.startsWith("get") && values[0] instanceof Date && values.length > 1) return perTimeZone;
  return 1 + values.reduce<number>((sum, value) => sum + sizeOf(value), 0) * perVisitedPart;
}
