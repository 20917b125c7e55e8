/** Rules and tests belong together: every rule is named by a test, every rule a test names exists. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const text = (file: string): string => readFileSync(file, "utf8");
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`);

const pages = filesIn("docs/rules").filter((file) => file.endsWith(".md"));
const rules = pages.flatMap((page) =>
  [...text(page).matchAll(/\*\*([A-Z]{1,2}[0-9]+)\b/g)].map(([, rule = ""]) => rule),
);
const families = [...new Set(rules.map((rule) => rule.replace(/[0-9]+$/, "")))].join("|");
const mentioned = new RegExp(`\\b(?:${families})[0-9]+\\b`, "g");

const isNaming = (file: string): boolean =>
  /\.(test|scenario)\.ts$/.test(file) || /^(test\/checker|bench)\//.test(file);
const namingFiles = [...filesIn("src"), ...filesIn("test"), ...filesIn("bench")]
  .filter((file) => isNaming(file) && file !== "test/rules.test.ts")
  .toSorted();
const namedIn = new Map(
  namingFiles.map((file) => [file, new Set(text(file).match(mentioned) ?? [])]),
);
const named = new Set([...namedIn.values()].flatMap((each) => [...each]));

test("every rule has one paragraph", () => {
  expect(rules.toSorted()).toEqual([...new Set(rules)].toSorted());
  expect(rules.length).toBeGreaterThan(80);
});

test.each(rules)("%s is named by a test", (rule) => {
  expect(named).toContain(rule);
});

test.each(namingFiles.filter((file) => file.startsWith("src/planner/")))(
  "%s names its rules, and each of them exists",
  (file) => {
    const names = [...(namedIn.get(file) ?? [])];
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !rules.includes(name))).toEqual([]);
  },
);
