import { expect, test } from "vitest";
import type { StepProgress } from "../../planner/index.ts";
import { promotionText, stepProgress } from "./promotion.ts";

interface Case {
  readonly annotation?: string;
  readonly recorded?: { revision: string; passed: number; reachedAt?: string };
  readonly want: StepProgress | undefined;
}

const reachedAt = "2026-01-01T00:00:10Z";
const reachedAtMs = Date.parse(reachedAt);

const cases: Record<string, Case> = {
  "nothing is known": { want: undefined },
  "the status recorded where it is": {
    recorded: { revision: "b", passed: 1, reachedAt },
    want: { revision: "b", passed: 1, reachedAtMs },
  },
  "what another revision passed does not count": {
    recorded: { revision: "a", passed: 1, reachedAt },
    annotation: "pair:a:2",
    want: undefined,
  },
  "a promotion passes the step that was reached": {
    recorded: { revision: "b", passed: 1, reachedAt },
    annotation: "pair:b:2",
    want: { revision: "b", passed: 2 },
  },
  "an old promotion takes nothing back": {
    recorded: { revision: "b", passed: 2, reachedAt },
    annotation: "pair:b:1",
    want: { revision: "b", passed: 2, reachedAtMs },
  },
  "several are separated by commas, and nonsense is ignored": {
    annotation: "other:b:9, pair:b:1 pair:b:x, nonsense",
    want: { revision: "b", passed: 1 },
  },
};

test.each(Object.entries(cases))("RG9 %s", (_name, { annotation, recorded, want }) => {
  const annotations: Record<string, string> =
    annotation === undefined ? {} : { "lockstep.dev/promote": annotation };
  const coordinationState = [
    { name: "pair", state: "Paused", ...(recorded === undefined ? {} : { steps: recorded }) },
  ];
  const group = { metadata: { annotations }, spec: { roles: [] }, status: { coordinationState } };
  expect(stepProgress(group, "pair", "b")).toEqual(want);
});

test("RG9 what the status offers is what the annotation takes", () => {
  const text = promotionText("pair", { revision: "b", passed: 3 });
  const group = {
    metadata: { annotations: { "lockstep.dev/promote": text } },
    spec: { roles: [] },
  };
  expect(stepProgress(group, "pair", "b")).toEqual({ revision: "b", passed: 3 });
});
