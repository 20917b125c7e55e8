/** The pace of a rollout is that of the units it replaced, not of those that were never outdated. */
import { expect, test } from "vitest";
import { remainingMs } from "./eta.ts";
import type { ProgressView } from "./view.ts";

const startedAt = "2026-01-01T00:00:00Z";
const after10s = Date.parse("2026-01-01T00:00:10Z");

const cases: Record<string, { given: Omit<ProgressView, "unit">; want: number | undefined }> = {
  "two of six in ten seconds: four more in twenty": {
    given: { done: 2, total: 6, startedAt, doneSince: 2 },
    want: 20_000,
  },
  "24 of 30 were never outdated: nothing is known before the first is replaced": {
    given: { done: 24, total: 30, startedAt, doneSince: 0 },
    want: undefined,
  },
  "24 of 30 were never outdated, one is replaced in ten seconds": {
    given: { done: 25, total: 30, startedAt, doneSince: 1 },
    want: 50_000,
  },
  "everything is done": {
    given: { done: 6, total: 6, startedAt, doneSince: 6 },
    want: undefined,
  },
  "the clock of the cluster is ahead: nothing is known": {
    given: { done: 2, total: 6, startedAt: "2026-01-01T00:00:20Z", doneSince: 2 },
    want: undefined,
  },
  "nothing moves": { given: { done: 2, total: 6 }, want: undefined },
};

test.each(Object.entries(cases))("%s", (_name, { given, want }) => {
  expect(remainingMs({ unit: "pod", ...given }, after10s)).toBe(want);
});
