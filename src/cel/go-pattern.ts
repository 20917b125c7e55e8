/**
 * Regular expressions as schemas and rules write them: RE2, which Kubernetes uses too. Matching takes time in
 * proportion to the text and the expression; both have a limit here, since the server has one thread.
 */
import { RE2JS, RE2JSException } from "re2js";

export interface GoPattern {
  /** Characters times instructions: what matching a text takes at most; nothing where that is refused. */
  stepsFor(text: string): number;
  /** Throws PatternTooCostly. */
  test(text: string): boolean;
  /** The leftmost match; undefined where there is none. Throws PatternTooCostly. */
  find(text: string): string | undefined;
  /** At most `limit` matches, all where it is negative. Throws PatternTooCostly. */
  findAll(text: string, limit: number): string[];
}

export class PatternTooCostly extends Error {}

/** Instructions times characters: about a second where the engine has to follow every way to match at once. */
const mostSteps = 5_000_000;

/** Characters of an expression, and the sum of its repetition counts. */
const longestPattern = 2000;

/** Why a text is no expression, in Go's words. */
export interface PatternProblem {
  readonly problem: string;
}

const cache = new Map<string, GoPattern | PatternProblem>();
const cacheLimit = 2000;

export function goPattern(pattern: string): GoPattern | PatternProblem {
  const known = cache.get(pattern);
  if (known !== undefined) return known;
  const compiled = compile(pattern);
  if (cache.size >= cacheLimit) cache.clear();
  cache.set(pattern, compiled);
  return compiled;
}

function compile(pattern: string): GoPattern | PatternProblem {
  if (pattern.length > longestPattern || repetitions(pattern) > longestPattern) {
    return { problem: "error parsing regexp: expression too large" };
  }
  try {
    return affordable(RE2JS.compile(pattern));
  } catch (error) {
    if (error instanceof RE2JSException) return { problem: error.message };
    throw error;
  }
}

/** `a{3}b{2,10}` -> 13. */
function repetitions(pattern: string): number {
  let sum = 0;
  for (const [, least, most] of pattern.matchAll(/\{(\d{1,9})(?:,(\d{1,9})?)?\}/g)) {
    sum += Math.max(Number(least), Number(most ?? 0));
  }
  return sum;
}

function affordable(compiled: RE2JS): GoPattern {
  const size = compiled.programSize();
  const isTooLong = (text: string): boolean => text.length * size > mostSteps;
  const stepsFor = (text: string): number => (isTooLong(text) ? 0 : text.length * size);
  const test = (text: string): boolean => {
    if (isTooLong(text)) throw new PatternTooCostly("too long to be matched");
    return compiled.test(text);
  };
  const findAll = (text: string, limit: number): string[] => {
    if (limit === 0 || !test(text)) return [];
    const matcher = compiled.matcher(text);
    const found: string[] = [];
    // A search may read to the end of the text before it settles for a match close by.
    for (let steps = 0; found.length !== limit && matcher.find();) {
      found.push(matcher.group() ?? "");
      steps += (text.length - matcher.end()) * size;
      if (steps > mostSteps) throw new PatternTooCostly("too many matches in a long text");
    }
    return found;
  };
  return { stepsFor, test, find: (text) => findAll(text, 1)[0], findAll };
}
