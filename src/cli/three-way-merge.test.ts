import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "./three-way-merge.ts";
import { threeWayMerge } from "./three-way-merge.ts";

type Map = { [key: string]: Json };

const cases: Record<string, { last: Map; live: Map; wanted: Map; want: Map }> = {
  "nothing to do gives an empty patch": {
    last: { a: 1 },
    live: { a: 1, status: "x" },
    wanted: { a: 1 },
    want: {},
  },
  "a changed value is sent": { last: { a: 1 }, live: { a: 1 }, wanted: { a: 2 }, want: { a: 2 } },
  "a value that others changed is put back": {
    last: { a: 1 },
    live: { a: 5 },
    wanted: { a: 1 },
    want: { a: 1 },
  },
  "a field that left the manifest is removed": {
    last: { a: 1, b: 2 },
    live: { a: 1, b: 2 },
    wanted: { a: 1 },
    want: { b: null },
  },
  "a field that left the manifest and is gone already needs no removal": {
    last: { a: 1, b: 2 },
    live: { a: 1 },
    wanted: { a: 1 },
    want: {},
  },
  "what others added is left alone, also deep inside": {
    last: { spec: { x: 1 } },
    live: { spec: { x: 1, replicas: 3 } },
    wanted: { spec: { x: 2 } },
    want: { spec: { x: 2 } },
  },
  "defaults inside a list are no difference": {
    last: { list: [{ name: "a" }] },
    live: { list: [{ name: "a", policy: "Always" }] },
    wanted: { list: [{ name: "a" }] },
    want: {},
  },
  "a changed list is sent whole": {
    last: { list: [{ name: "a", extra: 1 }] },
    live: { list: [{ name: "a", extra: 1, policy: "Always" }] },
    wanted: { list: [{ name: "a" }] },
    want: { list: [{ name: "a" }] },
  },
  "null in a manifest removes, once": {
    last: {},
    live: { a: 1 },
    wanted: { a: null, b: null },
    want: { a: null },
  },
  "a map where a scalar was is sent whole": {
    last: { a: 1 },
    live: { a: 1 },
    wanted: { a: { b: 1 } },
    want: { a: { b: 1 } },
  },
};

test.each(Object.entries(cases))("%s", (_sentence, { last, live, wanted, want }) => {
  expect(threeWayMerge(last, live, wanted)).toEqual(want);
});

function mergePatch(target: Json, patch: Json): Json {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const isMap = typeof target === "object" && target !== null && !Array.isArray(target);
  const result: Map = isMap ? { ...(target as Map) } : {};
  for (const [key, value] of Object.entries(patch as Map)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key] ?? null, value);
  }
  return result;
}

const key = fc.constantFrom("a", "b", "c");
const map = fc.letrec<{ map: Map; value: Json }>((tie) => ({
  map: fc.dictionary(key, tie("value"), { noNullPrototype: true }),
  value: fc.oneof({ maxDepth: 3 }, fc.integer({ min: 0, max: 2 }), tie("map"), fc.array(fc.nat(2))),
})).map;

test("applying twice changes nothing the second time", () => {
  fc.assert(
    fc.property(map, map, map, (last, live, wanted) => {
      const once = mergePatch(live, threeWayMerge(last, live, wanted)) as Map;
      expect(threeWayMerge(wanted, once, wanted)).toEqual({});
    }),
  );
});
