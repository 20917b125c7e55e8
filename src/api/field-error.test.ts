import { expect, test } from "vitest";
import {
  duplicate,
  fieldErrorText,
  forbidden,
  invalid,
  invalidMessage,
  notFound,
  notSupported,
  required,
  tooLong,
  tooMany,
  type FieldError,
} from "./field-error.ts";

const texts: readonly (readonly [FieldError, string])[] = [
  [required("spec.a"), "spec.a: Required value"],
  [required("spec.a", "must be said"), "spec.a: Required value: must be said"],
  [invalid("a", "x", "bad"), 'a: Invalid value: "x": bad'],
  [invalid("a", -1, "bad"), "a: Invalid value: -1: bad"],
  [invalid("a", undefined, "bad"), "a: Invalid value: bad"],
  [invalid("a", null, "bad"), "a: Invalid value: null: bad"],
  [invalid("a", { k: "<b>" }, "bad"), String.raw`a: Invalid value: {"k":"\u003cb\u003e"}: bad`],
  [invalid("a", "x\u0001", "bad"), String.raw`a: Invalid value: "x\x01": bad`],
  [notSupported("a", "x", ["B", "C"]), 'a: Unsupported value: "x": supported values: "B", "C"'],
  [duplicate("a", "x"), 'a: Duplicate value: "x"'],
  [notFound("a", "x"), 'a: Not found: "x"'],
  [forbidden("a", "no"), "a: Forbidden: no"],
  [tooLong("a", 1), "a: Too long: may not be more than 1 byte"],
  [tooMany("a", 3, 2), "a: Too many: 3: must have at most 2 items"],
];

test.each(texts)("%j reads as Kubernetes words it", (error, want) => {
  expect(fieldErrorText(error)).toBe(want);
});

test("an invalid object names its kind and group, one error plainly, several in brackets", () => {
  const pod = { group: "", kind: "Pod" };
  const errors = [required("a"), required("b"), required("a")];
  expect(invalidMessage(pod, "x", [required("a")])).toBe('Pod "x" is invalid: a: Required value');
  expect(invalidMessage({ group: "apps", kind: "StatefulSet" }, "x", errors)).toBe(
    'StatefulSet.apps "x" is invalid: [a: Required value, b: Required value]',
  );
});
