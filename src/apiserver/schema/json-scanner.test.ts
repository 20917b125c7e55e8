import * as fc from "fast-check";
import { expect, test } from "vitest";
import { JsonScanner, maxJsonDepth } from "./json-scanner.ts";
import { allStrictProblems, parseJson } from "./parse-json.ts";

/** Every message was seen on a real server. */
const refused: Record<string, string> = {
  '{"a":tru}': "invalid character '}' in literal true (expecting 'e')",
  '{"a" 1}': "invalid character '1' after object key",
  '{"a":1 "b":2}': "invalid character '\"' after object key:value pair",
  '{"a":[1 2]}': "invalid character '2' after array element",
  '{"a":01}': "invalid character '1' after object key:value pair",
  '{"a":"\\x"}': "invalid character 'x' in string escape code",
  "{a:1}": "invalid character 'a' looking for beginning of object key string",
  '{"a":1,}': "invalid character '}' looking for beginning of object key string",
  '{"a":1}}': "invalid character '}' after top-level value",
  hello: "invalid character 'h' looking for beginning of value",
  '{"a":-}': "invalid character '}' in numeric literal",
  '{"a":1.}': "invalid character '}' after decimal point in numeric literal",
  '{"a":1e}': "invalid character '}' in exponent of numeric literal",
  '{"a":"\n"}': "invalid character '\\n' in string literal",
  '{"a":"\\u12g4"}': "invalid character 'g' in \\u hexadecimal character escape",
  '{"a":nul': "invalid character ' ' in literal null (expecting 'l')",
  "[1,]": "invalid character ']' looking for beginning of value",
  "": "unexpected end of JSON input",
  '{"a"': "unexpected end of JSON input",
};

test.each(Object.entries(refused))("%j is refused in Go's words", (text, message) => {
  expect(() => parseJson(text)).toThrow(message);
});

test("a body nested too deeply is refused before anything walks it", () => {
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  expect(() => parseJson(nested(maxJsonDepth + 1))).toThrow(
    "invalid character '[' exceeded max depth",
  );
  expect(parseJson(nested(maxJsonDepth))).toBeInstanceOf(Array);
  const brackets = `"${"[".repeat(2 * maxJsonDepth)}"`;
  expect(parseJson(brackets), "brackets in a string nest nothing").toHaveLength(2 * maxJsonDepth);
});

test("the scanner accepts whatever JSON.stringify writes", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const pretty = JSON.stringify(JSON.parse(text), null, 2);
      for (const form of [text, pretty]) {
        expect(() => new JsonScanner(form).scan()).not.toThrow();
      }
    }),
  );
});

test("the scanner and JSON.parse agree on what is JSON", () => {
  const fragments = ["{", "}", "[", "]", '"a"', ":", ",", "1", "-", ".5", "e3", "true", "nul", " "];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...fragments), { maxLength: 8 }), (parts) => {
      const text = parts.join("");
      const accepts = (read: () => unknown): boolean => {
        try {
          read();
          return true;
        } catch {
          return false;
        }
      };
      expect(accepts(() => new JsonScanner(text).scan())).toBe(accepts(() => JSON.parse(text)));
    }),
    { numRuns: 2000 },
  );
});

test("a __proto__ key stays a key", () => {
  const value = parseJson('{"__proto__":{"polluted":true}}') as Record<string, unknown>;
  expect(Object.keys(value)).toEqual(["__proto__"]);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("strict problems come in the order of the text, unknown subtrees once", () => {
  const text = `{"metadata":{"labels":{"a":"1","a":"2"}},"foo":{"x":1,"x":2},
    "spec":{"x":1,"x":2,"containers":[{"name":"a","name":"b","name":"c"}]}}`;
  expect(allStrictProblems(text, ['unknown field "foo"', 'unknown field "spec.x"'])).toEqual([
    'duplicate field "metadata.labels.a"',
    'unknown field "foo"',
    'unknown field "spec.x"',
    'duplicate field "spec.containers[0].name"',
  ]);
});

test("without duplicates the decoder's problems stand as they are", () => {
  const unknown = ['unknown field "spec.x"'];
  expect(allStrictProblems('{"spec":{"x":1}}', unknown)).toBe(unknown);
});

test("escaped quotes and colons in strings do not look like duplicates", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const unknown: string[] = [];
      expect(allStrictProblems(text, unknown)).toBe(unknown);
    }),
  );
  const unknown: string[] = [];
  const tricky = JSON.stringify({ 'a":': '\\":"', b: ["\\\\", ':"'], "c\\": { d: '\\\\"' } });
  expect(allStrictProblems(tricky, unknown)).toBe(unknown);
});

test("keys that differ in spelling only are duplicates too", () => {
  expect(allStrictProblems('{"a":1,"\\u0061":2}', [])).toEqual(['duplicate field "a"']);
});

test("duplicates are found in time that does not grow with their depth", () => {
  const keys = Array.from({ length: 100_000 }, (_, index) => `"${index}":1`);
  const text = `${'{"a":'.repeat(900)}{${keys.join(",")},"0":2}${"}".repeat(900)}`;
  const [problem] = allStrictProblems(text, []);
  expect(problem).toBe(`duplicate field "${"a.".repeat(900)}0"`);
}, 10_000);

test("what is said of duplicates is no longer than anybody reads", () => {
  const keys = Array.from({ length: 1_000 }, (_, index) => `"${index}":1`).join(",");
  const text = `{"${"k".repeat(50_000)}":{${keys},${keys}}}`;
  const problems = allStrictProblems(text, []);
  expect(problems[0]).toMatch(/^duplicate field "k+\.0"$/);
  expect(problems.join("").length).toBeLessThan(1_200_000);
});
