/** Whole rollouts of up to two thousand units: always within the budget, and about as fast as it allows. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { foresee } from "./foresee.ts";
import type { Ordering } from "./ordering.ts";
import type { RollingPolicy } from "./policy.ts";
import { nothingRequested, type Snapshot } from "./rollout.ts";

const orderings: Ordering[] = [
  "descendingOrdinal",
  "ascendingOrdinal",
  "oldestFirst",
  "unscheduledThenBrokenThenOrdinal",
];

function fleet(desired: number): Snapshot {
  const units = Array.from({ length: desired }, (_, ordinal) => ({
    name: `web-${ordinal}`,
    id: `${ordinal}`,
    ordinal,
    revision: "v1",
    health: "available" as const,
    scheduled: true,
    createdAtMs: (ordinal * 7) % 11,
  }));
  const rollout = { name: "web", targetRevision: "v2", desired, paused: false };
  return { nowMs: 100, units, rollout, requested: nothingRequested };
}

const given = fc.record({
  desired: fc.integer({ min: 1, max: 2_000 }),
  down: fc.integer({ min: 0, max: 100 }),
  surge: fc.integer({ min: 0, max: 100 }),
  keep: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100 })),
  ordering: fc.constantFrom(...orderings),
});

test("RO1 RO2 RO7 SU3 any size keeps its budget, ends, and takes at most a tenth longer than it must", () => {
  fc.assert(
    fc.property(given, ({ desired, down, surge, keep, ordering }) => {
      const share = (percent: number): number => Math.floor((percent * desired) / 100);
      const maxSurge = share(surge);
      const maxUnavailable = share(down) + maxSurge === 0 ? 1 : share(down);
      const partition = share(keep);
      const policy: RollingPolicy = {
        kind: "rolling",
        budget: { maxUnavailable, maxSurge },
        partition,
        ordering,
        pacing: "parallel",
        brokenUnits: "replace",
      };
      const { steps, end, tookMs } = foresee(fleet(desired), policy, {
        goneAfterMs: 1,
        availableAfterMs: 1,
      });
      expect(end.kind).toBe("done");
      const lowest = Math.min(desired, ...steps.map(({ standing }) => standing.available));
      expect(lowest).toBeGreaterThanOrEqual(desired - maxUnavailable);
      const staged = desired - partition;
      const most = Math.max(0, ...steps.map(({ standing }) => standing.surge));
      expect(most).toBeLessThanOrEqual(Math.min(maxSurge, staged));
      // A unit takes two ticks; at most the whole budget is on its way at once. Starting the surge,
      // the last, partly filled wave and taking the surge away cost a constant.
      const least = (2 * staged) / (maxUnavailable + maxSurge);
      expect(tookMs).toBeLessThanOrEqual(least * 1.1 + 4);
    }),
    { numRuns: 60 },
  );
});
