/** How long pods take to start is seen on those that run, although times in statuses are whole seconds. */
import { expect, test } from "vitest";
import type { Pod } from "../api/pod.ts";
import { behaviourOf } from "../sim/images/catalogue.ts";
import { durationsOf } from "./durations.ts";

const at = (second: number): string => new Date(second * 1000).toISOString().replace(".000", "");

/** Placed, running and ready at these seconds. */
const podOf = (name: string, node: string, [placed, ran, ready]: readonly number[]): Pod =>
  ({
    metadata: { name },
    spec: { nodeName: node, containers: [{ name: "app", image: "web:v1" }] },
    status: {
      startTime: at(placed ?? 0),
      conditions: [
        { type: "PodScheduled", status: "True", lastTransitionTime: at(placed ?? 0) },
        { type: "Ready", status: "True", lastTransitionTime: at(ready ?? 0) },
      ],
      containerStatuses: [
        { name: "app", restartCount: 0, state: { running: { startedAt: at(ran ?? 0) } } },
      ],
    },
  }) as unknown as Pod;

const changeFor = (pods: readonly Pod[]) =>
  durationsOf({ entries: [] }, pods, { images: [] }).catalogue.entries[0]?.change;

test("of pods that took four to five seconds the next one takes as long as they did on average", () => {
  const pods = [
    podOf("a", "n1", [0, 4, 4]),
    podOf("b", "n2", [10, 15, 15]),
    podOf("c", "n3", [20, 24, 24]),
    podOf("d", "n4", [30, 34, 34]),
  ];
  expect(changeFor(pods)).toEqual({ pullSeconds: 0, startSeconds: 4.25, readySeconds: 0 });
});

test("what a pod takes longer on a node that never ran its image is the pull", () => {
  const pods = [podOf("first", "n1", [0, 32, 34]), podOf("second", "n1", [40, 42, 44])];
  expect(changeFor(pods)).toEqual({ pullSeconds: 30, startSeconds: 2, readySeconds: 2 });
});

const wordsFor = (images: readonly string[]): string =>
  durationsOf({ entries: [] }, [podOf("a", "n1", [0, 4, 4])], { images }).words;

test.each([
  ["all seen", ["web:v2"], /^pods start as fast as 1 that runs now did, and stop/],
  ["none seen", ["db:v2"], /^pods start in 3 s, which is assumed: see --start-seconds/],
  ["some seen", ["web:v2", "db:v2"], /1 that runs now did, those of db in 3 s, which is assumed/],
  ["a name that begins like one that was seen", ["website:v2"], /^pods start in 3 s, which is/],
])("the words say what durations come from: %s", (_what, images, words) => {
  expect(wordsFor(images)).toMatch(words);
});

test("a repository whose name begins like one that was seen is another one", () => {
  const { entries } = durationsOf({ entries: [] }, [podOf("a", "n1", [0, 40, 40])], {
    images: [],
  }).catalogue;
  const startOf = (image: string) =>
    behaviourOf(
      { entries },
      { ...podOf("b", "n1", []), spec: { containers: [{ name: "app", image }] } },
      "app",
    ).startSeconds;
  expect([startOf("web:v9"), startOf("web@sha256:1"), startOf("web")]).toEqual([40, 40, 40]);
  expect(startOf("website:v9")).not.toBe(40);
});
