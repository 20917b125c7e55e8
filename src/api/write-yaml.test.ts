import { expect, test } from "vitest";
import { readYaml } from "./read-yaml.ts";
import { writeYaml } from "./write-yaml.ts";

const nested = (levels: number): unknown => {
  let value: unknown = "deep";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { a: value } : [value];
  return value;
};

test("a value is written in the style that was asked for", () => {
  expect(writeYaml({ a: ["x"] })).toBe("a:\n  - x\n");
  expect(writeYaml({ a: ["x"] }, { indentSeq: false })).toBe("a:\n- x\n");
});

test.each([10, 300, 790])("a value of %i levels is read again as it was", (levels) => {
  const value = nested(levels);
  expect(JSON.stringify(readYaml(writeYaml(value)))).toBe(JSON.stringify(value));
});

test("what is too deep for the library is written as JSON", () => {
  const value = nested(6_000);
  expect(writeYaml(value)).toBe(`${JSON.stringify(value)}\n`);
});
