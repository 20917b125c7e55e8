/** Rounding, row by row. */
import { expect, test } from "vitest";
import { resolveAmount, resolveBudget, resolveStatefulSetBudget } from "./percent.ts";

const statefulSetRows: [string | number | undefined, number, number][] = [
  [undefined, 10, 1],
  [3, 10, 3],
  [3, 0, 3],
  [0, 0, 1],
  ["10%", 25, 2],
  ["100%", 5, 5],
  ["50%", 5, 2],
  ["10%", 5, 1],
  ["1%", 0, 1],
  ["0%", 0, 1],
  ["20%", 10, 2],
  ["25%", 8, 2],
  ["80%", 5, 4],
];

test.each(statefulSetRows)(
  "ST1 a StatefulSet's maxUnavailable %s of %i is %i",
  (amount, of, want) => {
    expect(resolveStatefulSetBudget(amount, of)).toEqual({ maxUnavailable: want, maxSurge: 0 });
  },
);

const budgetRows: [
  string,
  { maxUnavailable?: string | number; maxSurge?: string | number },
  number,
  [number, number],
][] = [
  ["nothing said is one down and none extra", {}, 3, [1, 0]],
  ["maxUnavailable rounds down", { maxUnavailable: "25%" }, 7, [1, 0]],
  ["maxSurge rounds up", { maxUnavailable: 0, maxSurge: "25%" }, 7, [0, 2]],
  ["10% of 3 does not stall", { maxUnavailable: "10%" }, 3, [1, 0]],
  ["a surge of 10% needs no unit down", { maxUnavailable: "10%", maxSurge: "10%" }, 3, [0, 1]],
  ["0 and 0 does not stall", { maxUnavailable: 0, maxSurge: 0 }, 3, [1, 0]],
  ["integers stay", { maxUnavailable: 2, maxSurge: 3 }, 3, [2, 3]],
];

test.each(budgetRows)("RO2 %s", (_name, amounts, desired, [maxUnavailable, maxSurge]) => {
  expect(resolveBudget(amounts, desired)).toEqual({ maxUnavailable, maxSurge });
});

test.each(["5", "-1%", "1.5%", "", -1, 1.5, Number.NaN])(
  "RO2 %j is refused with what to write instead",
  (bad) => {
    expect(() => resolveAmount(bad, 10, "down")).toThrow(/want a whole number such as 2, or "25%"/);
  },
);

test.each(["9".repeat(400) + "%", "99999999999999999999%"])(
  "RO2 a percentage of %s stays a number, of nothing too",
  (amount) => {
    expect(resolveAmount(amount, 0, "up")).toBe(0);
    expect(Number.isFinite(resolveAmount(amount, 20_000, "up"))).toBe(true);
  },
);
