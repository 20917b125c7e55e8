/** What the expressions of a predicate may cost, and what choosing clusters may take in all. */
import { expect, test } from "vitest";
import { celSelector } from "./cel-selector.ts";
import { isMatch } from "./cluster-facts.ts";
import { Effort } from "./effort.ts";
import type { ParsedPlacement } from "./parse-placement.ts";
import { parsePlacement } from "./parse-placement.ts";

const cluster = { metadata: { name: "c1" } };

/** So many expressions, each of which matches at this cost. */
function costing(count: number, cost: number): ParsedPlacement {
  const parsed = parsePlacement({ metadata: { name: "web" }, spec: {} });
  if (parsed.kind !== "valid") throw new Error(parsed.problem);
  const expression = { scoreNames: [], evaluate: () => ({ isMatch: true, cost, patternSteps: 0 }) };
  const expressions = Array.from({ length: count }, () => expression);
  return { ...parsed, predicates: [{ labels: undefined, claims: undefined, expressions }] };
}

test.each([
  [10, 1_000_000, true],
  [11, 1_000_000, false],
  [1000, 9_999, true],
])("PL14 %i expressions of a predicate that cost %i each: %s", (count, cost, want) => {
  const question = { cluster, scores: () => undefined, effort: new Effort(Infinity) };
  expect(isMatch(costing(count, cost), question)).toBe(want);
});

test("PL14 expressions cost what they cost in Open Cluster Management, each on its own", () => {
  const labelled = { metadata: { name: "c1", labels: { env: "prod" } } };
  const expression = celSelector('managedCluster.metadata.labels["env"] == "prod"');
  const costs = [1, 2].map(() => expression.evaluate(labelled, () => undefined).cost);
  expect(costs).toEqual([5, 5]);
});

test("PL14 an expression with a pattern still matches after thousands of clusters", () => {
  const expression = celSelector(
    "managedCluster.metadata.name.matches('^(eu|us|ap)-[a-z]{1,9}-[0-9]+$')",
  );
  const named = { metadata: { name: `eu-west-${"1".repeat(2_000)}` } };
  let matches = 0;
  for (let count = 0; count < 2_500; count++) {
    if (expression.evaluate(named, () => undefined).isMatch) matches++;
  }
  expect(matches).toBe(2_500);
});

test("of expressions only short ones are kept: they stay when their Placement is gone", () => {
  const short = "managedCluster.metadata.name == 'a'";
  const long = `managedCluster.metadata.name == '${"a".repeat(2_000)}'`;
  expect(celSelector(short)).toBe(celSelector(short));
  expect(celSelector(long)).not.toBe(celSelector(long));
});
