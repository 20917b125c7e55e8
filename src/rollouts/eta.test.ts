/** The pace of a rollout is that of the units it replaced, not of those that were never outdated. */
import { expect, test } from "vitest";
import { progressOf } from "./counting.ts";
import { remainingMs } from "./eta.ts";
import type { NodeHealth, ProgressView, RolloutNode } from "./view.ts";

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
    given: { done: 2, total: 6, startedAt: "2026-01-01T00:01:00Z", doneSince: 2 },
    want: undefined,
  },
  "nothing moves": { given: { done: 2, total: 6 }, want: undefined },
};

test.each(Object.entries(cases))("%s", (_name, { given, want }) => {
  expect(remainingMs({ unit: "pod", ...given }, after10s)).toBe(want);
});

const podOf = (health: NodeHealth, isUpdated: boolean, at: number): RolloutNode => ({
  kind: "Pod",
  name: `web-${at}`,
  label: `web-${at}`,
  health,
  isUpdated,
  createdAt: "2026-01-01T00:00:02Z",
  children: [],
});

const heldUp: Record<string, { given: [NodeHealth, boolean][]; want: number | undefined }> = {
  "one of three in ten seconds, one starts": {
    given: [
      ["available", true],
      ["starting", true],
      ["available", false],
    ],
    want: 20_000,
  },
  "what is broken on the target ends at no pace": {
    given: [
      ["available", true],
      ["broken", true],
      ["available", false],
    ],
    want: undefined,
  },
  "what is broken on the old revision is replaced like any other": {
    given: [
      ["available", true],
      ["broken", false],
      ["available", false],
    ],
    want: 20_000,
  },
};

test("what finds no node ends at no pace", () => {
  const waiting = { ...podOf("starting", true, 1), cause: "not scheduled: 8 Insufficient cpu" };
  const nodes = [podOf("available", true, 0), waiting, podOf("available", false, 2)];
  expect(remainingMs(progressOf(nodes, { total: 3, startedAt }), after10s)).toBeUndefined();
});

test.each(Object.entries(heldUp))("%s", (_name, { given, want }) => {
  const nodes = given.map(([health, isUpdated], at) => podOf(health, isUpdated, at));
  expect(remainingMs(progressOf(nodes, { total: nodes.length, startedAt }), after10s)).toBe(want);
});
