/** The past of a rollout as changes: replaying them gives what was seen, also after pairs became one. */
import { expect, test } from "vitest";
import type { RolloutNode, RolloutView } from "../rollouts/view.ts";
import type { Frame } from "./history.ts";
import { History } from "./history.ts";
import { thinned } from "./page/thinned.js";

/** `a1 b2!`: pod a of revision 1, pod b of revision 2 that is broken. */
function view(drawing: string): RolloutView {
  const nodes = drawing.split(" ").map((mark): RolloutNode => ({
    kind: "Pod",
    name: mark[0] ?? "",
    label: mark[0] ?? "",
    revision: { name: `web-${mark[1]}`, number: Number(mark[1]) },
    isUpdated: mark[1] === "2",
    health: mark.endsWith("!") ? "broken" : "available",
    children: [],
  }));
  const down = nodes.filter(({ health }) => health === "broken").length;
  return {
    object: {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      word: "statefulset",
      namespace: "",
      name: "web",
    },
    state: "Progressing",
    reason: { code: "Replacing", message: drawing },
    strategy: "",
    isPaused: false,
    changes: "",
    counts: { unit: "pod", desired: nodes.length, available: nodes.length - down, updated: 0 },
    budget: { unavailable: { used: down, allowed: 1 }, surge: { used: 0, allowed: 0 } },
    progress: { unit: "pod", done: 0, total: 0 },
    nodes,
    events: [],
    notes: [],
  };
}

const drawings = ["a1 b1", "a1", "a1 b2!", "a1 b2", "b2", "b2 a2!", "b2 a2"];

const seen = (): History => {
  const history = new History();
  for (const [at, drawing] of drawings.entries()) history.see(view(drawing), `t${at}`);
  return history;
};

/** What a page shows at a moment: all changes up to it, one after the other. */
function replayed(frames: readonly Frame[]): string {
  const cells = new Map<string, string>();
  for (const { changed, gone } of frames) {
    for (const key of gone) cells.delete(key);
    for (const { key, revision, health } of changed)
      cells.set(key, `${key}${revision}${health === "broken" ? "!" : ""}`);
  }
  return [...cells.values()].toSorted().join(" ");
}

const sorted = (drawing: string): string => drawing.split(" ").toSorted().join(" ");

test("every moment can be replayed", () => {
  const { frames } = seen();
  const shown = frames.map((_frame, at) => replayed(frames.slice(0, at + 1)));
  expect(shown).toEqual(drawings.map(sorted));
});

test("only what changed is kept, and nothing where nothing did", () => {
  const history = seen();
  expect(history.frames[3]).toMatchObject({
    changed: [{ key: "b", health: "available" }],
    gone: [],
  });
  expect(history.see(view("b2 a2"), "later")).toBeUndefined();
  expect(history.frames).toHaveLength(drawings.length);
});

test("series say what serves and what the budget promises", () => {
  expect(seen().frames[2]?.series).toMatchObject([{ desired: 2, available: 1, minimum: 1 }]);
});

test("a unit that counts against the budget although it serves is drawn as serving", () => {
  const serving = { used: 1, allowed: 1, serving: ["a"] };
  const budget = { unavailable: serving, surge: { used: 0, allowed: 0 } };
  const history = new History();
  history.see({ ...view("a1 b1"), budget }, "now");
  expect(history.frames[0]?.series).toMatchObject([{ desired: 2, available: 2, minimum: 1 }]);
});

test("thinning keeps the end, and every moment that is left is as it was", () => {
  const frames = thinned(seen().frames);
  expect(frames.length).toBeLessThan(drawings.length);
  const shown = frames.map((_frame, at) => replayed(frames.slice(0, at + 1)));
  expect(shown).toEqual(frames.map(({ reason }) => sorted(reason)));
  expect(shown.at(-1)).toBe("a2 b2");
});

test("something comes up until all of it has served once, and only where it was seen from its start", () => {
  const createdAt = "2026-01-01T00:00:00Z";
  const createdMs = Date.parse(createdAt);
  const history = new History();
  expect(history.isComingUp(createdAt, createdMs)).toBe(true);
  history.see(view("a1 b1!"), "2026-01-01T00:00:01Z");
  expect(history.isComingUp(createdAt, createdMs)).toBe(true);
  history.see(view("a1 b1"), "2026-01-01T00:00:05Z");
  history.see(view("a1! b1!"), "2026-01-01T00:00:09Z");
  expect(history.isComingUp(createdAt, createdMs)).toBe(false);
  const late = new History();
  expect(late.isComingUp(createdAt, createdMs + 3_600_000)).toBe(false);
  late.see(view("a1 b1!"), "2026-01-01T01:00:00Z");
  expect(late.isComingUp(createdAt, createdMs + 3_600_000)).toBe(false);
});
