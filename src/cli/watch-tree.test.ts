import { expect, test } from "vitest";
import type { NodeHealth, RolloutNode, RolloutView } from "../rollouts/view.ts";
import { treeLines } from "./watch-tree.ts";

const pod = (ordinal: number, health: NodeHealth, number: number): RolloutNode => ({
  kind: "Pod",
  name: `web-${ordinal}`,
  label: `web-${ordinal}`,
  revision: { name: `web-${number}`, number },
  isUpdated: number === 2,
  health,
  children: [],
});

/** Thirty pods of which the last ten are updated; those are broken that are named. */
const viewOf = (...broken: readonly number[]): RolloutView =>
  ({
    object: { word: "statefulset", name: "web" },
    state: "Stalled",
    nodes: Array.from({ length: 30 }, (_, at) =>
      pod(at, broken.includes(at) ? "broken" : "available", at < 20 ? 1 : 2),
    ),
  }) as unknown as RolloutView;

const drawn = (view: RolloutView, rows: number): readonly string[] =>
  treeLines(view, { rows, nowMs: 0 }).map((line) =>
    line
      .map(({ text }) => text)
      .join("")
      .replaceAll(/ {2,}/g, "  ")
      .trimEnd(),
  );

test("a small terminal shows the broken pods, and each run of others in one line", () => {
  expect(drawn(viewOf(24, 27), 12)).toEqual([
    "NAME  REV  STATUS  AGE  INFO",
    "✖ statefulset/web  Stalled",
    "├─ ✔ web-0 … web-19  #1  available  20 pods folded",
    "├─ ✔ web-20 … web-23  #2  available  4 pods folded",
    "├─ ✖ web-24  #2  broken",
    "├─ ✔ web-25  #2  available",
    "├─ ✔ web-26  #2  available",
    "├─ ✖ web-27  #2  broken",
    "├─ ✔ web-28  #2  available",
    "└─ ✔ web-29  #2  available",
  ]);
});

test("a large one shows every pod", () => {
  expect(drawn(viewOf(24), 40)).toHaveLength(32);
});
