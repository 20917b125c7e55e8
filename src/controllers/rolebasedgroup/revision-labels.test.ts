import { expect, test } from "vitest";
import { sizeOf } from "./revision-labels.ts";

const table: readonly [string, number, number, number][] = [
  ["nothing is updated yet", 3, 0, 0],
  ["the first updated pod brings one along", 3, 1 / 6, 1],
  ["half of them", 4, 1 / 2, 2],
  ["one stays as long as anything is old", 3, 5 / 6, 2],
  ["all are updated", 3, 1, 3],
  ["a single pod changes sides in the middle", 1, 0.49, 0],
  ["a single pod has changed sides", 1, 0.5, 1],
  ["no pods at all", 0, 0.5, 0],
];

test.each(table)("RG6 %s", (_name, replicas, share, want) => {
  expect(sizeOf(replicas, share)).toBe(want);
});
