import { expect, test } from "vitest";
import type { GoPattern } from "./go-pattern.ts";
import { goPattern, PatternTooCostly } from "./go-pattern.ts";

function compiled(pattern: string): GoPattern {
  const result = goPattern(pattern);
  if ("problem" in result) throw new Error(result.problem);
  return result;
}

const matches: Record<string, { pattern: string; text: string; want: boolean }> = {
  "a flag inside": { pattern: "^a(?i:b)c$", text: "aBc", want: true },
  "a flag at the start": { pattern: "(?i)^abc$", text: "ABC", want: true },
  "the end of the text, not of a line": { pattern: "^a$", text: "a\n", want: false },
  "a named group": { pattern: "^(?P<x>a+)$", text: "aa", want: true },
  "a class of POSIX": { pattern: "^[[:alpha:]]+$", text: "ab", want: true },
  "a class of Unicode": { pattern: String.raw`^\p{Greek}+$`, text: "αβγ", want: true },
  "a needless escape": { pattern: String.raw`^a\-b$`, text: "a-b", want: true },
};

test.each(Object.entries(matches))("as in Go: %s", (_sentence, { pattern, text, want }) => {
  expect(compiled(pattern).test(text)).toBe(want);
});

const refused: Record<string, { pattern: string; want: string }> = {
  "looking ahead": {
    pattern: "(?=a)",
    want: "error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
  },
  "a reference back": {
    pattern: String.raw`(a)\1`,
    want: String.raw`error parsing regexp: invalid escape sequence: ${"`"}\1${"`"}`,
  },
  "an open bracket": { pattern: "[a", want: "error parsing regexp: missing closing ]: `[a`" },
  "a thousand times a thousand": {
    pattern: "(a{1000}){1000}",
    want: "error parsing regexp: invalid repeat count: `{1000}`",
  },
  "repetitions that add up": {
    pattern: "a{1000}".repeat(3),
    want: "error parsing regexp: expression too large",
  },
};

test.each(Object.entries(refused))("in Go's words: %s", (_sentence, { pattern, want }) => {
  expect(goPattern(pattern)).toEqual({ problem: want });
});

test.each(["^(a+)+$", "^(a|a)*$", "(.*)*x", "^([a-z]+)*!$"])(
  "%s takes no longer for having many ways to match",
  (pattern) => {
    expect(compiled(pattern).test(`${"a".repeat(50_000)}?`)).toBe(false);
  },
);

test("a text that would keep the server busy is not matched at all", () => {
  const costly = compiled(String.raw`^\pL{1,900}$`);
  expect(() => costly.test("a".repeat(1_000_000))).toThrow(PatternTooCostly);
  expect(costly.test("a".repeat(900))).toBe(true);
});

test("matches are found from the left, at most as many as asked for", () => {
  const digits = compiled("[0-9]+");
  expect(digits.find("a12b345")).toBe("12");
  expect(digits.find("abc")).toBeUndefined();
  expect(digits.findAll("a12b345", -1)).toEqual(["12", "345"]);
  expect(digits.findAll("a12b345", 1)).toEqual(["12"]);
  expect(digits.findAll("a12b345", 0)).toEqual([]);
});
