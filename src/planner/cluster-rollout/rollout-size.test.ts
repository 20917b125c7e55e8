/** Sizes and times of rollouts over clusters, as their fields are written. */
import { expect, test } from "vitest";
import { isRolloutSize, progressDeadlineMs, resolveRolloutSize } from "./rollout-size.ts";

const sizes: [amount: number | string, want: number][] = [
  [50, 50],
  ["30%", 30],
  [0, 100],
  [-1, 100],
  [101, 100],
  ["200%", 100],
  ["0%", 100],
  ["1%", 1],
  [100, 100],
];

test.each(sizes)("CR2 %s of 100 clusters, all of them by default, are %d", (amount, want) => {
  expect(resolveRolloutSize(amount, 100, 100)).toBe(want);
});

test("CR2 a size is a whole number or a percentage", () => {
  expect([3, 0, "25%"].filter((amount) => !isRolloutSize(amount))).toEqual([]);
  expect(["invalid", "25", 1.5, "", "-5%"].filter((amount) => isRolloutSize(amount))).toEqual([]);
  expect(() => resolveRolloutSize("invalid", 100, 100)).toThrow("invalid");
});

test("CR5 a deadline is a number of hours, minutes or seconds, or None", () => {
  expect(["2h", "30m", "10s", "0s", "1h30m"].map(progressDeadlineMs)).toEqual([
    7_200_000, 1_800_000, 10_000, 0, 5_400_000,
  ]);
  expect(["", "None", undefined].map(progressDeadlineMs)).toEqual([Infinity, Infinity, Infinity]);
  expect(["2d", "0", "2d0s", "10g", "h"].map(progressDeadlineMs)).toEqual(Array(5).fill(undefined));
});
