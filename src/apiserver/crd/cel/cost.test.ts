/** What rules cost: the limits of Kubernetes, and no way around them. */
import { expect, test } from "vitest";
import { perCallLimit } from "../../../cel/cost.ts";
import type { Evaluated } from "./evaluate-rule.ts";
import { compileExpression } from "./evaluate-rule.ts";
import { newEnvironment } from "../../../cel/environment.ts";
import { costLimitExceeded } from "../../../cel/rule-problem.ts";

function evaluate(rule: string, self: unknown, selfType: string): Evaluated {
  const scope = { environment: newEnvironment(), selfType, optionalOldSelf: false };
  return compileExpression(rule, scope, "bool").evaluate(self, self);
}

/** 100 items. */
const hundred = `[${Array.from({ length: 100 }, (_, index) => index).join(",")}]`;
const words = (length: number): string[] => Array.from({ length }, (_, index) => `w${index}`);

const ruinous: Record<string, { rule: string; self: unknown; type: string }> = {
  "loops over literals": {
    rule: `${hundred}.all(a, ${hundred}.all(b, ${hundred}.all(c, a + b + c >= 0)))`,
    self: "",
    type: "string",
  },
  "errors that a loop swallows": {
    rule: `${hundred}.exists(a, ${hundred}.exists(b, ${hundred}.exists(c, a / 0 == 1)))`,
    self: "",
    type: "string",
  },
  "two variables": {
    rule: `${hundred}.all(i, a, ${hundred}.all(j, b, ${hundred}.all(k, c, a + b + c >= 0)))`,
    self: "",
    type: "string",
  },
  "characters of a text": {
    rule: "self.split('').all(a, self.split('').exists(b, a == b))",
    self: "a".repeat(3000) + "b".repeat(3000),
    type: "string",
  },
  "distinct values": {
    rule: "self.distinct().size() > 0",
    self: words(5000),
    type: "list<string>",
  },
  sets: { rule: "sets.contains(self, self)", self: words(5000), type: "list<string>" },
  "a text that is put between all characters of itself": {
    rule: "self.replace('', self).size() > 0",
    self: "x".repeat(100_000),
    type: "string",
  },
  "a long separator": {
    rule: "self.split('').join(self).size() > 0",
    self: "x".repeat(100_000),
    type: "string",
  },
  "a pattern with many ways to match": {
    rule: "self.findAll('(?:a*b)|a').size() > 0",
    self: "a".repeat(100_000),
    type: "string",
  },
  "time zones": {
    rule: `${hundred}.all(a, ${hundred}.all(b, timestamp('2026-01-01T00:00:00Z').getHours('Asia/Tokyo') >= 0 - a - b))`,
    self: "",
    type: "string",
  },
  "comparisons of something large": {
    rule: `${hundred}.all(a, ${hundred}.all(b, self == self))`,
    self: words(1000),
    type: "list<string>",
  },
};

test.each(Object.entries(ruinous))("%s end at the limit", (_sentence, { rule, self, type }) => {
  const startedMs = performance.now();
  expect(evaluate(rule, self, type)).toMatchObject({ problem: costLimitExceeded });
  // Minutes or more without the limit; well below a second with it, on an idle machine.
  expect(performance.now() - startedMs).toBeLessThan(20_000);
});

const affordable: Record<string, { rule: string; self: unknown; type: string; most: number }> = {
  "a comparison": { rule: "self == 'a'", self: "a", type: "string", most: 3 },
  "a loop over a few": {
    rule: "self.all(a, a != 'x')",
    self: words(100),
    type: "list<string>",
    most: 700,
  },
  "a pattern": { rule: "self.matches('^[a-z]+$')", self: "abc", type: "string", most: 5 },
  "a lookup": { rule: "'w1' in self", self: words(100), type: "list<string>", most: 103 },
};

test.each(Object.entries(affordable))(
  "%s costs little",
  (_sentence, { rule, self, type, most }) => {
    const evaluated = evaluate(rule, self, type);
    expect(evaluated).toMatchObject({ value: true });
    expect(evaluated.cost).toBeLessThanOrEqual(most);
    expect(perCallLimit).toBe(1_000_000);
  },
);

/** A list of one item that doubles this often. */
const doubled = (times: number): string =>
  `cel.bind(v0, [self], ${Array.from({ length: times }, (_, at) => at).reduceRight(
    (inner, at) => `cel.bind(v${at + 1}, v${at} + v${at}, ${inner})`,
    `v${times}.size() > 0`,
  )})`;

test("a list that doubles again and again ends before it fills the memory", () => {
  expect(evaluate(doubled(17), "a", "string")).toMatchObject({ value: true });
  // Eight million items; without a limit the next ones would take gigabytes.
  expect(evaluate(doubled(23), "a", "string")).toMatchObject({ problem: costLimitExceeded });
});

test("every evaluation starts at nothing", () => {
  const scope = { environment: newEnvironment(), selfType: "string", optionalOldSelf: false };
  const compiled = compileExpression("self.size() > 0", scope, "bool");
  expect(compiled.evaluate("a", "a").cost).toBe(compiled.evaluate("a", "a").cost);
});
