/** Any world and any policy a planner may meet, for property tests. */
import * as fc from "fast-check";
import type { Budget } from "../../src/planner/budget.ts";
import {
  cliquePolicy,
  replicaRecreatePolicy,
  scalingGroupPolicy,
  statefulSetPolicy,
  type OnDeletePolicy,
  type Policy,
  type RollingPolicy,
} from "../../src/planner/policy.ts";
import { nothingRequested, type Snapshot } from "../../src/planner/rollout.ts";
import type { Unit, UnitHealth } from "../../src/planner/unit.ts";

export const revisions = ["v1", "v2", "v3"] as const;
const healths: UnitHealth[] = ["pending", "ready", "available", "unavailable", "terminating"];

const budgets: fc.Arbitrary<Budget> = fc
  .record({ maxUnavailable: fc.nat(4), maxSurge: fc.nat(3) })
  .map(({ maxUnavailable, maxSurge }) => ({
    maxUnavailable: maxUnavailable + maxSurge === 0 ? 1 : maxUnavailable,
    maxSurge,
  }));
const partitions = fc.oneof(fc.constant(0), fc.nat(6));
const pacings = fc.constantFrom("parallel" as const, "rounds" as const, "strict" as const);
const brokenChoices = fc.constantFrom("replace" as const, "wait" as const);

const surging = (make: (budget: Budget, partition: number) => Policy): fc.Arbitrary<Policy> =>
  fc.tuple(budgets, partitions).map(([budget, partition]) => make(budget, partition));

export const anyRolling: fc.Arbitrary<RollingPolicy> = fc.record({
  kind: fc.constant("rolling" as const),
  budget: budgets,
  partition: partitions,
  ordering: fc.constantFrom(
    "descendingOrdinal" as const,
    "ascendingOrdinal" as const,
    "oldestFirst" as const,
    "unscheduledThenBrokenThenOrdinal" as const,
  ),
  pacing: pacings,
  brokenUnits: brokenChoices,
});

const onDelete: fc.Arbitrary<OnDeletePolicy> = fc.record({
  kind: fc.constant("onDelete" as const),
  budget: fc.nat(4).map((maxUnavailable) => ({ maxUnavailable, maxSurge: 0 })),
  pacing: pacings,
  scaleIn: fc.constantFrom("highestOrdinal" as const, "outdatedFirst" as const),
});

/** Every kind of policy there is, by name. */
export const policyFamilies: Readonly<Record<string, fc.Arbitrary<Policy>>> = {
  "pods of a clique": surging(cliquePolicy),
  "replicas of a scaling group": surging(scalingGroupPolicy),
  "whole replicas": surging(replicaRecreatePolicy),
  "a StatefulSet": fc
    .tuple(fc.integer({ min: 1, max: 4 }), partitions, pacings, brokenChoices)
    .map(([maxUnavailable, partition, pacing, broken]) =>
      statefulSetPolicy({ maxUnavailable, maxSurge: 0 }, partition, pacing, broken),
    ),
  OnDelete: onDelete,
  "any ordering with any pacing": anyRolling,
};

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

export const anyWorld: fc.Arbitrary<Snapshot> = fc
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
