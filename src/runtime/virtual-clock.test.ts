import { expect, test } from "vitest";
import { sleep } from "./clock.ts";
import { VirtualClock } from "./virtual-clock.ts";

test("timers fire by time, and at one instant in the order they were set", async () => {
  const clock = new VirtualClock(0);
  const fired: string[] = [];
  for (const [name, delayMs] of Object.entries({ c: 20, a: 10, d: 20, b: 10, e: 5 })) {
    clock.after(delayMs, () => fired.push(`${name}@${clock.now()}`));
  }
  await clock.runUntilIdle();
  expect(fired).toEqual(["e@5", "a@10", "b@10", "c@20", "d@20"]);
});

test("promises settle before time moves on", async () => {
  const clock = new VirtualClock(0);
  const seen: number[] = [];
  clock.after(10, () => {
    void Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => seen.push(clock.now()));
  });
  clock.after(20, () => seen.push(clock.now()));
  await clock.runFor(30);
  expect(seen).toEqual([10, 20]);
  expect(clock.now()).toBe(30);
});

test("a cancelled timer does not fire, and one that has fired may be cancelled", async () => {
  const clock = new VirtualClock(0);
  const fired: string[] = [];
  const first = clock.after(1, () => fired.push("first"));
  clock.after(2, () => fired.push("second")).cancel();
  await clock.runFor(5);
  first.cancel();
  clock.after(1, () => fired.push("third"));
  expect(clock.pendingTimers).toBe(1);
  await clock.runUntilIdle();
  expect(fired).toEqual(["first", "third"]);
});

test("ten thousand cancelled timers leave the order intact", async () => {
  const clock = new VirtualClock(0);
  const fired: number[] = [];
  for (let delayMs = 10_000; delayMs > 0; delayMs--) {
    const timer = clock.after(delayMs, () => fired.push(delayMs));
    if (delayMs % 100 !== 0) timer.cancel();
  }
  expect(clock.pendingTimers).toBe(100);
  await clock.runUntilIdle();
  expect(fired).toEqual(Array.from({ length: 100 }, (_, index) => (index + 1) * 100));
});

test("running until something is true stops at that instant or at the limit", async () => {
  const clock = new VirtualClock(0);
  let isDone = false;
  void sleep(clock, 500).then(() => (isDone = true));
  expect(await clock.runUntilTrue(() => isDone, 100)).toBe(false);
  expect(clock.now()).toBe(100);
  expect(await clock.runUntilTrue(() => isDone, 1000)).toBe(true);
  expect(clock.now()).toBe(500);
});

test("its wall clock can be moved without any time passing", async () => {
  const clock = new VirtualClock(1_000_000);
  const fired: number[] = [];
  clock.after(500, () => fired.push(clock.monotonic()));
  clock.stepWallClock(-600_000);
  expect([clock.now(), clock.monotonic(), fired]).toEqual([400_000, 1_000_000, []]);
  await clock.runFor(1_000);
  expect([clock.now(), clock.monotonic(), fired]).toEqual([401_000, 1_001_000, [1_000_500]]);
  await clock.runUntil(402_000);
  expect(clock.monotonic()).toBe(1_002_000);
});
