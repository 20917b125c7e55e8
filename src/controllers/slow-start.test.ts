import { expect, test } from "vitest";
import { allAtOnce, slowStart } from "./slow-start.ts";

/** Runs `count` tasks, those from `failsFrom` on failing, and tells how many ran at once in each batch. */
async function batches(count: number, options: { failsFrom?: number; firstBatch?: number } = {}) {
  const { failsFrom = Number.POSITIVE_INFINITY, firstBatch } = options;
  const sizes: number[] = [];
  let running = 0;
  const tasks = Array.from({ length: count }, (_, index) => async () => {
    running += 1;
    await Promise.resolve();
    if (running > 0) sizes.push(running);
    running = 0;
    if (index >= failsFrom) throw new Error(`task ${index}`);
  });
  const error = await slowStart(tasks, firstBatch).catch((problem: unknown) => problem);
  return { sizes, error };
}

test.each<[number, number | undefined, number[]]>([
  [1, undefined, [1]],
  [7, undefined, [1, 2, 4]],
  [30, undefined, [1, 2, 4, 8, 15]],
  [501, undefined, [1, 2, 4, 8, 16, 32, 64, 64, 64, 64, 64, 64, 54]],
  [100, allAtOnce, [64, 36]],
  [0, undefined, []],
])("%i tasks beginning with %s run in batches of %j", async (count, firstBatch, want) => {
  const { sizes, error } = await batches(count, { firstBatch });
  expect(sizes).toEqual(want);
  expect(error).toBeUndefined();
});

test("a batch with an error is the last one, and its first error is told", async () => {
  const { sizes, error } = await batches(100, { failsFrom: 2 });
  expect(sizes).toEqual([1, 2]);
  expect(error).toEqual(new Error("task 2"));
});
