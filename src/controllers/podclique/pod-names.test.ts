import { expect, test } from "vitest";
import { PodNames } from "./pod-names.ts";

const clique = { name: "chat-0-web", uid: "uid-1" };

test("P11 a creation whose answer was lost is repeated under the same name", () => {
  const names = new PodNames();
  const first = names.nameFor(clique, 0, 1_000);
  expect(first).toMatch(/^chat-0-web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  expect(names.isOpen("uid-1", 0)).toBe(true);
  expect(names.nameFor(clique, 0, 9_000)).toBe(first);
});

test("P11 once the pod was seen, its successor gets another name", () => {
  const names = new PodNames();
  const first = names.nameFor(clique, 0, 1_000);
  names.settleSeen("uid-1", new Set([first]));
  expect(names.isOpen("uid-1", 0)).toBe(false);
  expect(names.nameFor(clique, 0, 9_000)).not.toBe(first);
});

test("names of many indices and moments differ", () => {
  const names = new PodNames();
  const all = Array.from({ length: 2_000 }, (_, index) => names.nameFor(clique, index, index * 7));
  expect(new Set(all).size).toBeGreaterThan(1_990);
});
