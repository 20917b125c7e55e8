/** The part of `npm run verify` that is quick enough to run every time. */
import { expect, test } from "vitest";
import { allCases } from "./all-cases.ts";
import type { Case } from "./case.ts";

const cases = allCases({ units: undefined, policy: undefined, isQuick: true });
const groups = [...new Set(cases.map(({ group }) => group))];

function problemsOf(chosen: readonly Case[]): string[] {
  return chosen.flatMap(({ name, run }) => {
    const { counterexample } = run();
    if (counterexample === undefined) return [];
    return [[`${counterexample.promise} in ${name}`, ...counterexample.timeline].join("\n")];
  });
}

test.each(groups)(
  "P1-P11 hold in every state: %s",
  (group) => {
    expect(problemsOf(cases.filter((each) => each.group === group))).toEqual([]);
  },
  120_000,
);
