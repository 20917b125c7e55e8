/** What users write about coordination, resolved to whole units. */
import { expect, test } from "vitest";
import { reachBeyond } from "./bound-roles.ts";
import { resolveCoordination, resolvePartition } from "./resolve-coordination.ts";
import type { Amount } from "../percent.ts";
import type { StepAmounts } from "./resolve-coordination.ts";

/** Beside the rows of `upstream-tables.test.ts`. */
const partitions: [Amount, number, number][] = [
  ["80%", 200, 160],
  ["80%", 100, 80],
  ["100%", 1, 1],
];

test.each(partitions)(
  "CO2 a partition of %s keeps, of %i units, %i",
  (partition, desired, want) => {
    expect(resolvePartition(partition, desired)).toBe(want);
  },
);

const budgets: [Amount | undefined, number, number][] = [
  ["5%", 200, 10],
  ["5%", 100, 5],
  ["10%", 7, 1],
  ["10%", 3, 1],
  [undefined, 40, 1],
  [3, 40, 3],
];

test.each(budgets)(
  "CO3 maxUnavailable %s lets, of %i units, %i be down",
  (amount, desired, want) => {
    const amounts = amount === undefined ? {} : { maxUnavailable: amount };
    const resolved = resolveCoordination(amounts, { decode: desired });
    const policy = resolved.kind === "policy" ? resolved.policy : undefined;
    expect(policy?.limits["decode"]?.maxUnavailable).toBe(want);
  },
);

/** maxSkew, the partner's updated and desired, own desired, how far that lets a role go. */
const bounds: [number, number, number, number, number][] = [
  [10, 50, 100, 100, 60],
  [1, 20, 200, 100, 11],
  [5, 50, 100, 200, 110],
  [10, 1, 10, 10, 2],
  [50, 50, 100, 100, 100],
  [10, 100, 100, 100, 100],
  [10, 0, 100, 100, 10],
  [1, 0, 100, 200, 2],
  [1, 0, 100, 7, 1],
  [0, 0, 100, 7, 1],
  [0, 5, 10, 10, 6],
  [10, 1, 10, 1000, 200],
];

test.each(bounds)(
  "CO1 within %i%% of a partner at %i of %i, a role of %i may have %i updated",
  (maxSkew, confirmed, desired, own, want) => {
    expect(reachBeyond({ confirmed, desired }, own, maxSkew)).toBe(want);
  },
);

const refused: Record<string, { given: Parameters<typeof resolveCoordination>[0]; want: string }> =
  {
    "CO9 maxSkew together with steps is refused": {
      given: { maxSkew: "5%", steps: [{ roles: { decode: "50%" } }] },
      want: "maxSkew and steps are both set, but the steps already say what the skew is",
    },
    "CO1 an absolute maxSkew is refused, not taken for nothing": {
      given: { maxSkew: 5 },
      want: "maxSkew is 5, which is no share of a role",
    },
    "CO1 a maxSkew above all is refused": {
      given: { maxSkew: "150%" },
      want: 'maxSkew is "150%", which is no share of a role',
    },
  };

test.each(Object.entries(refused))("%s", (_rule, { given, want }) => {
  expect(resolveCoordination(given, { decode: 4 })).toMatchObject({
    kind: "invalid",
    problem: want,
  });
});

test("CO9 steps resolve upwards to whole units of every role they name", () => {
  const steps: StepAmounts[] = [
    { roles: { frontend: "50%" }, pause: {} },
    { roles: { backend: "100%", frontend: 9 }, pause: { seconds: 30 } },
    { roles: { frontend: "100%" } },
  ];
  expect(resolveCoordination({ steps }, { frontend: 3, backend: 4 })).toMatchObject({
    policy: {
      pace: {
        kind: "steps",
        steps: [
          { updated: { frontend: 2 }, pause: { kind: "untilPromoted" } },
          { updated: { backend: 4, frontend: 3 }, pause: { kind: "seconds", seconds: 30 } },
          { updated: { frontend: 3 }, pause: { kind: "none" } },
        ],
      },
    },
  });
});
