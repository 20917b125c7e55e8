import { expect, test } from "vitest";
import { findAll, findFirst, JsonPathProblem, parseJsonPath } from "./json-path.ts";

const object = {
  metadata: { labels: { "app.kubernetes.io/name": "chat" } },
  spec: {
    ports: [
      { name: "http", port: 80 },
      { name: "grpc", port: 90 },
    ],
    "dash-ed": 1,
  },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Live", status: "False" },
    ],
  },
};

const cases: Record<string, { path: string; want: unknown[] }> = {
  "a field": { path: ".spec.dash-ed", want: [1] },
  "a missing field": { path: ".spec.nope.more", want: [] },
  "an index": { path: ".spec.ports[1].name", want: ["grpc"] },
  "an index from the end": { path: ".spec.ports[-1].port", want: [90] },
  "an index behind the end": { path: ".spec.ports[7].port", want: [] },
  "every item": { path: ".spec.ports[*].name", want: ["http", "grpc"] },
  "a slice": { path: ".spec.ports[0:1].name", want: ["http"] },
  "a quoted key": { path: ".metadata.labels['app.kubernetes.io/name']", want: ["chat"] },
  "a filter by text": { path: '.status.conditions[?(@.type=="Ready")].status', want: ["True"] },
  "a filter by number": { path: ".spec.ports[?(@.port>80)].name", want: ["grpc"] },
  "a field anywhere below": { path: ".spec..name", want: ["http", "grpc"] },
  "a field anywhere": { path: "..port", want: [80, 90] },
  "a field of the prototype": { path: ".constructor", want: [] },
};

test.each(Object.entries(cases))("%s is found", (_name, { path, want }) => {
  expect(findAll(parseJsonPath(path), object)).toEqual(want);
});

test("a path that leads from everywhere to everywhere ends", () => {
  let deep: unknown = {};
  for (let level = 0; level < 900; level++) deep = { a: deep, b: 1 };
  expect(findAll(parseJsonPath(`${"..a".repeat(8)}.none`), deep)).toEqual([]);
  expect(findFirst(parseJsonPath(`${"..a".repeat(8)}..b`), deep)).toBe(1);
});

test.each(["spec.a", ".spec[", ".spec a", ".spec[?(@.x)]"])("%s is no path", (path) => {
  expect(() => parseJsonPath(path)).toThrow(JsonPathProblem);
});
