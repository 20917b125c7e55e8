/** Rollout strategies as users write them, and what is wrong with those that cannot be read. */
import { expect, test } from "vitest";
import type { RolloutStrategy } from "../../api/ocm/addon.ts";
import { rolloutPolicy } from "./rollout-policy.ts";

const path = "spec.installStrategy.placements[0].rolloutStrategy";
const defaults = { deadlineMs: Infinity, minSuccessMs: 0, maxFailures: 0, mandatoryGroups: [] };

const readable: Record<string, { given: RolloutStrategy | undefined; want: object }> = {
  "AD5 no strategy is All": { given: undefined, want: { type: "All", deadlineMs: Infinity } },
  "AD5 All takes a deadline": {
    given: { type: "All", all: { progressDeadline: "90s" } },
    want: { type: "All", deadlineMs: 90_000 },
  },
  "AD5 Progressive without its block has defaults": {
    given: { type: "Progressive" },
    want: { type: "Progressive", ...defaults, maxConcurrency: 0 },
  },
  "AD5 Progressive with everything": {
    given: {
      type: "Progressive",
      progressive: {
        maxConcurrency: "25%",
        maxFailures: 3,
        minSuccessTime: "1m30s",
        progressDeadline: "1h",
        mandatoryDecisionGroups: [{ groupName: "canary" }, { groupIndex: 2 }],
      },
    },
    want: {
      type: "Progressive",
      maxConcurrency: "25%",
      maxFailures: 3,
      minSuccessMs: 90_000,
      deadlineMs: 3_600_000,
      mandatoryGroups: [{ name: "canary" }, { index: 2 }],
    },
  },
  "AD5 a number in quotes is that number": {
    given: { type: "Progressive", progressive: { maxConcurrency: "10" } },
    want: { type: "Progressive", ...defaults, maxConcurrency: 10 },
  },
  "AD5 ProgressivePerGroup": {
    given: { type: "ProgressivePerGroup", progressivePerGroup: { maxFailures: "10%" } },
    want: { type: "ProgressivePerGroup", ...defaults, maxFailures: "10%" },
  },
};

test.each(Object.entries(readable))("%s", (_rule, { given, want }) => {
  expect(rolloutPolicy(given, path)).toEqual(want);
});

const unreadable: [given: RolloutStrategy, problem: string][] = [
  [
    { type: "Progressive", progressive: { progressDeadline: "2d" } },
    `${path}.progressive.progressDeadline: "2d" cannot be read; ` +
      "write hours, minutes or seconds such as 10m, or None",
  ],
  [
    { type: "ProgressivePerGroup", progressivePerGroup: { minSuccessTime: "-5m" } },
    `${path}.progressivePerGroup.minSuccessTime: "-5m" cannot be read; write a length of time such as 5m`,
  ],
  [
    { type: "Progressive", progressive: { maxConcurrency: "many" } },
    `${path}.progressive.maxConcurrency: "many" cannot be read; ` +
      "write a whole number such as 10, or a percentage such as 25%",
  ],
];

test.each(unreadable)("AD5 %j is refused with its path and the fix", (given, problem) => {
  expect(rolloutPolicy(given, path)).toEqual({ problem });
});
