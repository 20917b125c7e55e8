/** Whole rollouts of up to two thousand units: always within the budget, and about as fast as it allows. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { foresee } from "./foresee.ts";
import type { Ordering } from "./ordering.ts";
import type { BrokenUnits, OnDeletePolicy, Pacing, RollingPolicy } from "./policy.ts";
import { nothingRequested, type Snapshot } from "./rollout.ts";

const orderings: Ordering[] = [
  "descendingOrdinal",
  "ascendingOrdinal",
  "oldestFirst",
  "unscheduledThenBrokenThenOrdinal",
];
const pacings: Pacing[] = ["parallel", "rounds", "strict"];
const brokenChoices: BrokenUnits[] = ["replace", "wait"];

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

const shares = fc.record({
  desired: fc.integer({ min: 1, max: 2_000 }),
  down: fc.integer({ min: 0, max: 100 }),
  surge: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100 })),
  keep: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100 })),
  brokenUnits: fc.constantFrom(...brokenChoices),
  atOnce: fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
});

const given = (ordering: Ordering, pacing: Pacing) =>
  shares.map(({ desired, down, surge, keep, brokenUnits, atOnce }) => {
    const share = (percent: number): number => Math.floor((percent * desired) / 100);
    const maxSurge = share(surge);
    const maxUnavailable = share(down) + maxSurge === 0 ? 1 : share(down);
    const budget = { maxUnavailable, maxSurge };
    const inFlight = atOnce === undefined ? {} : { maxInFlight: atOnce };
    const partition = share(keep);
    const kind = "rolling" as const;
    const policy = { kind, budget, partition, ordering, pacing, brokenUnits, ...inFlight };
    return { desired, policy: policy satisfies RollingPolicy };
  });

/** Units leave in one tick and serve one tick after they were created. */
const oneTick = { goneAfterMs: 1, availableAfterMs: 1 };

/**
 * The fewest ticks that budget and pacing allow. As many units as may be missing leave together;
 * `parallel` starts them together too, `strict` as many as may be down, `rounds` one by one. An
 * ordered fleet also gives its surge back one by one.
 */
function fewestTicks({ budget, pacing, maxInFlight }: RollingPolicy, staged: number): number {
  const surge = Math.min(budget.maxSurge, staged);
  const window = Math.min(budget.maxUnavailable + surge, maxInFlight ?? Infinity, staged);
  if (staged === 0) return 0;
  const windows = Math.ceil(staged / window);
  switch (pacing) {
    case "parallel":
      return (2 * staged) / window;
    case "rounds":
      return windows + staged + surge;
    case "strict":
      return windows * (1 + Math.ceil(window / Math.max(1, budget.maxUnavailable))) + surge;
  }
}

const combinations = orderings.flatMap((ordering) =>
  pacings.map((pacing) => [ordering, pacing] as const),
);

test.each(combinations)(
  "RO1 RO2 RO7 SU3 any size going %s, %s, keeps its budget and takes at most a tenth longer than it must",
  (ordering, pacing) => {
    fc.assert(
      fc.property(given(ordering, pacing), ({ desired, policy }) => {
        const { maxUnavailable, maxSurge } = policy.budget;
        const { steps, end, tookMs } = foresee(fleet(desired), policy, oneTick);
        expect(end.kind).toBe("done");
        const lowest = Math.min(desired, ...steps.map(({ counts }) => counts.available));
        expect(lowest).toBeGreaterThanOrEqual(desired - maxUnavailable);
        const staged = desired - policy.partition;
        const most = Math.max(0, ...steps.map(({ counts }) => counts.surge));
        expect(most).toBeLessThanOrEqual(Math.min(maxSurge, staged));
        // Starting the surge, the last, partly filled wave and taking the surge away cost a constant.
        expect(tookMs).toBeLessThanOrEqual(fewestTicks(policy, staged) * 1.1 + 4);
      }),
      { numRuns: pacing === "rounds" ? 6 : 10 },
    );
  },
);

test("OD1 an OnDelete fleet of any size has nothing to do, and says what is left to others", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.constantFrom(...pacings),
      fc.constantFrom("highestOrdinal" as const, "outdatedFirst" as const),
      (desired, pacing, scaleIn) => {
        const budget = { maxUnavailable: 1, maxSurge: 0 };
        const policy: OnDeletePolicy = { kind: "onDelete", budget, pacing, scaleIn };
        const { steps, end } = foresee(fleet(desired), policy, oneTick);
        expect([steps.length, end.kind, end.reason.code]).toEqual([
          0,
          "done",
          "OutdatedLeftToDelete",
        ]);
      },
    ),
    { numRuns: 20 },
  );
});
