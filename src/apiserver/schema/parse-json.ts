/** JSON bodies: parsed fast if nothing is wrong, and scanned closely if there is a problem to report. */
import { BoundedTexts } from "./bounded-texts.ts";
import { JsonScanner, JsonSyntaxError, maxJsonDepth } from "./json-scanner.ts";
import type { JsonVisitor } from "./json-scanner.ts";

/** Throws JsonSyntaxError, in Go's words, for what is not JSON or is nested too deeply. */
export function parseJson(text: string): unknown {
  if (mayBeTooDeep(text)) new JsonScanner(text).scan();
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    new JsonScanner(text).scan();
    throw new JsonSyntaxError(error instanceof Error ? error.message : String(error));
  }
}

/** Counts opening brackets only, strings included: cheap, and enough to clear nearly every body. */
function mayBeTooDeep(text: string): boolean {
  if (text.length <= maxJsonDepth) return false;
  let opened = 0;
  for (let index = 0; index < text.length; index += 1) {
    // `[` is 91 and `{` is 123; they differ in one bit only.
    if ((text.charCodeAt(index) & 0xdf) !== 91) continue;
    opened += 1;
    if (opened > maxJsonDepth) return true;
  }
  return false;
}

/**
 * Everything strict validation objects to in a body, in the order of the text: the unknown fields
 * its decoder found, and duplicate fields, which only the text shows. `value` is the parsed text.
 */
export function allStrictProblems(
  text: string,
  unknown: readonly string[],
  value: unknown = JSON.parse(text),
): readonly string[] {
  if (!hasDuplicateKeys(text, value)) return unknown;
  const problems = new BoundedTexts();
  const outer: Place[] = [];
  let place: Place = { path: "", unknown: unknown.map(pathOf), isInside: false };
  const visitor: JsonVisitor = {
    enter(part, isDuplicate) {
      outer.push(place);
      place = placeIn(place, part);
      if (place.isInside) return;
      if (isUnknown(place)) problems.add(`unknown field "${place.path}"`);
      else if (isDuplicate) problems.add(`duplicate field "${place.path}"`);
    },
    leave: () => void (place = outer.pop() ?? place),
  };
  new JsonScanner(text, visitor).scan();
  return problems.all;
}

/** Where the scan is. Its cost must not grow with its depth: a body may have a hundred thousand keys there. */
interface Place {
  readonly path: string;
  /** What is left of the paths of unknown fields that begin with this path. */
  readonly unknown: readonly string[];
  /** Fields below an unknown field are not checked. */
  readonly isInside: boolean;
}

function placeIn(outer: Place, part: string | number): Place {
  const step = typeof part === "number" ? `[${part}]` : outer.path === "" ? part : `.${part}`;
  const isInside = outer.isInside || isUnknown(outer);
  return { path: outer.path + step, unknown: isInside ? [] : remainders(outer, step), isInside };
}

const remainders = ({ unknown }: Place, step: string): readonly string[] =>
  unknown.length === 0
    ? unknown
    : unknown.filter((path) => path.startsWith(step)).map((path) => path.slice(step.length));

const isUnknown = ({ unknown }: Place): boolean => unknown.includes("");

/** Parsing keeps one of several equal keys, so the text then has more of them than the value. */
function hasDuplicateKeys(text: string, value: unknown): boolean {
  return keysInText(text) !== keysInValue(value);
}

const quote = 34;
const colon = 58;
const backslash = 92;

/** Every create needs this, so it is a bare loop: it counts colons outside of strings, one per key. */
function keysInText(text: string): number {
  let keys = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === colon) keys += 1;
    else if (code === quote) index = closingQuote(text, index);
  }
  return keys;
}

function closingQuote(text: string, opening: number): number {
  let closing = text.indexOf('"', opening + 1);
  while (closing >= 0 && isEscaped(text, closing)) closing = text.indexOf('"', closing + 1);
  return closing < 0 ? text.length : closing;
}

function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text.charCodeAt(first - 1) === backslash) first -= 1;
  return (index - first) % 2 === 1;
}

function keysInValue(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) keys += keysInValue(item);
    return keys;
  }
  for (const inner of Object.values(value)) keys += 1 + keysInValue(inner);
  return keys;
}

const pathOf = (problem: string): string => /"(.*)"$/.exec(problem)?.[1] ?? "";
