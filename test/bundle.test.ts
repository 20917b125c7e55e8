/** A clone builds its bundle when it runs; several processes may start at once. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { moveInto } from "../scripts/build.mjs";

const root = mkdtempSync(join(tmpdir(), "lockstep-bundle-"));
afterEach(() => rmSync(root, { recursive: true }));

function folderOf(name: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return join(root, name);
}

test("a bundle is moved over one that another process has moved there meanwhile", () => {
  const folder = folderOf("bundle", {
    "lockstep.mjs": "theirs",
    "page/index.html": "theirs",
    "chunk-a.mjs": "theirs",
  });
  const draft = folderOf("bundle-7", {
    "lockstep.mjs": "ours",
    "page/index.html": "ours",
    "page/pictures/one.svg": "ours",
  });
  moveInto(folder, draft);
  const texts = ["lockstep.mjs", "page/index.html", "page/pictures/one.svg", "chunk-a.mjs"].map(
    (name) => readFileSync(join(folder, name), "utf8"),
  );
  expect(texts).toEqual(["ours", "ours", "ours", "theirs"]);
  expect(readdirSync(root)).toEqual(["bundle"]);
});
