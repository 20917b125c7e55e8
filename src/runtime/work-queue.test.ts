import { expect, test } from "vitest";
import { VirtualClock } from "./virtual-clock.ts";
import { WorkQueue } from "./work-queue.ts";

function queueWithLog() {
  const clock = new VirtualClock(0);
  const log: string[] = [];
  const observer = {
    waited: (key: string, waitedMs: number) => log.push(`${key} waited ${waitedMs}`),
    retried: (key: string, delayMs: number) => log.push(`${key} retries in ${delayMs}`),
  };
  const backoff = { firstMs: 10, limitMs: 50 };
  return { clock, log, queue: new WorkQueue({ clock, backoff, observer }) };
}

test("keys come in the order they were added, each once", async () => {
  const { queue } = queueWithLog();
  for (const key of ["b", "a", "b", "c", "a"]) queue.add(key);
  expect(queue.depth).toBe(3);
  expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(["b", "a", "c"]);
});

test("a key added while it is worked on comes again afterwards, not meanwhile", async () => {
  const { queue } = queueWithLog();
  queue.add("a");
  expect(await queue.take()).toBe("a");
  queue.add("a");
  queue.add("a");
  queue.add("b");
  expect(await queue.take()).toBe("b");
  expect(queue.depth).toBe(0);
  queue.done("a");
  expect(queue.depth).toBe(1);
  expect(await queue.take()).toBe("a");
});

test("a key that keeps coming back stands behind those that waited", async () => {
  const { queue } = queueWithLog();
  for (const key of ["busy", "a", "b"]) queue.add(key);
  const served: string[] = [];
  for (let turn = 0; turn < 6; turn++) {
    const key = (await queue.take()) ?? "";
    served.push(key);
    if (key === "busy") queue.add(key);
    queue.done(key);
  }
  expect(served).toEqual(["busy", "a", "b", "busy", "busy", "busy"]);
});

test("a taker waits until a key comes", async () => {
  const { clock, log, queue } = queueWithLog();
  const taken: (string | undefined)[] = [];
  void queue.take().then((key) => taken.push(key));
  queue.addAfter("late", 30);
  queue.addAfter("late", 20);
  queue.addAfter("late", 40);
  await clock.runUntilIdle();
  expect(taken).toEqual(["late"]);
  expect(clock.now()).toBe(20);
  expect(log).toEqual(["late waited 0"]);
});

test("retries of one key come slower and slower until it is forgotten", async () => {
  const { clock, log, queue } = queueWithLog();
  for (let attempt = 0; attempt < 4; attempt++) {
    queue.retry("a");
    await clock.runUntilIdle();
    queue.done((await queue.take()) ?? "");
  }
  queue.forget("a");
  queue.retry("a");
  const delays = log.filter((line) => line.includes("retries"));
  expect(delays.map((line) => Number(line.split(" ").at(-1)))).toEqual([10, 20, 40, 50, 10]);
});

test("a drain lets queued and active keys finish and drops delayed ones", async () => {
  const { clock, queue } = queueWithLog();
  queue.add("working");
  await queue.take();
  queue.add("waiting");
  queue.addAfter("delayed", 10);
  let isDrained = false;
  void queue.drain().then(() => (isDrained = true));
  queue.add("too late");
  queue.done("working");
  await clock.settle();
  expect(isDrained).toBe(false);
  expect(await queue.take()).toBe("waiting");
  queue.done("waiting");
  await clock.runFor(100);
  expect(isDrained).toBe(true);
  expect(await queue.take()).toBeUndefined();
});

test("a processed key waits for its spacing, one that was only postponed does not", async () => {
  const clock = new VirtualClock(0);
  const queue = new WorkQueue({ clock, spacingMs: (key) => (key === "large" ? 100 : 0) });
  const served: string[] = [];
  const work = async (wasProcessed: boolean): Promise<void> => {
    const key = await queue.take();
    served.push(`${key} at ${clock.now()}`);
    queue.done(key ?? "", wasProcessed);
  };
  queue.add("large");
  await work(true);
  queue.add("large");
  queue.add("small");
  await work(true);
  queue.add("small");
  await work(false);
  const last = work(false);
  await clock.runFor(200);
  await last;
  queue.add("large");
  await work(false);
  expect(served).toEqual([
    "large at 0",
    "small at 0",
    "small at 0",
    "large at 100",
    "large at 200",
  ]);
});

test.each([-3_600_000, 3_600_000])(
  "OP4 a wall clock that moves by %i ms neither silences a key nor hurries it",
  async (byMs) => {
    const clock = new VirtualClock();
    const log: string[] = [];
    const startMs = clock.monotonic();
    const queue = new WorkQueue({ clock, spacingMs: () => 100 });
    const work = async (): Promise<void> => {
      for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
        log.push(`${key} at ${clock.monotonic() - startMs}`);
        queue.done(key);
      }
    };
    void work();
    queue.add("a");
    queue.addAfter("b", 5_000);
    await clock.runFor(10);
    clock.stepWallClock(byMs);
    queue.add("a");
    queue.addAfter("b", 4_000);
    await clock.runFor(10_000);
    expect(log).toEqual(["a at 0", "a at 100", "b at 4010"]);
  },
);
