import { expect, test } from "vitest";
import type { ControllerRevision, PodTemplate, StatefulSet } from "../../api/apps.ts";
import { chooseUpdateRevision, expiredRevisions, sortRevisions, templateOf } from "./revisions.ts";
import { revisionData } from "./revision-data.ts";

const template = (image: string, metadata: object = {}): PodTemplate => ({
  metadata: { labels: { app: "web" }, ...metadata },
  spec: { containers: [{ name: "app", image }] },
});

const setWith = (image: string): StatefulSet => ({
  metadata: { name: "web", namespace: "default" },
  spec: { selector: { matchLabels: { app: "web" } }, template: template(image) },
});

const record = (revision: number, image: string, metadata: object = {}): ControllerRevision => ({
  metadata: { name: `web-${image}` },
  revision,
  data: revisionData(template(image, metadata)),
});

const choices: Record<string, { records: ControllerRevision[]; want: object }> = {
  "the first template is recorded as number 1": {
    records: [],
    want: { kind: "create", number: 1 },
  },
  "another template is recorded after the latest": {
    records: [record(1, "a"), record(4, "b")],
    want: { kind: "create", number: 5 },
  },
  "the same template needs no write": {
    records: [record(1, "a"), record(2, "v")],
    want: { kind: "none" },
  },
  "going back makes the old record the newest": {
    records: [record(1, "v"), record(2, "a"), record(3, "b")],
    want: { kind: "renumber", number: 4, revision: record(1, "v") },
  },
  "a null creationTimestamp of an older version is no change": {
    records: [record(1, "v", { creationTimestamp: null })],
    want: { kind: "none" },
  },
  "with both forms recorded the latest counts": {
    records: [record(1, "v", { creationTimestamp: null }), record(2, "v")],
    want: { kind: "none", revision: record(2, "v") },
  },
};

test.each(Object.entries(choices))("ST10 %s", (_sentence, { records, want }) => {
  expect(chooseUpdateRevision(setWith("v"), records)).toMatchObject(want);
});

test("ST10 a pod is made from the recorded template, without the directive", () => {
  expect(templateOf(record(1, "a"))).toEqual(template("a"));
});

test("ST19 records sort by number, then age, then name", () => {
  const aged = (name: string, revision: number, creationTimestamp: string): ControllerRevision => ({
    metadata: { name, creationTimestamp },
    revision,
  });
  const sorted = sortRevisions([
    aged("c", 2, "2026-01-01T00:00:00Z"),
    aged("b", 1, "2026-01-02T00:00:00Z"),
    aged("a", 1, "2026-01-02T00:00:00Z"),
    aged("d", 1, "2026-01-01T00:00:00Z"),
  ]);
  expect(sorted.map(({ metadata }) => metadata.name)).toEqual(["d", "a", "b", "c"]);
});

test.each<[number, string[], string[]]>([
  [0, ["web-d"], ["web-a", "web-b", "web-c"]],
  [2, ["web-d"], ["web-a"]],
  [2, ["web-a", "web-d"], []],
  [-2, [], []],
])("ST19 with limit %i and %j in use, %j go", (limit, inUse, want) => {
  const records = ["a", "b", "c", "d"].map((image, index) => record(index + 1, image));
  const gone = expiredRevisions(records, new Set(inUse), limit);
  expect(gone.map(({ metadata }) => metadata.name)).toEqual(want);
});
