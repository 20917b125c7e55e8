/** The oldest units go first, whatever their ages; units of one age go by ordinal. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import { cliquePolicy } from "./policy.ts";
import { nothingRequested, type Snapshot } from "./rollout.ts";

const ages: Record<string, fc.Arbitrary<number>> = {
  "few different ages": fc.integer({ min: 0, max: 3 }),
  "whole seconds of one day": fc.nat(86_400).map((second) => 1_700_000_000_000 + second * 1_000),
  "any millisecond there is": fc.maxSafeInteger(),
};

function outdated(createdAtMs: readonly number[]): Snapshot {
  const units = createdAtMs.map((created, ordinal) => ({
    name: `web-${ordinal}`,
    id: `${ordinal}`,
    ordinal,
    revision: "v1",
    health: "available" as const,
    scheduled: true,
    createdAtMs: created,
  }));
  const rollout = { name: "web", targetRevision: "v2", desired: units.length, paused: false };
  return { nowMs: 0, units, rollout, requested: nothingRequested };
}

test.each(Object.entries(ages))("RO10 equal ages fall to the place: %s", (_name, age) => {
  fc.assert(
    fc.property(fc.array(age, { maxLength: 200 }), (keys) => {
      const ordinals = keys.map((_key, at) => at);
      const want = ordinals.toSorted((a, b) => keys[a]! - keys[b]! || a - b);
      const policy = cliquePolicy({ maxUnavailable: keys.length, maxSurge: 0 });
      const { actions } = decide(outdated(keys), policy);
      expect(actions.map(({ ordinal }) => ordinal)).toEqual(want);
    }),
    { numRuns: 100 },
  );
});
