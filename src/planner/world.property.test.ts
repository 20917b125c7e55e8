/** The promises hold in any world: units break and recover, views lag, and people change their minds. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  anyRolling,
  anyWorld,
  policyFamilies,
  revisions,
} from "../../test/builders/planner-arbitraries.ts";
import { PlannerWorld } from "../../test/builders/planner-world.ts";
import { decide } from "./decide.ts";

type Event =
  | { kind: "reconcile" }
  | { kind: "refresh" }
  | { kind: "settle" | "break" | "remove"; pick: number }
  | { kind: "desire"; desired: number }
  | { kind: "target"; revision: string }
  | { kind: "partition"; partition: number }
  | { kind: "pause"; paused: boolean };

const pick = fc.nat(20);
const eventArbitrary: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: "reconcile" as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: "refresh" as const }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("settle" as const), pick }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("break" as const, "remove" as const), pick }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("desire" as const), desired: fc.nat(6) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("target" as const),
      revision: fc.constantFrom(...revisions),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("partition" as const), partition: fc.nat(6) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("pause" as const), paused: fc.boolean() }),
  },
);

function play(world: PlannerWorld, event: Event): void {
  switch (event.kind) {
    case "reconcile":
      return void world.reconcile();
    case "refresh":
      return world.refresh();
    case "settle":
    case "break":
    case "remove":
      return world.happen(event.kind, event.pick);
    case "desire":
      return world.change({ desired: event.desired });
    case "target":
      return world.change({ targetRevision: event.revision });
    case "partition":
      return world.setPartition(event.partition);
    case "pause":
      return world.change({ paused: event.paused });
  }
}

test.each(Object.entries(policyFamilies))(
  "RO1 RO2 RO4 RO5 RO7 RO11 hold for %s whatever happens, and every rollout ends",
  (_name, policies) => {
    fc.assert(
      fc.property(
        anyWorld,
        policies,
        fc.array(eventArbitrary, { maxLength: 40 }),
        (start, policy, events) => {
          const world = new PlannerWorld(start, policy);
          for (const event of events) play(world, event);
          world.finish();
          expect(world.flaws()).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  },
);

test("RO10 the order of the input does not matter", () => {
  fc.assert(
    fc.property(anyWorld, anyRolling, fc.infiniteStream(fc.nat()), (world, policy, stream) => {
      const keyed = world.units.map((unit) => ({ unit, key: stream.next().value }));
      const units = keyed.toSorted((a, b) => a.key - b.key).map(({ unit }) => unit);
      expect(decide({ ...world, units }, policy)).toEqual(decide(world, policy));
    }),
    { numRuns: 300 },
  );
});
