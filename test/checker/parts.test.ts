/** Every combination of parts that a whole replica can consist of. */
import { expect, test } from "vitest";
import { partsToCreate, unitOfParts, type Part, type PartedUnit } from "../../src/planner/parts.ts";
import type { UnitHealth } from "../../src/planner/unit.ts";

const healths: readonly UnitHealth[] = [
  "missing",
  "pending",
  "ready",
  "available",
  "unavailable",
  "terminating",
];
const partNames = ["leader", "worker-0", "worker-1"];

const statesOf = (name: string): Part[] =>
  ["v1", "v2", "v3"].flatMap((revision) =>
    healths.map((health) => ({ name, revision, health, scheduled: true, createdAtMs: 0 })),
  );

const combinations = partNames.reduce<Part[][]>(
  (before, name) => before.flatMap((parts) => statesOf(name).map((part) => [...parts, part])),
  [[]],
);
const unit = (parts: readonly Part[]): PartedUnit => ({
  name: "web-0",
  id: "web-0",
  ordinal: 0,
  partNames,
  parts,
});
const present = (parts: readonly Part[]): Part[] =>
  parts.filter(({ health }) => health !== "missing");

test("P8 RO8 RR1 no part starts while one of another revision is left, in any combination", () => {
  const torn = combinations.filter((parts) => {
    const others = present(parts).some(({ revision }) => revision !== "v2");
    return others && partsToCreate(unit(parts), "v2").length > 0;
  });
  expect(torn).toEqual([]);
  expect(combinations).toHaveLength(5832);
});

test("P8 RR3 a unit of two revisions never serves and is outdated, in any combination", () => {
  const wrong = combinations.filter((parts) => {
    const live = present(parts).filter(({ health }) => health !== "terminating");
    const revisions = new Set(live.map(({ revision }) => revision));
    const seen = unitOfParts(unit(parts), "v2");
    return revisions.size > 1 && (seen.health === "available" || seen.revision === "v2");
  });
  expect(wrong).toEqual([]);
});

test("P8 RR1 once the old parts are gone, all parts start at once", () => {
  const gone = combinations.filter((parts) => present(parts).length === 0);
  const started = gone.map((parts) => partsToCreate(unit(parts), "v2"));
  expect(new Set(started.map((names) => names.join(" ")))).toEqual(new Set([partNames.join(" ")]));
});
