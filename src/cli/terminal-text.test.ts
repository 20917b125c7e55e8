import { expect, test } from "vitest";
import { alignTabs } from "./tab-writer.ts";
import { rowOf } from "./table.ts";
import { eventLines } from "./event-table.ts";
import { paintFor } from "./paint.ts";
import { printableLine, terminalText } from "./terminal-text.ts";

const shown: Record<string, { given: string; want: string }> = {
  "plain text stays": { given: "web-0\tüñ 漢 🚀\n", want: "web-0\tüñ 漢 🚀\n" },
  "an escape sequence is shown": { given: "\u001b[2Jweb", want: String.raw`\u001b[2Jweb` },
  "so is its one-byte form": { given: "\u009b31m", want: String.raw`\u009b31m` },
  "a bell, a backspace, a carriage return": {
    given: "a\u0007b\bc\rd",
    want: String.raw`a\u0007b\u0008c\u000dd`,
  },
  "text that runs backwards": { given: "a\u202eb", want: String.raw`a\u202eb` },
};

test.each(Object.entries(shown))("%s", (_sentence, { given, want }) => {
  expect(terminalText(given)).toBe(want);
});

test("a line keeps the colours that it was painted with, and shows those that came with the text", () => {
  const paint = paintFor({ isTerminal: true, environment: {} }, {});
  const line = `${paint("yellow", "web")} ${paint("red", "\u001b[32ma")} \u001b[33mb\u001b[8mc`;
  expect(printableLine(line)).toBe(
    `\u001b[33mweb\u001b[39m \u001b[31m${String.raw`\u001b[32ma`}\u001b[39m ${String.raw`\u001b[33mb\u001b[8mc`}`,
  );
});

const hostile = "\u001b[8mhidden";
const harmless = String.raw`\u001b[8mhidden`;

test("cells, labels and events show control characters as text", () => {
  const layout = { wide: false, showNamespace: false, showLabels: true, namePrefix: "" };
  const object = { metadata: { name: "x", labels: { a: hostile } } };
  const row = rowOf({ cells: [hostile], object }, [{ name: "Name", priority: 0 }], layout);
  expect(row).toEqual([harmless, `a=${harmless}`]);
  const [, , , event] = eventLines([{ metadata: { name: "e" }, message: hostile }], 0);
  expect(event).toContain(harmless);
});

test("a tab in a message does not break the columns of an event", () => {
  const lines = eventLines([{ metadata: { name: "e" }, reason: "a\tb", message: "c\nd" }], 0);
  expect(lines.at(-1)?.split("\t")).toHaveLength(5);
});

test("a description may have any number of lines", () => {
  expect(alignTabs(Array.from({ length: 200_000 }, () => "a\tb"))).toHaveLength(200_000);
});
