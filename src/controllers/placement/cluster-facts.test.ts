/** What the expressions of a predicate may cost. */
import { expect, test } from "vitest";
import { isMatch } from "./cluster-facts.ts";
import type { ParsedPlacement } from "./parse-placement.ts";
import { parsePlacement } from "./parse-placement.ts";

const cluster = { metadata: { name: "c1" } };

/** So many expressions, each of which matches at this cost. */
function costing(count: number, cost: number): ParsedPlacement {
  const parsed = parsePlacement({ metadata: { name: "web" }, spec: {} });
  if (parsed.kind !== "valid") throw new Error(parsed.problem);
  const expression = { scoreNames: [], evaluate: () => ({ isMatch: true, cost }) };
  const expressions = Array.from({ length: count }, () => expression);
  return { ...parsed, predicates: [{ labels: undefined, claims: undefined, expressions }] };
}

test.each([
  [10, 1_000_000, true],
  [11, 1_000_000, false],
  [1000, 9_999, true],
])("PL14 %i expressions of a predicate that cost %i each: %s", (count, cost, want) => {
  expect(isMatch(costing(count, cost), cluster, () => undefined)).toBe(want);
});
