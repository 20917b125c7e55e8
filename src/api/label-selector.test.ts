import { expect, test } from "vitest";
import { fieldErrorsText } from "./field-error.ts";
import { selectorMatches, selectorText, validateLabelSelector } from "./label-selector.ts";

const selector = {
  matchLabels: { app: "web" },
  matchExpressions: [
    { key: "tier", operator: "In", values: ["b", "a"] },
    { key: "old", operator: "DoesNotExist" },
    { key: "zone", operator: "NotIn", values: ["x"] },
  ],
};

test.each([
  ["all requirements met", { app: "web", tier: "a" }, true],
  ["a value outside", { app: "web", tier: "c" }, false],
  ["a key that must be absent", { app: "web", tier: "a", old: "" }, false],
  ["an excluded value", { app: "web", tier: "a", zone: "x" }, false],
  ["no labels", undefined, false],
])("matching with %s", (_case, labels, want) => {
  expect(selectorMatches(selector, labels)).toBe(want);
});

test("a selector of a hundred thousand values is matched in time that does not grow with them", () => {
  const values = Array.from({ length: 100_000 }, (_, index) => `v${index}`);
  const listing = (operator: string) => ({ matchExpressions: [{ key: "a", operator, values }] });
  const [among, outside] = [listing("In"), listing("NotIn")];
  let matches = 0;
  for (let count = 0; count < 20_000; count++) {
    if (selectorMatches(among, { a: "v99999" })) matches++;
    if (selectorMatches(outside, { a: "none" })) matches++;
  }
  expect(matches).toBe(40_000);
}, 4_000);

test("an absent selector matches nothing, an empty one everything", () => {
  expect(selectorMatches(undefined, {})).toBe(false);
  expect(selectorMatches({}, {})).toBe(true);
});

test("the text of a selector is sorted by key", () => {
  expect(selectorText(selector)).toBe("app=web,!old,tier in (a,b),zone notin (x)");
});

test("requirements are checked by operator", () => {
  const bad = {
    matchExpressions: [
      { key: "a", operator: "In" },
      { key: "a", operator: "Exists", values: ["x"] },
      { key: "a", operator: "Like" },
    ],
  };
  expect(fieldErrorsText(validateLabelSelector(bad, "s"))).toBe(
    "[s.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn', " +
      "s.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist', " +
      's.matchExpressions[2].operator: Invalid value: "Like": not a valid selector operator]',
  );
});
