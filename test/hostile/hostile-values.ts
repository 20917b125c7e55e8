/** Values, objects and texts that nobody sends by accident: the same random numbers give the same ones. */
import type { Random } from "../../src/sim/random.ts";

const one = <T>(random: Random, from: readonly T[]): T => from[random.below(from.length)] as T;

const names = [
  ..."__proto__ constructor prototype toString hasOwnProperty valueOf $patch $setElementOrder/ports".split(
    " ",
  ),
  ..."name kind apiVersion metadata spec status data labels annotations finalizers items".split(
    " ",
  ),
  "",
  " ",
  ".",
  "..",
  "a/b/c",
  "\u0000",
  "\u001b[2J",
  "\ud800",
  "x".repeat(300),
];

const texts = [
  ...names,
  "1".repeat(20_000),
  "a".repeat(50_000),
  `${"a".repeat(30)}!`,
  "1e999999999",
  "-1",
  "99999999999999999999999",
  "100%",
  "0x10",
  ".nan",
  "9999-99-99T99:99:99Z",
  "[::1]:99999",
  "../../etc/passwd",
  "%00%ff",
  "🚀".repeat(100),
];

const numbers = [0, -0, -1, 1, 0.5, 2 ** 31, -(2 ** 31), 2 ** 53, 1e308, -1e308, 65_536];

export function hostileValue(random: Random, depth = 0): unknown {
  const choice = random.below(depth > 4 ? 5 : 9);
  if (choice === 0) return null;
  if (choice === 1) return random.happens(0.5);
  if (choice === 2) return one(random, numbers);
  if (choice <= 4) return one(random, texts);
  if (choice === 5) return nested(random.below(random.happens(0.1) ? 1200 : 40));
  if (choice === 6)
    return Array.from({ length: random.below(4) }, () => hostileValue(random, depth + 1));
  if (choice === 7) return Array.from({ length: random.below(3000) }, () => one(random, numbers));
  return hostileObject(random, depth + 1);
}

/** Keys are defined, not assigned: `__proto__` is one of them. */
function hostileObject(random: Random, depth: number): object {
  const keys = Array.from({ length: random.below(5) }, () => one(random, names));
  return Object.fromEntries(keys.map((key) => [key, hostileValue(random, depth)]));
}

function nested(levels: number): unknown {
  let value: unknown = "deep";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** A copy with some of its parts replaced, removed, renamed or repeated. */
export function mutated(random: Random, value: unknown, probability = 0.15): unknown {
  if (random.happens(probability / 3)) return hostileValue(random);
  if (Array.isArray(value)) {
    const items = value.map((item) => mutated(random, item, probability));
    // Lists in lists would multiply.
    const isShort = JSON.stringify(items).length < 5000;
    const times = isShort && random.happens(probability / 4) ? random.below(400) : 1;
    return Array.from({ length: times }, () => items).flat();
  }
  if (typeof value !== "object" || value === null) {
    return random.happens(probability / 2) ? hostileValue(random, 3) : value;
  }
  const entries = Object.entries(value).flatMap(([key, part]): [string, unknown][] => {
    if (random.happens(probability / 4)) return [];
    const name = random.happens(probability / 8) ? one(random, names) : key;
    return [[name, mutated(random, part, probability)]];
  });
  const more = random.happens(probability / 4) ? [[one(random, names), hostileValue(random)]] : [];
  return Object.fromEntries([...entries, ...(more as [string, unknown][])]);
}

const splinters = [
  "[",
  "{",
  "]",
  "}",
  ":",
  "- ",
  "&a ",
  "*a",
  "<<: ",
  "\t",
  "\n",
  "'",
  '"',
  "|\n",
  "!!",
  "%",
  "\u0000",
  "---\n",
  "? ",
];

/** A text with pieces cut out, repeated, and splinters of syntax put in. */
export function mangled(random: Random, text: string): string {
  let result = text;
  for (let times = random.below(6); times > 0; times--) {
    const at = random.below(result.length + 1);
    const cut = random.happens(0.5) ? random.below(20) : 0;
    const piece = one(random, splinters).repeat(random.happens(0.05) ? 2000 : 1);
    result = result.slice(0, at) + piece + result.slice(at + cut);
  }
  return random.happens(0.1) ? result.slice(0, random.below(result.length + 1)) : result;
}

/** What rules and schemas of a definition can be made to cost. */
const patterns = [
  "^(a+)+$",
  "(a|a)*$",
  "(.*)*x",
  "([a-z]+)+!",
  "[",
  "(?=a)",
  "a{1,1000}{1,1000}",
  "\\p{L}+$",
];
const formats = [...names.slice(0, 6), "duration", "date-time", "byte", "ipv6", "uri", "email"];
const rules = [
  "self.all(a, self.all(b, self.all(c, a != b || b != c)))",
  "self.matches('^(a+)+$')",
  "self.split('').all(c, self.split('').exists(d, d == c))",
  "self.replace('', self) != ''",
  "self.findAll('a*?b|a').size() >= 0",
  "[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, a + b + c > 0)))",
  "self == self && self == oldSelf",
  "self.distinct().size() >= 0",
  "duration(self) < duration('1h')",
  "quantity(self).isGreaterThan(quantity('1'))",
  "url(self).getQuery().size() >= 0",
  "'%s%s%s'.format([self, self, self]) != ''",
  "(((((self",
  "self.__proto__ == null",
];

function hostileSchema(random: Random, depth = 0): object {
  const type = one(random, ["string", "string", "array", "object", "integer", "constructor"]);
  const validations = random.happens(0.4)
    ? {
        "x-kubernetes-validations": [
          { rule: one(random, rules), messageExpression: "'x' + string(self)" },
        ],
      }
    : {};
  const inner = depth > 2 ? { type: "string" } : hostileSchema(random, depth + 1);
  return {
    type,
    ...validations,
    ...(type === "string" && random.happens(0.5) ? { pattern: one(random, patterns) } : {}),
    ...(type === "string" && random.happens(0.5) ? { format: one(random, formats) } : {}),
    ...(type === "array" ? { items: inner } : {}),
    ...(type === "object" ? { properties: { a: inner, [one(random, names) || "b"]: inner } } : {}),
  };
}

/** Mostly one that a server accepts: what it refuses at once tests nothing else. */
export function hostileDefinition(random: Random, plural: string): object {
  const fields = {
    type: "object",
    properties: { a: hostileSchema(random), b: hostileSchema(random) },
  };
  const schema = { type: "object", properties: { spec: fields } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.hostile.dev` },
    spec: {
      group: "hostile.dev",
      scope: "Namespaced",
      names: { plural, singular: plural, kind: `K${plural}`, listKind: `K${plural}List` },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

export { one };
