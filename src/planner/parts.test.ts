/** Whole replicas made of parts. */
import { expect, test } from "vitest";
import { partsToCreate, unitOfParts, type Part, type PartedUnit } from "./parts.ts";
import type { UnitHealth } from "./unit.ts";

const marks: Record<string, UnitHealth> = {
  "!": "unavailable",
  ".": "pending",
  "~": "terminating",
  "'": "ready",
};

/** `leader:v1 worker:v1!`: the parts that exist of a leader and a worker. */
function replica(drawing: string, partsNeeded?: number): PartedUnit {
  const parts = drawing
    .split(" ")
    .filter((text) => text !== "")
    .map((text): Part => {
      const [name = "", mark = ""] = text.split(":");
      const health = marks[mark.slice(-1)] ?? "available";
      return {
        name,
        revision: mark.replace(/[!.~']$/, ""),
        health,
        scheduled: true,
        createdAtMs: 1,
      };
    });
  const needed = partsNeeded === undefined ? {} : { partsNeeded };
  return {
    name: "set-0",
    id: "uid",
    ordinal: 0,
    partNames: ["leader", "worker"],
    parts,
    ...needed,
  };
}

test.each([
  ["leader:v1 worker:v1", "v1", "available", ""],
  ["leader:v2 worker:v2.", "v2", "pending", ""],
  ["leader:v2 worker:v2'", "v2", "ready", ""],
  ["leader:v2", "v2", "pending", "worker"],
  ["", "v2", "missing", "leader worker"],
  ["leader:v1~ worker:v1", "v1", "unavailable-or-pending", ""],
  ["leader:v1~ worker:v1~", "v1", "terminating", ""],
  ["worker:v1~", "v1", "terminating", ""],
  ["leader:v2 worker:v1", "v1", "unavailable", ""],
  ["leader:v2 worker:v1~", "v2", "unavailable", ""],
  ["leader:v2! worker:v2", "v2", "unavailable", ""],
])("RR1 %s is %s %s, and may start: %s", (drawing, revision, health, created) => {
  const unit = unitOfParts(replica(drawing), "v2");
  expect(unit.revision).toBe(revision);
  expect(health).toContain(unit.health);
  expect(partsToCreate(replica(drawing), "v2").join(" ")).toBe(created);
});

test("RR2 a lost part of a unit that is kept comes back at the unit's own revision", () => {
  const kept = replica("leader:v1");
  expect(partsToCreate(kept, unitOfParts(kept, "v2").revision)).toEqual(["worker"]);
});

test("RR3 enough parts make a unit available", () => {
  expect(unitOfParts(replica("leader:v2 worker:v2.", 1), "v2").health).toBe("available");
});
