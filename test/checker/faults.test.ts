/** Checks the checker: it must detect every deliberate fault and name the promise that it breaks. */
import { expect, test } from "vitest";
import type { Case } from "./case.ts";
import { coordinationFaults, placementFaults } from "./coordination-faults.ts";
import { coordinationCases } from "./coordination-model.ts";
import type { Counterexample } from "./explore.ts";
import { placementCases } from "./placement-model.ts";
import { rolloutCases } from "./rollout-cases.ts";
import { rolloutFaults } from "./rollout-faults.ts";

/** The first broken promise that any configuration shows. */
function caught(cases: readonly Case[]): Counterexample | undefined {
  for (const { run } of cases) {
    const { counterexample } = run();
    if (counterexample !== undefined) return counterexample;
  }
  return undefined;
}

const faults = [
  ...rolloutFaults.map(({ where, planner, ...rest }) => ({
    ...rest,
    cases: rolloutCases([where], planner),
  })),
  ...coordinationFaults.map(({ where, planner, ...rest }) => ({
    ...rest,
    cases: coordinationCases([where], planner),
  })),
  ...placementFaults.map(({ where, planner, ...rest }) => ({
    ...rest,
    cases: placementCases([where], planner),
  })),
];

test("there are at least 25 faults, each different", () => {
  expect(new Set(faults.map(({ fault }) => fault)).size).toBe(faults.length);
  expect(faults.length).toBeGreaterThanOrEqual(25);
});

test.each(faults)(
  "$caughtBy catches it when $fault",
  ({ caughtBy, cases }) => {
    const counterexample = caught(cases);
    expect(counterexample?.promise).toMatch(new RegExp(`^${caughtBy}`));
    expect(counterexample?.timeline.at(0)).toMatch(/^t0 +start/);
  },
  60_000,
);
