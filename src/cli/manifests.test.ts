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
  "a time of day stays the text it was": { yaml: "22:22", want: "22:22" },
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
  "a value that contains itself is refused": {
    text: `${pod}a: &a {b: *a}\n`,
    want: /app\.yaml: yaml: anchor 'a' value contains itself at line 4.*; correct the YAML/,
  },
  "a number that JSON lacks is refused": {
    text: `${pod}a: .inf\n`,
    want: /app\.yaml: json: unsupported value: \+Inf at line 4, column 4/,
  },
  "deep nesting is refused": {
    text: `${pod}a: ${"[".repeat(5000)}${"]".repeat(5000)}\n`,
    want: /app\.yaml: nested deeper than 800 levels/,
  },
  "a numeric apiVersion is refused": {
    text: "apiVersion: 1\nkind: Pod\nmetadata: {name: a}",
    want: /app\.yaml: apiVersion: Invalid value: 1: must be text; write "1", in quotes/,
  },
  "metadata that is text is refused": {
    text: "apiVersion: v1\nkind: Pod\nmetadata: hello",
    want: /app\.yaml: metadata: Invalid value: "hello": must be a mapping/,
  },
  "annotations that are text are refused": {
    text: "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: hello}",
    want: /metadata\.annotations: Invalid value: "hello": must be a mapping of keys to text/,
  },
  "a label that is a number is refused": {
    text: "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {version: 1}}",
    want: /metadata\.labels\[version\]: Invalid value: 1: must be text; write "1", in quotes/,
  },
  "a name that is a number is refused": {
    text: "apiVersion: v1\nkind: Pod\nmetadata: {name: 7}",
    want: /metadata\.name: Invalid value: 7: must be text/,
  },
  "an alias bomb is refused": {
    text: `${pod}a: &a [x,x,x,x,x,x,x,x,x,x]
b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]
c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]
d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]
e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]
f: [*e,*e,*e]
`,
    want: /alias/i,
  },
};

test.each(Object.entries(complaints))("%s", (_sentence, { text, want }) => {
  expect(() => parseManifests("app.yaml", text)).toThrow(want);
});

test("aliases and merges of an ordinary size are read", () => {
  const text = `${pod}a: &a {x: 1, z: 2}\nb: {<<: *a, z: 3}\nc: [*a, *a]\nd: {<<: [*a, {w: 4}]}\n`;
  expect(parseManifests("x", text)[0]?.object).toMatchObject({
    b: { x: 1, z: 3 },
    c: [
      { x: 1, z: 2 },
      { x: 1, z: 2 },
    ],
    d: { x: 1, z: 2, w: 4 },
  });
});

test("many keys are read in time that grows with their number", () => {
  const keys = Array.from({ length: 50_000 }, (_, index) => `  k${index}: v`).join("\n");
  const [manifest] = parseManifests("x", `${pod}data:\n${keys}\n`);
  expect(Object.keys(manifest?.object["data"] as object)).toHaveLength(50_000);
}, 20_000);

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
