import * as fc from "fast-check";
import { expect, test } from "vitest";
import { copyJson } from "../schema/own-property.ts";
import type { JsonObject } from "../served-resource.ts";
import { jsonPatch } from "./json-patch.ts";
import { mergePatch } from "./merge-patch.ts";

const original = { labels: { x: "1", y: "2" }, args: ["1", "2"] };
const op = (op: string, path: string, value?: unknown): JsonObject =>
  value === undefined ? { op, path } : { op, path, value };

/** Each was sent to a real server. */
const accepted: Record<string, { patch: JsonObject; want: JsonObject }> = {
  "replace may create a key": {
    patch: op("replace", "/labels/new", "3"),
    want: { labels: { x: "1", y: "2", new: "3" } },
  },
  "add sets a key": {
    patch: op("add", "/labels/a~1b", "3"),
    want: { labels: { x: "1", y: "2", "a/b": "3" } },
  },
  "add without a value adds null": {
    patch: op("add", "/labels/w"),
    want: { labels: { x: "1", y: "2", w: null } },
  },
  "add at an index moves the others": {
    patch: op("add", "/args/0", "z"),
    want: { args: ["z", "1", "2"] },
  },
  "add at - appends": { patch: op("add", "/args/-", "z"), want: { args: ["1", "2", "z"] } },
  "add at -1 appends": { patch: op("add", "/args/-1", "z"), want: { args: ["1", "2", "z"] } },
  "remove at -1 takes the last": { patch: op("remove", "/args/-1"), want: { args: ["1"] } },
  "test of a missing key against null passes": { patch: op("test", "/labels/w", null), want: {} },
  "test compares deeply": { patch: op("test", "/args", ["1", "2"]), want: {} },
  "move takes the value along": {
    patch: { op: "move", from: "/labels/x", path: "/labels/w" },
    want: { labels: { y: "2", w: "1" } },
  },
  "copy of a missing key gives null": {
    patch: { op: "copy", from: "/labels/nope", path: "/labels/w" },
    want: { labels: { x: "1", y: "2", w: null } },
  },
};

test.each(Object.entries(accepted))("%s", (_rule, { patch, want }) => {
  const before = copyJson(original);
  expect(jsonPatch(original, [patch])).toEqual({ ...original, ...want });
  expect(original, "the original is left alone").toEqual(before);
});

const inapplicable: readonly JsonObject[] = [
  op("add", "/nope/q", "1"),
  op("remove", "/labels/nope"),
  op("test", "/labels/x", "9"),
  op("test", "/labels/nope", "1"),
  op("add", "/args/9", "z"),
  op("add", "/args/x", "z"),
  op("replace", "/args/9", "z"),
  op("remove", "/args/9"),
  { op: "move", from: "/labels/nope", path: "/labels/w" },
  op("zzz", "/labels/w"),
  { path: "/labels/w", value: "a" },
  { op: "add", value: "a" },
  op("add", "labels/w", "a"),
  op("add", "", {}),
  op("remove", ""),
  op("add", "/__proto__/x", "1"),
  op("add", "/constructor/prototype/x", "1"),
];

test.each(inapplicable)("%j is refused without details", (operation) => {
  expect(() => jsonPatch(original, [operation])).toThrow(
    expect.objectContaining({
      code: 422,
      message: "the server rejected our request due to an error in our request",
    }),
  );
});

const malformed: readonly (readonly [unknown, number, string])[] = [
  [{ op: "add" }, 400, "cannot unmarshal object into Go value of type []handlers.jsonPatchOp"],
  [[1], 400, "cannot unmarshal number into Go value of type handlers.jsonPatchOp"],
  [Array(10_001).fill(op("add", "/a", 1)), 413, "in a JSON patch is 10000, got 10001"],
];

test.each(malformed)("a malformed patch is refused", (patch, code, message) => {
  const wanted: unknown = expect.stringContaining(message);
  expect(() => jsonPatch(original, patch)).toThrow(
    expect.objectContaining({ code, message: wanted }),
  );
});

const atTheFront: Record<string, JsonObject> = {
  "put at the front of": op("add", "/list/0", 1),
  "taken from the front of": op("remove", "/list/0"),
  "moved to the end of": { op: "move", from: "/list/0", path: "/list/-" },
};

test.each(Object.entries(atTheFront))(
  "ten thousand items are %s a list, unless it is so long that each takes as long as a patch may",
  (_what, operation) => {
    const list = (length: number): JsonObject => ({ list: Array.from({ length }, () => 1) });
    const patch = Array.from({ length: 10_000 }, () => operation);
    expect(() => jsonPatch(list(40_000), patch)).not.toThrow();
    expect(() => jsonPatch(list(400_000), patch)).toThrow(expect.objectContaining({ code: 422 }));
  },
);

test("null and the empty list change nothing; a whole document can be replaced", () => {
  expect(jsonPatch(original, null)).toEqual(original);
  expect(jsonPatch(original, [])).toEqual(original);
  expect(jsonPatch(original, [op("replace", "", { a: 1 })])).toEqual({ a: 1 });
});

test("a key named __proto__ can be added and stays a key", () => {
  const patched = jsonPatch({ data: {} }, [op("add", "/data/__proto__", "x")]) as { data: object };
  expect(Object.keys(patched.data)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(patched.data)).toBe(Object.prototype);
});

test("merge patch: objects merge, null removes, nulls in new parts vanish", () => {
  const patch = { labels: { x: null, n: "1" }, args: ["9"], more: { a: null, b: [{ c: null }] } };
  expect(mergePatch(original, patch)).toEqual({
    labels: { y: "2", n: "1" },
    args: ["9"],
    more: { b: [{}] },
  });
});

test("merge patch refuses anything but an object", () => {
  expect(() => mergePatch(original, [1])).toThrow(
    "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
  );
  expect(() => mergePatch(original, null)).toThrow("Invalid JSON Patch");
});

const tree = fc.dictionary(
  fc.constantFrom("a", "b", "__proto__"),
  fc.oneof(
    fc.constantFrom("1", "2", null),
    fc.dictionary(fc.constantFrom("c", "d"), fc.constantFrom("3", null)),
  ),
);

test("merge patch twice is merge patch once, and never changes its arguments", () => {
  fc.assert(
    fc.property(tree, tree, (before, patch) => {
      const copies = JSON.stringify([before, patch]);
      const once = mergePatch(before, patch);
      expect(mergePatch(once, patch)).toEqual(once);
      expect(JSON.stringify([before, patch])).toBe(copies);
    }),
  );
});
