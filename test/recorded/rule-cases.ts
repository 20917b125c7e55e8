/** Values that CEL rules accept or refuse. */
import type { ValueCase } from "./value-case.ts";
import { int, list, map, obj, s, withRule } from "./value-case.ts";

const ports = list(obj({ name: s, port: int }, { required: ["name"] }), {
  maxItems: 10,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
});
const shortString = { type: "string", maxLength: 30 };
const tiny = { type: "string", maxLength: 5 };
const range = obj({ min: int, max: int });

const formatted = (format: string, value: string): ValueCase => ({
  schema: withRule(
    { type: "string", maxLength: 50 },
    {
      rule: `!format.${format}().validate(self).hasValue()`,
      messageExpression: `format.${format}().validate(self).value()[0]`,
    },
  ),
  value,
});

export const ruleCases: Record<string, ValueCase> = {
  "a comparison of two fields": {
    schema: withRule(range, "self.min <= self.max"),
    value: { min: 5, max: 1 },
  },
  "a comparison that holds": {
    schema: withRule(range, "self.min <= self.max"),
    value: { min: 1, max: 5 },
  },
  "a message": {
    schema: withRule(range, { rule: "self.min <= self.max", message: "min must not exceed max" }),
    value: { min: 5, max: 1 },
  },
  "a message expression": {
    schema: withRule(range, {
      rule: "self.min <= self.max",
      messageExpression: "'min %d exceeds max %d'.format([self.min, self.max])",
    }),
    value: { min: 5, max: 1 },
  },
  "a message expression that fails falls back to the message": {
    schema: withRule(range, {
      rule: "false",
      message: "plain",
      messageExpression: "'%d'.format([self.min / self.max])",
    }),
    value: { min: 5, max: 0 },
  },
  "a message expression that is empty falls back to the rule": {
    schema: withRule(range, { rule: "self.min == 9", messageExpression: "''" }),
    value: { min: 5, max: 0 },
  },
  "a reason and a field path": {
    schema: withRule(range, {
      rule: "self.min > 0",
      message: "needs a minimum",
      reason: "FieldValueRequired",
      fieldPath: ".min",
    }),
    value: { min: 0, max: 0 },
  },
  "reason forbidden": {
    schema: withRule(range, { rule: "false", message: "never", reason: "FieldValueForbidden" }),
    value: { min: 0 },
  },
  "reason duplicate": {
    schema: withRule(range, {
      rule: "false",
      message: "twice",
      reason: "FieldValueDuplicate",
      fieldPath: ".max",
    }),
    value: { max: 4 },
  },
  "reason invalid on a scalar": {
    schema: withRule(shortString, {
      rule: "self == 'a'",
      message: "must be a",
      reason: "FieldValueInvalid",
    }),
    value: "b",
  },
  "a rule on a string": { schema: withRule(shortString, "self.startsWith('a')"), value: "b" },
  "a rule on an integer": { schema: withRule(int, "self % 2 == 0"), value: 3 },
  "a rule on a number": { schema: withRule({ type: "number" }, "self < 1.0"), value: 1.25 },
  "a rule on a boolean": { schema: withRule({ type: "boolean" }, "self"), value: false },
  "a rule on a list": {
    schema: withRule(list(int, { maxItems: 5 }), "self.size() < 2"),
    value: [1, 2],
  },
  "a rule on a map": {
    schema: withRule(map(shortString, { maxProperties: 4 }), "self.all(k, k.startsWith('x'))"),
    value: { xa: "1", b: "2" },
  },
  "a rule on every item": {
    schema: list(withRule(range, "self.min <= self.max"), { maxItems: 5 }),
    value: [
      { min: 1, max: 2 },
      { min: 3, max: 2 },
    ],
  },
  "a rule on every value of a map": {
    schema: map(withRule(int, "self > 0"), { maxProperties: 4 }),
    value: { a: 1, b: 0 },
  },
  "rules at two levels": {
    schema: withRule(obj({ a: withRule(int, "self > 0") }), "self.a > 1"),
    value: { a: 0 },
  },
  "has on an absent field": {
    schema: withRule(range, "has(self.min) || has(self.max)"),
    value: {},
  },
  "an absent field without has": { schema: withRule(range, "self.min > 0"), value: { max: 1 } },
  "absorbing an error": { schema: withRule(range, "self.min > 0 || true"), value: { max: 1 } },
  "an index out of bounds": {
    schema: withRule(list(int, { maxItems: 3 }), "self[2] > 0"),
    value: [1],
  },
  "a division by zero": {
    schema: withRule(range, "self.max / self.min > 0"),
    value: { min: 0, max: 1 },
  },
  "an immutable value": { schema: withRule(shortString, "self == oldSelf"), old: "a", value: "b" },
  "an immutable value that stays": {
    schema: withRule(shortString, "self == oldSelf"),
    old: "a",
    value: "a",
  },
  "a transition rule is not run on create": {
    schema: withRule(int, { rule: "self >= oldSelf", message: "must not shrink" }),
    value: 3,
  },
  "a transition rule on update": {
    schema: withRule(int, { rule: "self >= oldSelf", message: "must not shrink" }),
    old: 5,
    value: 3,
  },
  "optionalOldSelf on create": {
    schema: withRule(int, {
      rule: "oldSelf.hasValue() || self == 0",
      message: "starts at zero",
      optionalOldSelf: true,
    }),
    value: 3,
  },
  "optionalOldSelf on update": {
    schema: withRule(int, {
      rule: "!oldSelf.hasValue() || self >= oldSelf.value()",
      optionalOldSelf: true,
    }),
    old: 5,
    value: 3,
  },
  "optionalOldSelf with optMap and orValue": {
    schema: withRule(int, {
      rule: "oldSelf.optMap(o, self == o + 1).orValue(true)",
      optionalOldSelf: true,
    }),
    old: 5,
    value: 7,
  },
  "oldSelf is matched by the keys of a list map": {
    schema: {
      ...ports,
      items: withRule(ports.items as Record<string, unknown>, "self.port == oldSelf.port"),
    },
    old: [
      { name: "a", port: 1 },
      { name: "b", port: 2 },
    ],
    value: [
      { name: "b", port: 3 },
      { name: "a", port: 1 },
      { name: "c", port: 9 },
    ],
  },
  "oldSelf of a set does not depend on order": {
    schema: withRule(
      list(shortString, { maxItems: 5, "x-kubernetes-list-type": "set" }),
      "self == oldSelf",
    ),
    old: ["a", "b"],
    value: ["b", "a"],
  },
  "oldSelf of a map value": {
    schema: map(withRule(int, "self == oldSelf"), { maxProperties: 4 }),
    old: { a: 1 },
    value: { a: 2, b: 3 },
  },
  "a list map compares without order": {
    schema: withRule(obj({ ports }), "self.ports == oldSelf.ports"),
    old: {
      ports: [
        { name: "a", port: 1 },
        { name: "b", port: 2 },
      ],
    },
    value: {
      ports: [
        { name: "b", port: 2 },
        { name: "a", port: 1 },
      ],
    },
  },
  exists: {
    schema: withRule(ports, "self.exists(p, p.name == 'http')"),
    value: [{ name: "a", port: 1 }],
  },
  exists_one: {
    schema: withRule(ports, "self.exists_one(p, p.port == 1)"),
    value: [
      { name: "a", port: 1 },
      { name: "b", port: 1 },
    ],
  },
  "map, filter and in": {
    schema: withRule(ports, "!('b' in self.filter(p, p.port > 1).map(p, p.name))"),
    value: [{ name: "b", port: 2 }],
  },
  "a ternary": {
    schema: withRule(range, "has(self.min) ? self.min > 3 : self.max > 3"),
    value: { max: 1 },
  },
  matches: { schema: withRule(shortString, "self.matches('^[a-z]+$')"), value: "A1" },
  "quantity comparisons": {
    schema: withRule(shortString, "quantity(self).isLessThan(quantity('1Gi'))"),
    value: "2Gi",
  },
  "quantity arithmetic": {
    schema: withRule(
      shortString,
      "quantity(self).add(quantity('500m')).compareTo(quantity('2')) == 0",
    ),
    value: "1500m",
  },
  "quantity as numbers": {
    schema: withRule(
      shortString,
      "quantity(self).asInteger() == 2000 && sign(quantity(self)) == 1 && quantity(self).isInteger()",
    ),
    value: "2k",
  },
  "a bad quantity": { schema: withRule(shortString, "isQuantity(self)"), value: "2Q" },
  "parsing a bad quantity fails the rule": {
    schema: withRule(shortString, "quantity(self).isGreaterThan(quantity('1'))"),
    value: "many",
  },
  durations: {
    schema: withRule({ type: "string", format: "duration" }, "self <= duration('1h')"),
    value: "90m",
  },
  timestamps: {
    schema: withRule(
      { type: "string", format: "date-time" },
      "self < timestamp('2024-01-01T00:00:00Z')",
    ),
    value: "2025-01-01T00:00:00Z",
  },
  "lowerAscii and upperAscii": {
    schema: withRule(tiny, "self.lowerAscii() == 'abc' && self.upperAscii() == 'ABD'"),
    value: "ABC",
  },
  split: {
    schema: withRule(tiny, "self.split('B').size() == 3"),
    value: "ABC",
  },
  "replace, substring and charAt": {
    schema: withRule(
      tiny,
      "self.replace('A', 'x') == 'xBC' && self.substring(1) == 'BC' && self.charAt(0) == 'A'",
    ),
    value: "ABC",
  },
  "indexOf, lastIndexOf and trim": {
    schema: withRule(
      tiny,
      "self.indexOf('A') == 0 && self.lastIndexOf('A') == 2 && ' a '.trim() == 'a'",
    ),
    value: "ABA",
  },
  "a rule with a message that cannot be evaluated": {
    schema: withRule(obj({ a: int }), { rule: "self.a > 0", message: "a must be positive" }),
    value: {},
  },
  "a scalar rule that cannot be evaluated": {
    schema: withRule(int, "1 / self > 0"),
    value: 0,
  },
  "a map key that is missing": {
    schema: withRule(map(int, { maxProperties: 4 }), "self['a'] > 0"),
    value: { b: 1 },
  },
  "a message expression is trimmed": {
    schema: withRule(int, {
      rule: "self > 5",
      messageExpression: "'  too small: %d  '.format([self])",
    }),
    value: 1,
  },
  "an overflow": { schema: withRule(int, "self + 9223372036854775807 > 0"), value: 5 },
  "format of several verbs": {
    schema: withRule(obj({ a: int, b: tiny, c: list(int, { maxItems: 3 }) }), {
      rule: "false",
      messageExpression: "'%d %s %s %x %.2f %%'.format([self.a, self.b, self.c, self.a, 1.5])",
    }),
    value: { a: 10, b: "x", c: [1, 2] },
  },
  "transformList and existsOne": {
    schema: withRule(
      map(int, { maxProperties: 3 }),
      "self.transformList(k, v, v).sum() > 5 || self.existsOne(k, v, v == 9)",
    ),
    value: { a: 1, b: 2 },
  },
  "a rule on a nested list of a map": {
    schema: map(list(withRule(int, "self < 3"), { maxItems: 3 }), { maxProperties: 3 }),
    value: { k: [1, 5] },
  },
  "a date": {
    schema: withRule(
      { type: "string", format: "date" },
      "self < timestamp('2024-01-01T00:00:00Z')",
    ),
    value: "2025-01-01",
  },
  "a field path into a map": {
    schema: withRule(obj({ m: map(int, { maxProperties: 2 }) }), {
      rule: "self.m['a'] > 1",
      fieldPath: ".m['a']",
      message: "more",
    }),
    value: { m: { a: 1 } },
  },
  "an enum in a list": {
    schema: withRule(list(tiny, { maxItems: 3 }), "self.all(x, x in ['a', 'b'])"),
    value: ["a", "z"],
  },
  "an added item of a list map has no old self": {
    schema: {
      ...ports,
      items: withRule(ports.items as Record<string, unknown>, {
        rule: "oldSelf.hasValue() || self.port > 10",
        optionalOldSelf: true,
        message: "new ports start at 11",
      }),
    },
    old: [{ name: "a", port: 11 }],
    value: [
      { name: "a", port: 1 },
      { name: "b", port: 2 },
    ],
  },
  "a removed field does not run its transition rule": {
    schema: obj({ a: withRule(shortString, "self == oldSelf"), b: s }),
    old: { a: "x" },
    value: { b: "y" },
  },
  "a transition rule on the parent forbids removal": {
    schema: withRule(obj({ a: shortString, b: s }), "!has(oldSelf.a) || has(self.a)"),
    old: { a: "x" },
    value: { b: "y" },
  },
  "list functions": {
    schema: withRule(
      list(int, { maxItems: 5 }),
      "self.isSorted() && self.sum() == 6 && self.min() == 1 && self.max() == 3 && self.indexOf(2) == 1",
    ),
    value: [1, 2, 3],
  },
  "an unsorted list": {
    schema: withRule(list(int, { maxItems: 5 }), "self.isSorted()"),
    value: [2, 1],
  },
  "find and findAll": {
    schema: withRule(
      shortString,
      "self.find('[0-9]+') == '12' && self.findAll('[0-9]+') == ['12', '3']",
    ),
    value: "a12b3",
  },
  url: {
    schema: withRule(
      shortString,
      "url(self).getHostname() == 'a.b' && url(self).getPort() == '80' && url(self).getEscapedPath() == '/x'",
    ),
    value: "https://a.b:80/x?q=1",
  },
  "a bad url": { schema: withRule(shortString, "isURL(self)"), value: "../rel" },
  ip: {
    schema: withRule(shortString, "isIP(self) && ip(self).family() == 4 && !ip(self).isLoopback()"),
    value: "127.0.0.1",
  },
  cidr: {
    schema: withRule(
      shortString,
      "cidr(self).containsIP('10.1.0.1') && cidr(self).prefixLength() == 9",
    ),
    value: "10.0.0.0/8",
  },
  semver: {
    schema: withRule(shortString, "isSemver(self) && semver(self).isGreaterThan(semver('1.2.3'))"),
    value: "1.2.0",
  },
  sets: {
    schema: withRule(
      list(shortString, { maxItems: 4 }),
      "sets.contains(self, ['a']) && !sets.intersects(self, ['z'])",
    ),
    value: ["b"],
  },
  "two-variable comprehensions": {
    schema: withRule(map(int, { maxProperties: 4 }), "self.all(k, v, k != 'z' && v > 1)"),
    value: { a: 1 },
  },
  ...Object.fromEntries(
    Object.entries({
      dns1123Label: ["my-name", "My.Name", "a.b"],
      dns1123Subdomain: ["a.b", "a..b"],
      dns1035Label: ["a-1", "1-a"],
      qualifiedName: ["a.b/C", "a/b/c", "-"],
      dns1123LabelPrefix: ["a-", "-"],
      dns1123SubdomainPrefix: ["a.b-", "a.-"],
      dns1035LabelPrefix: ["a-", "1-"],
      labelValue: ["", "a b"],
      uri: ["https://a/b", "a b", ""],
      uuid: ["123e4567-e89b-12d3-a456-426614174000", "123"],
      byte: ["aGVsbG8=", "?"],
      date: ["2021-02-28", "2021-02-30"],
      datetime: ["2021-01-01T00:00:00Z", "2021-01-01"],
    }).flatMap(([format, values]) =>
      values.map((value) => [`the format ${format} of "${value}"`, formatted(format, value)]),
    ),
  ),
  "a format by its name": {
    schema: withRule(
      shortString,
      "format.named('uuid').hasValue() && format.named(self).hasValue()",
    ),
    value: "guid",
  },
  "a quoted text": {
    schema: withRule(shortString, {
      rule: "strings.quote(self) == self",
      messageExpression: "'it is ' + strings.quote(self)",
    }),
    value: 'a "b" \\c',
  },
  "the ends of a list": {
    schema: withRule(list(int, { maxItems: 4 }), {
      rule: "!self.first().hasValue() || self.first().value() + 1 == self.last().value()",
      messageExpression: "'from %d to %d'.format([self.first().value(), self.last().value()])",
    }),
    value: [1, 2, 3],
  },
  "the ends of an empty list": {
    schema: withRule(
      list(int, { maxItems: 4 }),
      "self.first().hasValue() || self.last().hasValue()",
    ),
    value: [],
  },
  "an escaped property": {
    schema: withRule(
      obj({ namespace: s, "x-y": int }),
      "self.__namespace__ == 'a' && self.x__dash__y == 1",
    ),
    value: { namespace: "b", "x-y": 1 },
  },
  "int-or-string as int": {
    schema: withRule(
      { "x-kubernetes-int-or-string": true, maxLength: 10 },
      "type(self) == int ? self > 5 : self == '50%'",
    ),
    value: 3,
  },
  "int-or-string as string": {
    schema: withRule(
      { "x-kubernetes-int-or-string": true, maxLength: 10 },
      "type(self) == int ? self > 5 : self == '50%'",
    ),
    value: "60%",
  },
  "a nullable field": {
    schema: withRule(obj({ a: { type: "string", nullable: true } }), "!has(self.a)"),
    value: { a: null },
  },
  "schema errors keep rules from running": {
    schema: withRule(obj({ a: int, b: int }, { required: ["b"] }), "self.a > 5"),
    value: { a: 1 },
  },
  "an optional chain": {
    schema: withRule(range, "self.?min.orValue(0) > 1"),
    value: {},
  },
  "ratcheting keeps an unchanged value": {
    schema: obj({ a: withRule(shortString, "self == oldSelf || self != 'bad'"), b: s }),
    old: { a: "bad", b: "x" },
    value: { a: "bad", b: "y" },
  },
};
