/** The promises hold in any world: units break and recover, views lag, and people change their minds. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { World } from "../../test/builders/planner-world.ts";
import { decide } from "./decide.ts";
import type { RollingPolicy } from "./policy.ts";
import { nothingRequested, type Snapshot } from "./rollout.ts";
import type { Unit, UnitHealth } from "./unit.ts";

const revisions = ["v1", "v2", "v3"];
const healths: UnitHealth[] = ["pending", "ready", "available", "unavailable", "terminating"];

const policyArbitrary: fc.Arbitrary<RollingPolicy> = fc
  .record({
    kind: fc.constant("rolling" as const),
    maxUnavailable: fc.nat(4),
    maxSurge: fc.nat(3),
    partition: fc.oneof(fc.constant(0), fc.nat(6)),
    ordering: fc.constantFrom(
      "descendingOrdinal" as const,
      "ascendingOrdinal" as const,
      "oldestFirst" as const,
      "unscheduledThenBrokenThenOrdinal" as const,
    ),
    pacing: fc.constantFrom("parallel" as const, "rounds" as const, "strict" as const),
    brokenUnits: fc.constant("replace" as const),
  })
  .map(({ maxUnavailable, maxSurge, ...rest }) => ({
    ...rest,
    budget: { maxUnavailable: maxUnavailable + maxSurge === 0 ? 1 : maxUnavailable, maxSurge },
  }));

const unitArbitrary = (ordinal: number): fc.Arbitrary<readonly Unit[]> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    {
      weight: 8,
      arbitrary: fc
        .record({
          revision: fc.constantFrom(...revisions),
          health: fc.oneof(fc.constant("available" as const), fc.constantFrom(...healths)),
          scheduled: fc.boolean(),
          createdAtMs: fc.nat(5),
          failed: fc.boolean(),
        })
        .map(({ failed, ...unit }) => [
          {
            ...unit,
            name: `web-${ordinal}`,
            id: `first-${ordinal}`,
            ordinal,
            ...(failed && unit.health === "unavailable" ? { failed } : {}),
          },
        ]),
    },
  );

const worldArbitrary: fc.Arbitrary<Snapshot> = fc
  .tuple(
    fc.nat(6),
    fc.constantFrom(...revisions),
    fc.tuple(...Array.from({ length: 9 }, (_, ordinal) => unitArbitrary(ordinal))),
  )
  .map(([desired, targetRevision, units]) => ({
    nowMs: 10,
    units: units.flat(),
    requested: nothingRequested,
    rollout: { name: "web", targetRevision, previousRevision: "v1", desired, paused: false },
  }));

type Event =
  | { kind: "reconcile" }
  | { kind: "refresh" }
  | { kind: "settle" | "break" | "remove"; pick: number }
  | { kind: "desire"; desired: number }
  | { kind: "target"; revision: string }
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
    arbitrary: fc.record({ kind: fc.constant("pause" as const), paused: fc.boolean() }),
  },
);

function play(world: World, event: Event): void {
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
    case "pause":
      return world.change({ paused: event.paused });
  }
}

/** From here on everything that starts becomes available, and nobody interferes. */
function finish(world: World): void {
  world.change({ paused: false });
  for (let turn = 0; turn < 200; turn += 1) {
    world.refresh();
    if (decide(world.view, world.policy).kind === "done") return;
    world.reconcile();
    const { units } = world.truth;
    for (let index = units.length - 1; index >= 0; index -= 1) world.happen("settle", index);
  }
  const { reason } = decide(world.view, world.policy);
  throw new Error(`never done: ${reason.message} ${JSON.stringify(world.truth.units)}`);
}

test("RO1 RO2 RO4 RO5 RO7 RO11 hold whatever happens, and every rollout ends", () => {
  fc.assert(
    fc.property(
      worldArbitrary,
      policyArbitrary,
      fc.array(eventArbitrary, { maxLength: 40 }),
      (start, policy, events) => {
        const world = new World(start, policy);
        for (const event of events) play(world, event);
        finish(world);
        const { units, rollout } = world.truth;
        const ordinals = units.map(({ ordinal }) => ordinal).toSorted((a, b) => a - b);
        expect(ordinals, "RO4 no holes").toEqual(
          Array.from({ length: rollout.desired }, (_, i) => i),
        );
        const staged = units.filter(({ ordinal }) => ordinal >= policy.partition);
        expect(staged.every(({ revision }) => revision === rollout.targetRevision)).toBe(true);
      },
    ),
    { numRuns: 600 },
  );
});

test("RO10 the order of the input does not matter", () => {
  fc.assert(
    fc.property(
      worldArbitrary,
      policyArbitrary,
      fc.infiniteStream(fc.nat()),
      (world, policy, stream) => {
        const keyed = world.units.map((unit) => ({ unit, key: stream.next().value }));
        const units = keyed.toSorted((a, b) => a.key - b.key).map(({ unit }) => unit);
        expect(decide({ ...world, units }, policy)).toEqual(decide(world, policy));
      },
    ),
    { numRuns: 300 },
  );
});
