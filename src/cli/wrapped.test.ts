/** Text for a terminal: lines break between words, commands not at all. */
import { expect, test } from "vitest";
import { commandTexts, indented, widthOf, wrapped } from "./wrapped.ts";

test("lines break between words, and a word that is too long stays whole", () => {
  expect(wrapped("waits for web-3 to become available", 16)).toEqual([
    "waits for web-3",
    "to become",
    "available",
  ]);
  expect(wrapped("pulls registry.example/model:broken", 12)).toEqual([
    "pulls",
    "registry.example/model:broken",
  ]);
  expect(wrapped("waits for web-3 to become available", 16, 2)).toEqual([
    "waits for web-3",
    "to become …",
  ]);
});

test("lines below each other begin at the same place", () => {
  expect(indented("waits for web-3", 12, "  ")).toEqual(["  waits for", "  web-3"]);
});

test("a command is never broken: what it does stands below it where there is no room", () => {
  const command = "lockstep undo statefulset/web --to-revision 1";
  expect(commandTexts(command, "goes back", 60)).toEqual([`${command}   (goes back)`]);
  expect(commandTexts(command, "goes back", 50)).toEqual([command, "(goes back)"]);
});

test("a pipe gets whole lines", () => {
  const size = () => ({ columns: 80, rows: 24 });
  expect(widthOf({ isTerminal: true, size })).toBe(80);
  expect(widthOf({ isTerminal: false, size })).toBe(Number.POSITIVE_INFINITY);
});
