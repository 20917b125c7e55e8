import { expect, test } from "vitest";
import type { Line } from "./timeline-moments.ts";
import { momentsOf } from "./timeline-moments.ts";

/** Thirty pods, one after the other: one goes, its successor is made a second later and up after three more. */
const rollout = (beginMs: number, delayMs: number): Line[] => {
  let atMs = beginMs;
  const after = (ms: number): number => (atMs += ms);
  return Array.from({ length: 30 }, (_, index) => [
    { atMs: after(delayMs), text: `-pod-${index} v1` },
    { atMs: after(1_000 - delayMs), text: `+pod-${index} v2` },
    { atMs: after(3_000), text: `pod-${index} up` },
  ]).flat();
};

test("when a timeline begins and how quick a controller is do not change how it is written", () => {
  const written = momentsOf(rollout(0, 0));
  expect(written.split("\n").filter((line) => line.endsWith("s"))).toHaveLength(61);
  for (const beginMs of [1, 250, 499, 500, 501, 999]) {
    expect(momentsOf(rollout(beginMs, 0))).toBe(written);
    expect(momentsOf(rollout(beginMs, 90))).toBe(written);
  }
});

test("within a moment what comes up stands first, then what goes, then what is made", () => {
  const lines = ["+pod-1 v2", "-pod-1 v1", "pod-0 up", "+pod-0 v2"].map((text, index) => ({
    atMs: 700 + index,
    text,
  }));
  expect(momentsOf(lines)).toBe("0s\n  pod-0 up\n  -pod-1 v1\n  +pod-0 v2\n  +pod-1 v2");
});
