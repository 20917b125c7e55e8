/** Every sentence that the planner can say, each for a state. A new reason does not compile without one. */
import { expect, test } from "vitest";
import { snapshot, type Drawn } from "../../test/builders/fleet.ts";
import { decide } from "./decide.ts";
import type { ReasonCode } from "./decision.ts";
import {
  replicaRecreatePolicy,
  scalingGroupPolicy,
  statefulSetPolicy,
  type Policy,
} from "./policy.ts";

type Row = readonly [drawing: string, policy: Policy, rollout: Drawn, sentence: string];

const one = scalingGroupPolicy({ maxUnavailable: 1, maxSurge: 0 });
const surge = scalingGroupPolicy({ maxUnavailable: 0, maxSurge: 1 });
const none = scalingGroupPolicy({ maxUnavailable: 0, maxSurge: 0 });
const ordered = statefulSetPolicy({ maxUnavailable: 2, maxSurge: 0 }, 0, "rounds");
const held = scalingGroupPolicy({ maxUnavailable: 1, maxSurge: 0 }, 1);
/** Replicas of a set under the default strategy: their parts have budgets of their own. */
const oneAtATime: Policy = {
  ...replicaRecreatePolicy({ maxUnavailable: 1, maxSurge: 0 }),
  maxInFlight: 1,
};
const onDelete: Policy = {
  kind: "onDelete",
  budget: { maxUnavailable: 3, maxSurge: 0 },
  pacing: "parallel",
  scaleIn: "highestOrdinal",
};
const stuck = { deadline: { afterMs: 1, lastProgressAtMs: 0, onStuck: "ReleaseSurge" } } as const;

const sentences: Readonly<Record<ReasonCode, readonly Row[]>> = {
  Replacing: [
    ["v1 v1 v1", one, {}, "replacing web-0 by v2: 1 may be down"],
    ["v1 v1 v2", surge, { desired: 2 }, "replacing web-0 by v2: none may be down, 1 surge allowed"],
    ["v1 v1", oneAtATime, {}, "updating web-0 to v2, 1 at a time"],
  ],
  Creating: [["v2 -", one, {}, "creating web-1"]],
  Surging: [["v1 v1", surge, {}, "creating web-2 (surge) before an outdated unit is deleted"]],
  ScalingIn: [
    ["v2 v2 v2", one, { desired: 2 }, "deleting web-2: 2 units desired"],
    ["v2 v2", one, { desired: 1, noun: "pod" }, "deleting web-1: 1 pod desired"],
  ],
  ReleasingSurge: [
    [
      "v2 v2 v2",
      surge,
      { desired: 2 },
      "deleting web-2 (surge): every other unit is available again",
    ],
    ["v1 v1 v3", surge, { desired: 2 }, "deleting web-2: outdated, and above the 2 desired"],
    [
      "v1 v1 v2?",
      surge,
      { desired: 2, ...stuck },
      "deleting web-2 (surge): it did not become available before the progress deadline",
    ],
  ],
  Paused: [
    ["v1 v1 v2", one, { paused: true }, "paused with 2 outdated units left"],
    ["v2 v2.", one, { paused: true }, "paused, waiting for web-1 (new) to become available"],
  ],
  BudgetSpent: [
    [
      "v1 v2.",
      one,
      {},
      "waiting for web-1 (new) to become available: 1 unit is down, at most 1 may be",
    ],
    [
      "v2. v1",
      oneAtATime,
      {},
      "waiting for web-0 (new) to become available: units are updated 1 at a time",
    ],
    [
      "v1 v2. v2. v2!",
      one,
      {},
      "waiting for web-3 (new) and 2 more to become available: 3 units are down, at most 1 may be",
    ],
    // What goes is sure to end: what takes its time is named first.
    [
      "v1~ v1 v2.",
      one,
      { noun: "pod" },
      "waiting for web-2 (new) and 1 more to become available: 2 pods are down, at most 1 may be",
    ],
    ["v1~ v1", one, {}, "waiting for web-0 (old) to terminate: 1 unit is down, at most 1 may be"],
  ],
  Updating: [
    ["v2+", oneAtATime, {}, "waiting for web-0 (updating) to be complete"],
    [
      "v2+ v1",
      oneAtATime,
      {},
      "waiting for web-0 (updating) to be complete: units are updated 1 at a time",
    ],
  ],
  SurgeNotAvailable: [
    [
      "v1 v1 v2+",
      surge,
      { desired: 2 },
      "waiting for web-2 (surge) to be complete: no unit may be down",
    ],
    [
      "v1 v1 v2.",
      surge,
      { desired: 2 },
      "waiting for web-2 (surge) to become available: no unit may be down",
    ],
  ],
  RoundNotOver: [
    [
      "v1 v2. v2",
      ordered,
      {},
      "waiting for web-1 (new) to become available: the next round starts when this one is available",
    ],
  ],
  PredecessorNotAvailable: [
    [
      "v2. -",
      ordered,
      {},
      "waiting for web-0 (new) to become available: units start one after another",
    ],
  ],
  UnitNotAvailable: [["v2 v2.", one, {}, "waiting for web-1 (new) to become available"]],
  UnitTerminating: [["v2 v2~", one, { desired: 1 }, "waiting for web-1 (leaving) to terminate"]],
  ProgressDeadlineExceeded: [
    [
      "v2 v2!",
      one,
      stuck,
      "no progress since 1970-01-01T00:00:00Z: waiting for web-1 (new) to become available",
    ],
    [
      "v2 v2+",
      oneAtATime,
      stuck,
      "no progress since 1970-01-01T00:00:00Z: waiting for web-1 (updating) to be complete",
    ],
  ],
  NoBudget: [
    [
      "v1 v1",
      none,
      {},
      "2 outdated units remain, but no unit may be down and no surge is allowed: " +
        "raise maxUnavailable or maxSurge",
    ],
    [
      "v1",
      surge,
      { surgeReleased: true },
      "1 outdated unit remains, but no unit may be down and " +
        "the surge was released because it did not become available: " +
        "fix what kept it and restart the rollout (lockstep restart), or change the template",
    ],
    [
      "v1",
      surge,
      { surgeReleased: true, surgeLackedRoom: true },
      "1 outdated unit remains, but no unit may be down and " +
        "the surge was released because it did not fit: " +
        "make room and restart the rollout (lockstep restart), or change the template",
    ],
  ],
  RolledOut: [
    ["v2 v2", one, {}, "2 units available on v2"],
    ["v2", one, { noun: "replica" }, "1 replica available on v2"],
  ],
  PartitionReached: [
    ["v1 v2", held, {}, "partition 1 keeps 1 unit on another revision"],
    ["v1 v2", held, { noun: "pod" }, "partition 1 keeps 1 pod on another revision"],
  ],
  OutdatedLeftToDelete: [
    ["v1 v2", onDelete, {}, "1 outdated unit remains until you delete it"],
    ["v1 v1", onDelete, {}, "2 outdated units remain until you delete them"],
    [
      "v1 v2",
      onDelete,
      { noun: "replica" },
      "1 outdated replica remains until you delete its outdated pods",
    ],
    [
      "v1 v1",
      onDelete,
      { noun: "replica" },
      "2 outdated replicas remain until you delete their outdated pods",
    ],
  ],
};

const rows = Object.entries(sentences).flatMap(([code, given]) =>
  given.map((row) => [code, ...row] as const),
);

test.each(rows)("RO7 %s: %s", (code, drawing, policy, rollout, want) => {
  const { reason } = decide(snapshot(drawing, rollout), policy);
  expect(reason).toEqual({ code, message: want });
});
