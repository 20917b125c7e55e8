/** What a rollout says when it waits, and what it asks for when it is stuck. */
import { expect, test } from "vitest";
import { snapshot, type Drawn } from "../../test/builders/fleet.ts";
import { drawActions } from "../../test/builders/foreseen-steps.ts";
import { decide } from "./decide.ts";
import { scalingGroupPolicy, statefulSetPolicy, type Policy } from "./policy.ts";
import type { OnStuck } from "./rollout.ts";

const one = scalingGroupPolicy({ maxUnavailable: 1, maxSurge: 0 });
const surge = scalingGroupPolicy({ maxUnavailable: 0, maxSurge: 1 });
const both = scalingGroupPolicy({ maxUnavailable: 1, maxSurge: 1 });
const ordered = statefulSetPolicy({ maxUnavailable: 2, maxSurge: 0 }, 0, "rounds");

test.each<[string, Policy, Drawn, string]>([
  [
    "v1 v1 v1 v2.",
    one,
    {},
    "waiting for web-3 (new) to become available: 1 unit is down, at most 1 may be",
  ],
  [
    "v2! v2! v1",
    one,
    {},
    "waiting for web-0 (new) and 1 more to become available: 2 units are down, at most 1 may be",
  ],
  [
    "v1 v1 v2.",
    surge,
    { desired: 2 },
    "waiting for web-2 (surge) to become available: no unit may be down",
  ],
  [
    "v1 v2. v2",
    ordered,
    {},
    "waiting for web-1 (new) to become available: the next round starts when this one is available",
  ],
  [
    "v2. - -",
    ordered,
    {},
    "waiting for web-0 (new) to become available: units start one after another",
  ],
  ["v2 v2 v2~", one, { desired: 2 }, "waiting for web-2 (leaving) to terminate"],
  ["v1 v1 v2", one, { paused: true }, "paused with 2 outdated units left"],
  ["v2 v2", one, {}, "2 units available on v2"],
])("RO7 %s says why", (given, policy, rollout, want) => {
  expect(decide(snapshot(given, rollout), policy).reason.message).toBe(want);
});

test("RO7 a wait says since when and what would free it", () => {
  const { waits } = decide(snapshot("v2! v1"), one);
  const want = {
    unit: "web-0",
    ordinal: 0,
    code: "Broken",
    sinceMs: 0,
    freedBy: "its recovery, or another revision",
  };
  expect(waits).toEqual([want]);
});

test("RO7 minReadySeconds says when to look again", () => {
  const given = snapshot("v2' v1");
  const units = given.units.map((unit) =>
    unit.health === "ready" ? { ...unit, availableAtMs: given.nowMs + 700 } : unit,
  );
  expect(decide({ ...given, units }, one)).toMatchObject({ kind: "hold", recheckAfterMs: 700 });
  expect(decide({ ...given, units, nowMs: given.nowMs + 700 }, one).kind).toBe("replace");
});

const late = (onStuck: OnStuck): Drawn => ({
  deadline: { afterMs: 600_000, lastProgressAtMs: 0, onStuck },
});

test("RO15 a stuck rollout says so, with the reason underneath", () => {
  const { kind, reason, remedy } = decide(snapshot("v2! v1", late("Wait")), one);
  expect({ kind, code: reason.code, remedy }).toEqual({
    kind: "hold",
    code: "ProgressDeadlineExceeded",
    remedy: { kind: "none" },
  });
  expect(reason.message).toBe(
    "no progress since 1970-01-01T00:00:00Z: waiting for web-0 (new) to become available: " +
      "1 unit is down, at most 1 may be",
  );
});

test("RO15 before the deadline it says when that will be", () => {
  const given = { ...snapshot("v2! v1", late("Wait")), nowMs: 100_000 };
  expect(decide(given, one).recheckAfterMs).toBe(500_000);
});

test("RO15 Rollback names the revision to go back to", () => {
  const { remedy } = decide(snapshot("v2! v1", late("Rollback")), one);
  expect(remedy).toEqual({ kind: "rollback", toRevision: "v1" });
});

test("RO15 ReleaseSurge gives up surge that does not come up, and goes on in place where it may", () => {
  const stuck = snapshot("v1 v1 v2?", { desired: 2, ...late("ReleaseSurge") });
  const release = decide(stuck, surge);
  expect(drawActions(release.actions)).toBe("-2");
  expect(release.remedy).toEqual({ kind: "releaseSurge" });
  const released = { ...late("ReleaseSurge"), surgeReleased: true };
  expect(decide(snapshot("v1 v1", released), surge).kind).toBe("hold");
  expect(drawActions(decide(snapshot("v1 v1", released), both).actions)).toBe("↻0");
});
