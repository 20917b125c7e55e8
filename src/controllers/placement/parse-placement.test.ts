/** What scheduling reads of a Placement's spec. */
import { expect, test } from "vitest";
import type { PlacementSpec } from "../../api/ocm/placement.ts";
import { placementObject } from "../../../test/builders/placement-scenario.ts";
import type { ParsedPlacement } from "./parse-placement.ts";
import { parsePlacement, scoreNames } from "./parse-placement.ts";

function parsed(spec: PlacementSpec): ParsedPlacement {
  const answer = parsePlacement(placementObject("web", spec));
  if (answer.kind !== "valid") throw new Error(answer.problem);
  return answer;
}

type Configuration = NonNullable<
  NonNullable<PlacementSpec["prioritizerPolicy"]>["configurations"]
>[number];

const builtIn = (name: string, weight?: number): Configuration => ({
  scoreCoordinate: { type: "BuiltIn", builtIn: name },
  ...(weight === undefined ? {} : { weight }),
});
const addOn = (scoreName: string, weight: number): Configuration => ({
  scoreCoordinate: { type: "AddOn", addOn: { resourceName: "load", scoreName } },
  weight,
});
const nameless: Configuration = { scoreCoordinate: { type: "AddOn" }, weight: 0 };

const none = { balance: 0, steady: 0, cpu: 0, memory: 0, addOns: [] };
const additive = { ...none, balance: 1, steady: 1 };

const policies: Record<string, { given: PlacementSpec["prioritizerPolicy"]; want: object }> = {
  "none is Balance and Steady": { given: undefined, want: additive },
  "Additive overrides what it lists": {
    given: { configurations: [builtIn("Balance", 3), builtIn("ResourceAllocatableMemory")] },
    want: { ...additive, balance: 3, memory: 1 },
  },
  "Exact has what it lists and nothing else": {
    given: { mode: "Exact", configurations: [builtIn("ResourceAllocatableCPU", -2)] },
    want: { ...none, cpu: -2 },
  },
  "Exact without a list weighs nothing": { given: { mode: "Exact" }, want: none },
  "of a built-in score that is listed twice the last counts": {
    given: { configurations: [builtIn("Steady", 5), builtIn("Steady", 0)] },
    want: { ...additive, steady: 0 },
  },
  "a score of an add-on that is listed twice counts twice": {
    given: { mode: "Exact", configurations: [addOn("cpu", 1), addOn("cpu", 2)] },
    want: { ...none, addOns: [1, 2] },
  },
  "an unknown score without a weight is left out": {
    given: { configurations: [builtIn("Luck", 0)] },
    want: additive,
  },
  "a nameless score of an add-on without a weight is left out": {
    given: { configurations: [nameless, addOn("cpu", 0)] },
    want: additive,
  },
};

test.each(Object.entries(policies))("PL17 %s", (_rule, { given, want }) => {
  const spec = given === undefined ? {} : { prioritizerPolicy: given };
  expect(parsed(spec).scheduling.weights).toEqual(want);
});

test("PL23 scores concern a Placement that ranks by them, or reads them in an expression", () => {
  const prioritizerPolicy = { configurations: [addOn("cpu", 1)] };
  const celExpressions = ['managedCluster.scores("usage").size() > 0'];
  const predicates = [{ requiredClusterSelector: { celSelector: { celExpressions } } }];
  const readBy = (spec: PlacementSpec) => scoreNames(placementObject("web", spec));
  expect(readBy({ prioritizerPolicy })).toEqual([]);
  expect(readBy({ prioritizerPolicy, numberOfClusters: 3 })).toEqual(["load"]);
  expect(readBy({ prioritizerPolicy, predicates })).toEqual(["usage"]);
});

test("PL24 a rate limit of scores that somebody chose is said to have no effect", () => {
  expect(parsed({ scoreRateLimit: "1m" }).warnings).toEqual([]);
  expect(parsed({ scoreRateLimit: "5m" }).warnings).toEqual([
    "spec.scoreRateLimit: 5m has no effect: it slows down sortBy: Score, which is not supported",
  ]);
});
