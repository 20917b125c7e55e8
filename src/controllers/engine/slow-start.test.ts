import { expect, test } from "vitest";
import { allAtOnce, slowStart } from "./slow-start.ts";

interface Given {
  readonly failsFrom?: number;
  readonly firstBatch?: number;
}

/** Runs `count` tasks, those from `failsFrom` on failing, and returns how many had started at each moment. */
async function started(count: number, { failsFrom = Infinity, firstBatch }: Given = {}) {
  const starts: number[] = [];
  let startedNow = 0;
  let isCounting = false;
  const tasks = Array.from({ length: count }, (_, index) => async () => {
    startedNow += 1;
    if (!isCounting) {
      isCounting = true;
      queueMicrotask(() => {
        starts.push(startedNow);
        [startedNow, isCounting] = [0, false];
      });
    }
    await new Promise((resolve) => setImmediate(resolve));
    if (index >= failsFrom) throw new Error(`task ${index}`);
  });
  const error = await slowStart(tasks, firstBatch).catch((problem: unknown) => problem);
  return { starts, error };
}

test.each<[number, number | undefined, number[]]>([
  [1, undefined, [1]],
  [7, undefined, [1, 2, 4]],
  [30, undefined, [1, 2, 4, 8, 15]],
  [0, undefined, []],
])("%i tasks beginning with %s start in batches of %j", async (count, firstBatch, want) => {
  const { starts, error } = await started(count, { firstBatch });
  expect(starts).toEqual(want);
  expect(error).toBeUndefined();
});

test("what is known to work begins with as many as may run at once", async () => {
  const { starts, error } = await started(100, { firstBatch: allAtOnce });
  expect(starts[0]).toBe(allAtOnce);
  expect(starts.reduce((sum, each) => sum + each, 0)).toBe(100);
  expect(error).toBeUndefined();
});

test("a batch with an error is the last one, and its first error is thrown", async () => {
  const { starts, error } = await started(100, { failsFrom: 2 });
  expect(starts).toEqual([1, 2]);
  expect(error).toEqual(new Error("task 2"));
});

/** Tasks that end on demand. */
function held(count: number) {
  const ends: ((error?: Error) => void)[] = [];
  const tasks = Array.from({ length: count }, (_, index) => () => {
    return new Promise<void>((resolve, reject) => {
      ends[index] = (error) => (error === undefined ? resolve() : reject(error));
    });
  });
  return { tasks, ends };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("the end of one task makes room for the next, the others need not wait", async () => {
  const { tasks, ends } = held(3);
  const run = slowStart(tasks, 2, 2);
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await settle();
  expect(ends).toHaveLength(3);
  ends[0]?.();
  ends[2]?.();
  await expect(run).resolves.toBeUndefined();
});

test("after an error nothing starts, and what runs is waited for", async () => {
  const { tasks, ends } = held(3);
  let isOver = false;
  const run = slowStart(tasks, 2, 2).finally(() => (isOver = true));
  run.catch(() => undefined);
  ends[0]?.(new Error("refused"));
  await settle();
  expect([ends.length, isOver]).toEqual([2, false]);
  ends[1]?.();
  await expect(run).rejects.toThrow("refused");
});
