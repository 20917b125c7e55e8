/** OnDelete: nothing goes for an update, and scale-in prefers what an update would take. */
import { expect, test } from "vitest";
import { snapshot } from "../../test/builders/fleet.ts";
import { drawActions } from "../../test/builders/foreseen-steps.ts";
import { decide } from "./decide.ts";
import type { OnDeletePolicy } from "./policy.ts";

const budget = { maxUnavailable: 1, maxSurge: 0 };
const byOrdinal: OnDeletePolicy = {
  kind: "onDelete",
  budget,
  pacing: "parallel",
  scaleIn: "highestOrdinal",
};
const outdatedFirst: OnDeletePolicy = { ...byOrdinal, scaleIn: "outdatedFirst" };

test.each<[string, string, OnDeletePolicy, number, string]>([
  ["OD1 outdated units stay", "v1 v1 v1", byOrdinal, 3, "done OutdatedLeftToDelete"],
  ["OD1 broken outdated units stay", "v1! v1 v1", byOrdinal, 3, "hold UnitNotAvailable"],
  ["OD2 a deleted unit comes back on the target", "v1 - v1", byOrdinal, 3, "+1"],
  ["OD2 scale-out is on the target", "v1 v1 v1 -", byOrdinal, 4, "+3"],
  ["OD3 groups lose the highest", "v1 v2 v2 v2", byOrdinal, 3, "-3"],
  ["OD4 pods: outdated ones leave first", "v1 v2 v2 v2", outdatedFirst, 3, "-0"],
  ["OD4 outdated before unready", "v1 v2 v2. v2", outdatedFirst, 3, "-0"],
  ["OD4 among current ones the unready leaves", "v2 v2. v2 v2", outdatedFirst, 3, "-1"],
  ["OD4 who stays keeps its ordinal", "- - 2=v2 3=v2 4=v2", outdatedFirst, 3, "done RolledOut"],
  ["OD4 scale-out fills the lowest free ordinals", "2=v2 3=v2 4=v2", outdatedFirst, 5, "+0 +1"],
])("%s", (_name, given, policy, desired, want) => {
  const decision = decide(snapshot(given, { desired }), policy);
  const drawn = drawActions(decision.actions);
  expect(drawn === "" ? `${decision.kind} ${decision.reason.code}` : drawn).toBe(want);
});
