/** How long what restarts again and again waits to be replaced. */
import { expect, test } from "vitest";
import type { RestartRecord } from "../../api/rbg/rolebasedgroup.ts";
import { timeText } from "../../api/time-text.ts";
import { dueAtMs, recentRecords, recorded } from "./restart-backoff.ts";

const now = 1_800_000_000_000;

const record = (count: number, agoSeconds: number): RestartRecord => ({
  name: "chat-decode-0",
  uid: `u${count}`,
  count,
  lastTime: timeText(now - agoSeconds * 1000),
});

/** Replacements so far, seconds that have to pass since the last one. */
const delays: [number, number][] = [
  [1, 30],
  [2, 60],
  [3, 120],
  [4, 240],
  [5, 480],
  [6, 600],
  [40, 600],
];

test.each(delays)("RG11 after %i replacements the next waits %i s", (count, seconds) => {
  const restart = { name: "chat-decode-0", uid: "next" };
  expect(dueAtMs([record(count, 7)], restart) - now).toBe((seconds - 7) * 1000);
});

test("RG11 the first is replaced at once, and so is what a replacement has left to do", () => {
  expect(dueAtMs([record(3, 1)], { name: "chat-decode-1", uid: "any" })).toBe(0);
  const same = { name: "chat-decode-0", uid: "u3" };
  expect(dueAtMs([record(3, 1)], same)).toBe(0);
  expect(recorded([record(3, 1)], [same], now)).toEqual([record(3, 1)]);
});

test("RG11 each replacement is counted, by name", () => {
  const first = { name: "chat-decode-1", uid: "a" };
  const again = { name: "chat-decode-0", uid: "b" };
  expect(recorded([record(3, 90)], [first, again], now)).toEqual([
    { ...again, count: 4, lastTime: timeText(now) },
    { ...first, count: 1, lastTime: timeText(now) },
  ]);
});

test.each([
  [1199, 1],
  [1200, 0],
])("RG11 after %i s of rest, %i replacement is remembered", (seconds, kept) => {
  expect(recentRecords([record(5, seconds)], now)).toHaveLength(kept);
});
