/** The series of an add-on: set with its counts, removed with the add-on. */
import { expect, test } from "vitest";
import type { LabelledGauge } from "../../runtime/metrics.ts";
import { OwnerMemory } from "../engine/per-owner.ts";
import { addOnGauges } from "./gauges.ts";

test("AD10 clusters by state, gone when the add-on is gone", () => {
  const series = new Map<string, number>();
  const gauge: LabelledGauge = {
    set: (labels, value) => void series.set(Object.values(labels).join(" "), value),
    remove: (labels) => void series.delete(Object.values(labels).join(" ")),
  };
  const memory = new OwnerMemory();
  const gauges = addOnGauges(memory, (name) => {
    expect(name).toBe("lockstep_addon_clusters");
    return gauge;
  });
  const counts = { selected: 3, installed: 2, available: 1, failed: 0 };
  gauges.show({ metadata: { name: "agent", uid: "1" } }, counts);
  expect(Object.fromEntries(series)).toEqual({
    "agent selected": 3,
    "agent installed": 2,
    "agent available": 1,
    "agent failed": 0,
  });
  memory.forget("agent");
  expect(series.size).toBe(0);
});
