/** Progress in numbers. */
import { expect, test } from "vitest";
import { snapshot } from "../../test/builders/fleet.ts";
import { scalingGroupPolicy } from "./policy.ts";
import { progressOf } from "./progress.ts";

test("RO7 progress counts places of the base, and surge apart", () => {
  const policy = scalingGroupPolicy({ maxUnavailable: 1, maxSurge: 1 });
  expect(progressOf(snapshot("v2 v2. v1 v1~ - v2", { desired: 5 }), policy)).toEqual({
    desired: 5,
    available: 3,
    updated: 2,
    updatedAvailable: 1,
    outdated: 1,
    surge: 1,
  });
});
