/** States from conditions: what is reported, in which order of weight. */
import { expect, test } from "vitest";
import type { Condition } from "../api/apps.ts";
import { reportedState } from "./state.ts";
import type { RolloutState } from "./view.ts";

const condition = (type: string, status: Condition["status"], reason: string): Condition => ({
  type,
  status,
  reason,
  message: `${type} ${reason}`,
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

const moving = condition("Progressing", "True", "Replacing");
const rest = (reason: string): Condition => condition("Progressing", "False", reason);

interface Case {
  readonly conditions: readonly Condition[];
  readonly metadata?: Record<string, unknown>;
  readonly want: RolloutState | undefined;
}

const cases: Record<string, Case> = {
  "RO7 rolled out is healthy": { conditions: [rest("RolledOut")], want: "Healthy" },
  "RO13 a partition that is reached": { conditions: [rest("AtPartition")], want: "AtPartition" },
  "OD1 outdated units wait for their deletion": {
    conditions: [rest("OutdatedLeftToDelete")],
    want: "AwaitingDelete",
  },
  "PS21 a part waits for its turn": { conditions: [rest("AwaitingTurn")], want: "AwaitingTurn" },
  "RO12 paused": { conditions: [rest("Paused")], want: "Paused" },
  "what moves is progressing": { conditions: [moving], want: "Progressing" },
  "RO15 a stall outweighs everything that moves": {
    conditions: [moving, condition("Stalled", "True", "ProgressDeadlineExceeded")],
    want: "Stalled",
  },
  "PS11 a rejected spec outweighs a stall": {
    conditions: [
      condition("Stalled", "True", "BudgetSpent"),
      condition("SpecAccepted", "False", "Invalid"),
    ],
    want: "Rejected",
  },
  "a status of an earlier generation says nothing": {
    conditions: [rest("RolledOut")],
    metadata: { generation: 4 },
    want: "Progressing",
  },
  "a deletion outweighs everything": {
    conditions: [condition("Stalled", "True", "BudgetSpent")],
    metadata: { deletionTimestamp: "2026-01-01T00:00:09Z" },
    want: "Deleting",
  },
  "without conditions the counters have to say": { conditions: [], want: undefined },
};

test.each(Object.entries(cases))("%s", (_name, { conditions, metadata, want }) => {
  const object = { metadata: { name: "web", generation: 3, ...metadata } };
  const stated = reportedState(object, { observedGeneration: 3, conditions });
  expect(stated?.state).toBe(want);
});

const rests: Record<string, { reason: string; changedAt: string | undefined; want: string }> = {
  "a pause holds what changed after the last rollout, since then": {
    reason: "Paused",
    changedAt: "2026-01-01T00:05:00Z",
    want: "2026-01-01T00:05:00Z",
  },
  "outdated units wait for their deletion since they are outdated": {
    reason: "OutdatedLeftToDelete",
    changedAt: "2026-01-01T00:05:00Z",
    want: "2026-01-01T00:05:00Z",
  },
  "a rollout that was paused in its course is paused since then": {
    reason: "Paused",
    changedAt: "2025-12-31T23:00:00Z",
    want: "2026-01-01T00:00:00Z",
  },
  "what is rolled out is so since it rests": {
    reason: "RolledOut",
    changedAt: "2026-01-01T00:05:00Z",
    want: "2026-01-01T00:00:00Z",
  },
};

test.each(Object.entries(rests))("RO7 %s", (_name, { reason, changedAt, want }) => {
  const object = { metadata: { name: "web" } };
  expect(reportedState(object, { conditions: [rest(reason)] }, changedAt)?.since).toBe(want);
});

const turned = (type: string, status: Condition["status"], reason: string): Condition => ({
  ...condition(type, status, reason),
  lastTransitionTime: "2026-01-01T00:05:00Z",
});

test.each([
  ["what was stalled and is rolled out", "RolledOut", turned("Stalled", "False", "AtRest")],
  ["what was stalled and is paused", "Paused", turned("Stalled", "False", "AtRest")],
  ["what was rejected and is rolled out", "RolledOut", turned("SpecAccepted", "True", "Accepted")],
])("RO7 %s rests since what outweighed it turned", (_name, reason, other) => {
  const object = { metadata: { name: "web" } };
  const stated = reportedState(object, { conditions: [rest(reason), other] });
  expect(stated?.since).toBe("2026-01-01T00:05:00Z");
});

test("a kind that reports no generation is believed", () => {
  const object = { metadata: { name: "global", generation: 4 } };
  expect(reportedState(object, { conditions: [rest("RolledOut")] })?.state).toBe("Healthy");
});

test("what was not observed yet says which generation was", () => {
  const object = { metadata: { name: "web", generation: 4 } };
  expect(reportedState(object, { observedGeneration: 3 })?.reason).toEqual({
    code: "NotObserved",
    message: "the controller has not reported on generation 4: its status is of generation 3",
  });
});
