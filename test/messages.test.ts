/** Every reason and every sentence that a user can see stands in a table of sentences: state in, sentence out. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { conditionReasons, eventReasons } from "../src/api/grove/conditions.ts";
import { reasonsIn, sentencesIn, textsIn } from "./builders/messages-in-source.ts";

const files = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((file) => `${root}/${file}`)
    .toSorted();

const controllers = files("src/controllers");
const isSource = (file: string): boolean =>
  file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.endsWith("gauges.ts");

/** A table is a test with states, and a file with what each of them says. */
const isTable = (file: string): boolean =>
  /(sentences[\w-]*|rollout-conditions)\.test\.ts$/.test(file);
const isSaid = (file: string): boolean => /sentences[\w-]*\.txt$/.test(file);
const textsOf = (file: string): readonly string[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .map((text) => text.trim());

/** A condition, an event, or the progress of a role in a coordination. */
const line = /^(\S+=(?:True|False|Unknown)|Normal|Warning|progress) (\w+): /;
/** Only what a state says, not what a state is made of. */
const lines = [
  ...controllers.filter(isSaid).flatMap(textsOf),
  ...controllers.filter(isTable).flatMap(textsIn),
].filter((text) => line.test(text));
const listed: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(conditionReasons).map(([key, text]) => [`conditionReasons.${key}`, text]),
  ...Object.entries(eventReasons).map(([key, text]) => [`eventReasons.${key}`, text]),
]);

test("every reason of a condition or an event is in a table, with a state in which it is given", () => {
  const shown = new Set(lines.map((text) => line.exec(text)?.[2]));
  const missing = controllers
    .filter(isSource)
    .flatMap((file) =>
      reasonsIn(file).map((reason) => ({ file, reason: listed[reason] ?? reason })),
    )
    .filter(({ reason }) => !shown.has(reason))
    .map(({ file, reason }) => `${reason} (${file})`);
  expect(missing).toEqual([]);
});

/** In no status and no event: the operator logs them, and goes on by itself. */
const logged = [
  "pods are too many for batches",
  "in all",
  "was deleted meanwhile",
  "belongs to another set: it has to go first",
  "belongs to another group: it has to go first",
  "another name is chosen once the cache shows it",
  "rolled out any more",
];

test("every sentence of a condition or an event is in a table, with a state in which it is true", () => {
  const missing = controllers
    .filter(isSource)
    .flatMap(sentencesIn)
    .filter(({ text }) => !logged.some((part) => text.endsWith(part)))
    .filter(({ pattern }) => !lines.some((text) => pattern.test(text)))
    .map(({ file, text }) => `${file}: ${text}`);
  expect(missing).toEqual([]);
});
