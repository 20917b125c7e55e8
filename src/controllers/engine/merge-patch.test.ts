import { expect, test } from "vitest";
import { mergePatchTo } from "./merge-patch.ts";

const cases: Record<string, { before: unknown; after: unknown; want: unknown }> = {
  "equal values need no patch": {
    before: { a: { b: 1 } },
    after: { a: { b: 1 } },
    want: undefined,
  },
  "only what differs is written": {
    before: { a: 1, b: { c: 1, d: 2 } },
    after: { a: 1, b: { c: 1, d: 3 } },
    want: { b: { d: 3 } },
  },
  "what goes becomes null": {
    before: { a: { b: 1, c: 2 } },
    after: { a: { b: 1 } },
    want: { a: { c: null } },
  },
  "lists are replaced as a whole": { before: { a: [1, 2] }, after: { a: [2] }, want: { a: [2] } },
  "undefined is absent": { before: {}, after: { a: undefined }, want: undefined },
  "what was never there comes whole": { before: undefined, after: { a: 1 }, want: { a: 1 } },
};

test.each(Object.entries(cases))("%s", (_name, { before, after, want }) => {
  expect(mergePatchTo(before, after)).toEqual(want);
});
