/** What every kind says of itself: a state, and the four conditions that are true in it. */
import { expect, test } from "vitest";
import { eventLines } from "../../../test/builders/sentences.ts";
import type { Decision, Policy } from "../../planner/index.ts";
import type { RolloutReport } from "./rollout-conditions.ts";
import {
  neededUnits,
  rolloutConditions,
  rolloutState,
  stallEvents,
  withCauses,
} from "./rollout-conditions.ts";

const report: RolloutReport = {
  phase: "moving",
  reason: "BudgetSpent",
  message: "waiting for web-1 (new) to become available",
  available: 3,
  needed: 3,
  desired: 4,
  noun: "pod",
  causes: ["web-1: ImagePullBackOff: no such tag"],
};

const texts = (given: Partial<RolloutReport>): readonly string[] =>
  rolloutConditions({ ...report, ...given }).map(
    ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
  );

const moving = "waiting for web-1 (new) to become available; web-1: ImagePullBackOff: no such tag";

const table: Readonly<Record<string, readonly [Partial<RolloutReport>, readonly string[]]>> = {
  "it moves, and enough serve": [
    {},
    [
      "Available=True MinimumAvailable: 3 of 4 pods available",
      `Progressing=True BudgetSpent: ${moving}`,
      `Reconciling=True BudgetSpent: ${moving}`,
      "Stalled=False Moving: it moves, or what it waits for is not overdue yet",
    ],
  ],
  "too few serve, and the cause is quoted": [
    { available: 2 },
    [
      "Available=False MinimumUnavailable: 2 of 4 pods available, 3 needed; web-1: ImagePullBackOff: no such tag",
      `Progressing=True BudgetSpent: ${moving}`,
      `Reconciling=True BudgetSpent: ${moving}`,
      "Stalled=False Moving: it moves, or what it waits for is not overdue yet",
    ],
  ],
  "it rests": [
    { phase: "resting", reason: "AtPartition", message: "1 of 4 updated, partition 3", causes: [] },
    [
      "Available=True MinimumAvailable: 3 of 4 pods available",
      "Progressing=False AtPartition: 1 of 4 updated, partition 3",
      "Reconciling=False AtPartition: 1 of 4 updated, partition 3",
      "Stalled=False AtRest: it is at rest: nothing is overdue",
    ],
  ],
  "it is stuck, which kstatus must not take for progress": [
    { phase: "stalled", reason: "ProgressDeadlineExceeded", message: "no progress since noon" },
    [
      "Available=True MinimumAvailable: 3 of 4 pods available",
      "Progressing=False ProgressDeadlineExceeded: no progress since noon; web-1: ImagePullBackOff: no such tag",
      "Reconciling=False ProgressDeadlineExceeded: no progress since noon; web-1: ImagePullBackOff: no such tag",
      "Stalled=True ProgressDeadlineExceeded: no progress since noon; web-1: ImagePullBackOff: no such tag",
    ],
  ],
};

test.each(Object.entries(table))("%s", (_name, [given, want]) => {
  expect(texts(given)).toEqual(want);
});

test("one replica is spoken of as one", () => {
  const [available] = texts({ desired: 1, needed: 1, available: 1, noun: "replica" });
  expect(available).toBe("Available=True MinimumAvailable: 1 of 1 replica available");
});

test("units with the same cause share it", () => {
  const causes = [
    "a: not scheduled: no room",
    "c has 0 of 1 pod ready",
    "b: not scheduled: no room",
  ];
  expect(withCauses("it waits", causes)).toBe(
    "it waits; a, b: not scheduled: no room; c has 0 of 1 pod ready",
  );
});

test("a cause that names its units already is not repeated", () => {
  const causes = ["a: no room", "b: no room", "a, b: no room"];
  expect(withCauses("it waits", causes)).toBe("it waits; a, b: no room");
});

test("the gravest three causes are enough", () => {
  expect(withCauses("it waits", ["a", "b", "c", "d"])).toBe("it waits; a; b; c");
});

const decision = (kind: Decision["kind"], code: string): Decision =>
  ({ kind, reason: { code, message: "" } }) as unknown as Decision;

test.each<[Decision["kind"], string, string, string]>([
  ["replace", "Replacing", "moving", "Replacing"],
  ["hold", "BudgetSpent", "moving", "BudgetSpent"],
  ["hold", "Paused", "resting", "Paused"],
  ["hold", "ProgressDeadlineExceeded", "stalled", "ProgressDeadlineExceeded"],
  ["hold", "NoBudget", "stalled", "NoBudget"],
  ["done", "RolledOut", "resting", "RolledOut"],
  ["done", "PartitionReached", "resting", "AtPartition"],
  ["done", "OutdatedLeftToDelete", "resting", "OutdatedLeftToDelete"],
])("a decision to %s for %s is %s", (kind, code, phase, reason) => {
  expect(rolloutState(decision(kind, code))).toMatchObject({ phase, reason });
});

const rolling = (maxUnavailable: number): Policy =>
  ({ kind: "rolling", budget: { maxUnavailable, maxSurge: 0 } }) as unknown as Policy;
const onDelete = { ...rolling(9), kind: "onDelete" } as unknown as Policy;

test.each<[string, Policy, number, number]>([
  ["all but what may be down", rolling(1), 4, 3],
  ["one at least", rolling(4), 4, 1],
  ["none of none", rolling(1), 0, 0],
  ["all where updates take nothing down", onDelete, 4, 4],
])("needed: %s", (_name, policy, desired, want) => {
  expect(neededUnits(policy, desired)).toBe(want);
});

const stalled = (status: "True" | "False") => ({
  conditions: [
    { type: "Stalled", status, message: "stuck" },
    { type: "Progressing", status: "True" as const, message: "moving; big-0: does not fit" },
  ],
});

test("a stall that somebody pauses has not resumed", () => {
  const paused = { type: "Progressing", status: "False", reason: "Paused", message: "paused" };
  const after = { conditions: [{ type: "Stalled", status: "False" }, paused] } as never;
  expect(stallEvents(stalled("True"), after)).toEqual([]);
});

test("a stall is a warning once, and its end is said", () => {
  const turn = (before: "True" | "False" | undefined, after: "True" | "False") =>
    eventLines(stallEvents(before && stalled(before), stalled(after)));
  expect(turn(undefined, "False")).toEqual([]);
  expect(turn("False", "True")).toEqual(["Warning Stalled: stuck"]);
  expect(turn("True", "True")).toEqual([]);
  expect(turn("True", "False")).toEqual(["Normal Resumed: moving"]);
});
