import { expect, test } from "vitest";
import { memoizeByIdentity } from "./memoize.ts";

test("an answer is computed again only for another object or another input", () => {
  let computed = 0;
  const sum = memoizeByIdentity((about: { readonly size: number }, more: number) => {
    computed++;
    return about.size + more;
  });
  const [one, other] = [{ size: 1 }, { size: 1 }];
  expect([sum(one, 1), sum(one, 1), computed]).toEqual([2, 2, 1]);
  expect([sum(one, 2), computed]).toEqual([3, 2]);
  expect([sum(other, 2), sum(one, 2), computed]).toEqual([3, 3, 3]);
});
