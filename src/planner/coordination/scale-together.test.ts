/** The numeric tables of RBG's own tests of coordinated scaling, row by row, and what holds on the way to the end. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ScaledRole, ScalingProgression } from "./scale-together.ts";
import { scaleTogether } from "./scale-together.ts";
import { atLeastOne } from "../../../test/builders/must.ts";

interface Counted {
  readonly current: readonly number[];
  /** As many as there are, where left out. */
  readonly scheduled?: readonly number[];
  readonly ready?: readonly number[];
}

const rolesOf = (
  desired: readonly number[],
  { current, scheduled = current, ready = scheduled }: Counted,
): readonly ScaledRole[] =>
  desired.map((size, at) => ({
    role: `r${at + 1}`,
    desired: size,
    current: current[at] ?? 0,
    scheduled: scheduled[at] ?? 0,
    ready: ready[at] ?? 0,
  }));

const sizesOf = (
  roles: readonly ScaledRole[],
  maxSkewPercent: number,
  progression: ScalingProgression = "OrderScheduled",
): readonly number[] =>
  scaleTogether(roles, { maxSkewPercent, progression }).sizes.map(({ size }) => size);

const numbers = (text: string): readonly number[] => text.split("/").map(Number);

/** Skew, desired sizes, present sizes, next sizes. */
const rows: readonly (readonly [number, string, string, string])[] = [
  [5, "300/100", "0/0", "15/5"],
  [5, "300/100", "15/0", "15/5"],
  [5, "300/100", "15/5", "30/10"],
  // Shares are floating-point numbers, so 0.9 + 0.05 is a little more than 0.95.
  [5, "300/100", "285/90", "286/95"],
  [5, "300/100", "300/100", "300/100"],
  [10, "200/100/50", "20/0/5", "20/10/5"],
  [5, "300/100/10/50", "0/0/0/0", "15/5/1/3"],
  [8, "500/200/20/100/10", "50/20/1/8/1", "65/26/3/13/2"],
  [10, "1000/100/10", "100/5/1", "151/16/2"],
  [5, "0/100", "0/50", "0/56"],
  [10, "0/100", "5/10", "0/20"],
  [10, "0/0", "0/0", "0/0"],
];

test.each(rows)("CO14 at %i%% %s grow from %s to %s", (skew, desired, current, want) => {
  const roles = rolesOf(numbers(desired), { current: numbers(current) });
  expect(sizesOf(roles, skew)).toEqual(numbers(want));
});

interface Order {
  readonly progression: ScalingProgression;
  readonly scheduled: readonly number[];
  readonly ready: readonly number[];
  readonly want: readonly number[];
}

const orders: Readonly<Record<string, Order>> = {
  "OrderScheduled waits for pods without a node": {
    progression: "OrderScheduled",
    scheduled: [10, 5],
    ready: [10, 5],
    want: [15, 5],
  },
  "OrderScheduled goes on before pods are ready": {
    progression: "OrderScheduled",
    scheduled: [15, 5],
    ready: [10, 5],
    want: [30, 10],
  },
  "OrderReady waits for pods that are not ready": {
    progression: "OrderReady",
    scheduled: [15, 5],
    ready: [10, 5],
    want: [15, 5],
  },
  "OrderReady goes on when all are ready": {
    progression: "OrderReady",
    scheduled: [15, 5],
    ready: [15, 5],
    want: [30, 10],
  },
};

test.each(Object.entries(orders))("CO14 %s", (_rule, { progression, scheduled, ready, want }) => {
  const roles = rolesOf([300, 100], { current: [15, 5], scheduled, ready });
  expect(sizesOf(roles, 5, progression)).toEqual(want);
});

test("CO14 a role that shrinks does so at once, also while others wait", () => {
  const roles = rolesOf([2, 100], { current: [5, 10], scheduled: [5, 8] });
  const policy = { maxSkewPercent: 10, progression: "OrderScheduled" } as const;
  expect(scaleTogether(roles, policy)).toEqual({
    sizes: [
      { role: "r1", size: 2 },
      { role: "r2", size: 10 },
    ],
    waitsFor: ["r2"],
  });
});

/** Every step to the end. */
function trace(desired: readonly number[], skew: number): readonly string[] {
  const steps: string[] = [];
  let current: readonly number[] = desired.map(() => 0);
  while (current.some((size, at) => size < (desired[at] ?? 0))) {
    current = sizesOf(rolesOf(desired, { current }), skew);
    steps.push(current.join("/"));
    if (steps.length > 1000) throw new Error(`stuck at ${current.join("/")}`);
  }
  return steps;
}

const traces: Readonly<Record<string, readonly string[]>> = {
  "4/2 at 25": ["1/1", "2/1", "3/2", "4/2"],
  "3/3 at 33": ["1/1", "2/2", "3/3"],
  "10/10 at 10": ["1/1", "2/2", "4/4", "5/5", "6/6", "7/7", "8/8", "9/9", "10/10"],
  "2/3 at 100": ["2/3"],
  // RBG stays at 0/0 here.
  "2/3 at 0": ["1/1", "1/2", "2/2", "2/3"],
};

test.each(Object.entries(traces))("CO14 %s%%", (given, want) => {
  const [desired = "", skew = ""] = given.split(" at ");
  expect(trace(numbers(desired), Number(skew))).toEqual(want);
});

test("CO14 it ends, and on the way no two roles differ by more than the skew and one unit", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 0, max: 100 }), (desired, skew) => {
      const slack = Math.max(...desired.map((size) => 1 / size));
      for (const step of atLeastOne(trace(desired, skew))) {
        const shares = numbers(step).map((size, at) => size / (desired[at] ?? 1));
        const apart = Math.max(...shares) - Math.min(...shares);
        expect(apart, `${desired.join("/")} at ${skew}%: ${step}`).toBeLessThanOrEqual(
          skew / 100 + slack + 1e-9,
        );
      }
    }),
  );
});
