import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellWord } from "./shell-word.ts";

test.each(["web", "a.b/c=d:1,2", "80%", '[{"op":"replace"}]'])("%s is read as it is", (text) => {
  expect([text, `'${text}'`]).toContain(shellWord(text));
});

test.each([
  "",
  " ",
  "a b",
  "$(id)",
  "`id`",
  "a;id",
  "it's",
  "'; id; '",
  "-n\nx",
  "*",
  "~",
  "\\",
  "!!",
])("a shell takes %j as one word", (text) => {
  const shown = execFileSync("sh", ["-c", `printf '%s' ${shellWord(text)}`], { encoding: "utf8" });
  expect(shown).toBe(text);
});
