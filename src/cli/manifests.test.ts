import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Io } from "./io.ts";
import { parseManifests, readManifests } from "./manifests.ts";

const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";

test("documents, lists and empty documents become single objects with their origin", () => {
  const text = `---\n${pod}---\n# nothing\n---\napiVersion: v1\nkind: List\nitems:\n- ${pod.replaceAll("\n", "\n  ")}`;
  const found = parseManifests("app.yaml", text);
  expect(found.map(({ origin }) => origin)).toEqual([
    "app.yaml document 1",
    "app.yaml document 3 item 0",
  ]);
});

const values: Record<string, { yaml: string; want: unknown }> = {
  "yes is true, as Kubernetes reads YAML": { yaml: "yes", want: true },
  "a leading zero is octal": { yaml: "0644", want: 420 },
  "a date stays the text it was": { yaml: "2026-01-02", want: "2026-01-02" },
  "a quoted number stays text": { yaml: '"8080"', want: "8080" },
};

test.each(Object.entries(values))("%s", (_sentence, { yaml, want }) => {
  const [manifest] = parseManifests("x", `${pod}data: ${yaml}\n`);
  expect(manifest?.object["data"]).toEqual(want);
});

const complaints: Record<string, { text: string; want: RegExp }> = {
  "broken YAML is reported with its line": { text: `${pod}spec: [1`, want: /app\.yaml: .*line 4/s },
  "a key written twice is reported": { text: `${pod}kind: Pod\n`, want: /keys must be unique/i },
  "an object without a kind is reported by field": {
    text: "apiVersion: v1\nmetadata: {}",
    want: /app\.yaml: kind: Required value; set kind/,
  },
  "a scalar is no object": { text: "hello", want: /is not a Kubernetes object/ },
  "an alias bomb is refused": {
    text: `${pod}a: &a [x,x,x,x,x,x,x,x,x,x]
b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]
c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]
d: [*c,*c,*c,*c]
`,
    want: /alias/i,
  },
};

test.each(Object.entries(complaints))("%s", (_sentence, { text, want }) => {
  expect(() => parseManifests("app.yaml", text)).toThrow(want);
});

test("a folder is read in name order, its inner folders only when asked", () => {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-manifests-"));
  mkdirSync(join(folder, "inner"));
  for (const file of ["b.yaml", "a.yml", "notes.txt", "inner/c.json"]) {
    writeFileSync(
      join(folder, file),
      file.endsWith("json") ? '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"c"}}' : pod,
    );
  }
  const io = { workingDirectory: folder } as Io;
  const origins = (recursive: boolean): string[] =>
    readManifests(["."], recursive, io).map(({ origin }) => origin.slice(folder.length + 1));
  expect(origins(false)).toEqual(["a.yml", "b.yaml"]);
  expect(origins(true)).toEqual(["a.yml", "b.yaml", "inner/c.json"]);
  expect(() => readManifests(["missing"], false, io)).toThrow(/does not exist/);
  rmSync(folder, { recursive: true });
});
