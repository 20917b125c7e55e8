/** A decision is as safe on a stale view as on a fresh one, as long as it knows its own writes. */
import { expect, test } from "vitest";
import { snapshot } from "../../test/builders/fleet.ts";
import { drawActions } from "../../test/builders/foreseen-steps.ts";
import { decide } from "./decide.ts";
import { request } from "./model.ts";
import { scalingGroupPolicy, statefulSetPolicy, type Policy } from "./policy.ts";

const one = scalingGroupPolicy({ maxUnavailable: 1, maxSurge: 0 });
const surge = scalingGroupPolicy({ maxUnavailable: 0, maxSurge: 1 });
const ordered = statefulSetPolicy({ maxUnavailable: 2, maxSurge: 0 }, 0, "rounds");

/** Decides again and again on a view that never changes. */
function decideBlindly(given: string, policy: Policy, desired?: number): string[] {
  let view = snapshot(given, desired === undefined ? {} : { desired });
  const lines: string[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    const { actions } = decide(view, policy);
    lines.push(drawActions(actions));
    view = request(view, actions);
  }
  return lines;
}

test.each<[string, string, Policy, number | undefined, string[]]>([
  ["a unit asked to go counts as down at once", "v1 v1 v1", one, undefined, ["↻0", "", "", ""]],
  ["surge is asked for once", "v1 v1 v1", surge, undefined, ["+3", "", "", ""]],
  ["an empty place is filled once", "v2 - v2", one, undefined, ["+1", "", "", ""]],
  ["a round is opened once", "v1 v1 v1", ordered, undefined, ["↻2 ↻1", "", "", ""]],
  ["scale-in is asked for once", "v2 v2 v2 v2", one, 2, ["-3 -2", "", "", ""]],
])("RO11 %s", (_name, given, policy, desired, want) => {
  expect(decideBlindly(given, policy, desired)).toEqual(want);
});

test("RO11 a successor of the same name has not been asked to go", () => {
  const requested = { deletions: ["web-0/v1"], creations: [] };
  const view = { ...snapshot("v2 v1 v1"), requested };
  expect(drawActions(decide(view, one).actions)).toBe("↻1");
});

test("RO11 a creation that is in the view already is not counted twice", () => {
  const requested = { deletions: [], creations: [{ ordinal: 3, revision: "v2" }] };
  const view = { ...snapshot("v1 v1 v1 v2", { desired: 3 }), requested };
  expect(drawActions(decide(view, surge).actions)).toBe("↻0");
});

test("RO11 an unseen unit of an abandoned revision cannot be deleted yet", () => {
  const requested = { deletions: [], creations: [{ ordinal: 0, revision: "v2" }] };
  const view = { ...snapshot("- v3 v3", { targetRevision: "v3" }), requested };
  expect(decide(view, one).kind).toBe("hold");
});

test("ST3 RO11 nobody goes past an unseen unit of an abandoned revision in strict order", () => {
  const strict = statefulSetPolicy({ maxUnavailable: 2, maxSurge: 0 }, 0, "strict");
  const requested = { deletions: [], creations: [{ ordinal: 2, revision: "v1" }] };
  const view = { ...snapshot("v1 v2 -"), requested };
  expect(decide(view, strict).kind).toBe("hold");
  expect(drawActions(decide(snapshot("v1 v2 v2"), strict).actions)).toBe("↻0");
});
