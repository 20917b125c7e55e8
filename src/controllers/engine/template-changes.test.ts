import { expect, test } from "vitest";
import { templateChanges } from "./template-changes.ts";

const server = (image: string, env: readonly { name: string; value: string }[] = []) => ({
  spec: { podSpec: { containers: [{ name: "server", image, env }] } },
});

const table: readonly [string, unknown, unknown, string][] = [
  ["nothing differs", server("a:v1"), server("a:v1"), ""],
  ["a tag", server("reg/a:v1"), server("reg/a:v2"), "server image v1 -> v2"],
  ["another repository", server("a:v1"), server("b:v1"), "server image a:v1 -> b:v1"],
  [
    "a variable is added, which moves no other",
    server("a:v1", [{ name: "B", value: "1" }]),
    server("a:v1", [
      { name: "A", value: "0" },
      { name: "B", value: "1" },
    ]),
    "server env A added",
  ],
  [
    "a variable changes",
    server("a:v1", [{ name: "B", value: "1" }]),
    server("a:v1", [{ name: "B", value: "2" }]),
    "server env B value 1 -> 2",
  ],
  ["a list without names", { args: ["a"] }, { args: ["b"] }, "args changed"],
  ["a long text", { text: "a".repeat(99) }, { text: "b".repeat(99) }, "text changed"],
  ["something is gone", { a: 1, b: 2 }, { a: 1 }, "b removed"],
  [
    "a key that every object of JavaScript has",
    { labels: { constructor: "a" } },
    { labels: { toString: "b" } },
    "labels constructor removed, labels toString added",
  ],
  [
    "more than anybody reads",
    { a: 1, b: 1, c: 1, d: 1, e: 1 },
    { a: 2, b: 2, c: 2, d: 2, e: 2 },
    "a 1 -> 2, b 1 -> 2, c 1 -> 2, 2 more",
  ],
  [
    "an image, which comes before all else",
    { a: 1, b: 1, c: 1, ...server("a:v1") },
    { a: 2, b: 2, c: 2, ...server("a:v2") },
    "server image v1 -> v2, a 1 -> 2, b 1 -> 2, 1 more",
  ],
];

test.each(table)("%s", (_name, before, after, want) => {
  expect(templateChanges(before, after)).toBe(want);
});
