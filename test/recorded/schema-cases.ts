/** Values that schemas accept, change or refuse. */
import type { ValueCase } from "./value-case.ts";
import { int, list, map, obj, s } from "./value-case.ts";

export const schemaCases: Record<string, ValueCase> = {
  "a string where an integer is due": { schema: int, value: "7" },
  "a number where a string is due": { schema: s, value: 7 },
  "a fraction where an integer is due": { schema: int, value: 1.5 },
  "a whole number written as a float": { schema: int, value: 2.0 },
  "an integer where a number is due": { schema: { type: "number" }, value: 3 },
  "a string where a boolean is due": { schema: { type: "boolean" }, value: "true" },
  "an object where an array is due": { schema: list(s), value: { a: "b" } },
  "an array where an object is due": { schema: obj({ a: s }), value: ["a"] },
  "a null that is not allowed": { schema: s, value: null },
  "a null that is allowed": { schema: { type: "string", nullable: true }, value: null },
  "a null where a default exists": { schema: { type: "string", default: "d" }, value: null },
  "a null for a nullable field with a default": {
    schema: { type: "string", nullable: true, default: "d" },
    value: null,
  },
  "an int that exceeds int32": { schema: { type: "integer", format: "int32" }, value: 3000000000 },
  "a value outside the enum": { schema: { type: "string", enum: ["a", "b"] }, value: "c" },
  "a number outside the enum": { schema: { type: "integer", enum: [1, 2] }, value: 3 },
  "a string that misses the pattern": { schema: { type: "string", pattern: "^a+$" }, value: "b" },
  "a string that is too short": { schema: { type: "string", minLength: 3 }, value: "ab" },
  "a string that is too long": { schema: { type: "string", maxLength: 3 }, value: "abcd" },
  "length counts code points": { schema: { type: "string", maxLength: 2 }, value: "😀😀" },
  "a number below the minimum": { schema: { type: "integer", minimum: 1 }, value: 0 },
  "a number at the exclusive minimum": {
    schema: { type: "integer", minimum: 1, exclusiveMinimum: true },
    value: 1,
  },
  "a number above the maximum": { schema: { type: "number", maximum: 1.5 }, value: 2.5 },
  "a number at the exclusive maximum": {
    schema: { type: "integer", maximum: 9, exclusiveMaximum: true },
    value: 9,
  },
  "a number that is no multiple": { schema: { type: "integer", multipleOf: 5 }, value: 7 },
  "too few items": { schema: list(s, { minItems: 2 }), value: ["a"] },
  "too many items": { schema: list(s, { maxItems: 1 }), value: ["a", "b"] },
  "a wrong item": { schema: list(int), value: [1, "b"] },
  "duplicates in a set": {
    schema: list(s, { "x-kubernetes-list-type": "set" }),
    value: ["a", "b", "a"],
  },
  "duplicates in a set of numbers": {
    schema: list(int, { "x-kubernetes-list-type": "set" }),
    value: [1, 1],
  },
  "duplicates in a list map": {
    schema: list(obj({ k: s, n: int }, { required: ["k"] }), {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
    }),
    value: [{ k: "a" }, { k: "a", n: 2 }],
  },
  "duplicates in a list map with two keys": {
    schema: list(obj({ k: s, n: { type: "integer", default: 1 } }, { required: ["k"] }), {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k", "n"],
    }),
    value: [{ k: "a" }, { k: "a", n: 1 }],
  },
  "a missing required field": { schema: obj({ a: s }, { required: ["a"] }), value: {} },
  "a missing required field inside an item": {
    schema: list(obj({ a: s }, { required: ["a"] })),
    value: [{ a: "x" }, {}],
  },
  "too few properties": { schema: map(s, { minProperties: 1 }), value: {} },
  "too many properties": { schema: map(s, { maxProperties: 1 }), value: { a: "1", b: "2" } },
  "a wrong additional property": { schema: map(int), value: { a: "x" } },
  "a key with dots in the path": { schema: map(int), value: { "a.b/c": "x" } },
  "nothing of oneOf": {
    schema: obj({ a: s, b: s }, { oneOf: [{ required: ["a"] }, { required: ["b"] }] }),
    value: {},
  },
  "two of oneOf": {
    schema: obj({ a: s, b: s }, { oneOf: [{ required: ["a"] }, { required: ["b"] }] }),
    value: { a: "1", b: "2" },
  },
  "nothing of anyOf": {
    schema: obj({ a: s, b: s }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
    value: {},
  },
  "one of allOf fails": {
    schema: obj({ a: s, b: s }, { allOf: [{ required: ["a"] }, { required: ["b"] }] }),
    value: { a: "1" },
  },
  "a value that must not match": {
    schema: obj({ a: s }, { not: { required: ["a"] } }),
    value: { a: "1" },
  },
  "int-or-string takes an int": { schema: { "x-kubernetes-int-or-string": true }, value: 3 },
  "int-or-string takes a string": { schema: { "x-kubernetes-int-or-string": true }, value: "30%" },
  "int-or-string refuses a boolean": {
    schema: { "x-kubernetes-int-or-string": true },
    value: true,
  },
  "int-or-string with a pattern": {
    schema: { "x-kubernetes-int-or-string": true, pattern: "^[0-9]+%$" },
    value: "abc",
  },
  "a bad date-time": { schema: { type: "string", format: "date-time" }, value: "yesterday" },
  "a good date-time": {
    schema: { type: "string", format: "date-time" },
    value: "2024-01-02T03:04:05Z",
  },
  "a bad date": { schema: { type: "string", format: "date" }, value: "2024-13-01" },
  "a bad duration": { schema: { type: "string", format: "duration" }, value: "5 parsecs" },
  "a bad uuid": { schema: { type: "string", format: "uuid" }, value: "123" },
  "a bad ipv4": { schema: { type: "string", format: "ipv4" }, value: "300.1.1.1" },
  "a bad ipv6": { schema: { type: "string", format: "ipv6" }, value: "10.0.0.1" },
  "a bad cidr": { schema: { type: "string", format: "cidr" }, value: "10.0.0.0" },
  "a bad email": { schema: { type: "string", format: "email" }, value: "nobody" },
  "a bad hostname": { schema: { type: "string", format: "hostname" }, value: "-x-" },
  "a bad uri": { schema: { type: "string", format: "uri" }, value: "not a uri" },
  "a bad byte string": { schema: { type: "string", format: "byte" }, value: "%%%" },
  "an unknown format is ignored": { schema: { type: "string", format: "shoe-size" }, value: "x" },
  "several wrong fields": {
    schema: obj({ a: int, b: { type: "string", maxLength: 1 } }),
    value: { a: "x", b: "long" },
  },
  "an embedded resource without a kind": {
    schema: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
    value: { spec: {} },
  },
  "an embedded resource with bad metadata": {
    schema: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
    value: { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: "b c" } } },
  },
  "preserve-unknown-fields keeps anything": {
    schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    value: { a: { b: [1, { c: null }] } },
  },
  "defaults go as deep as values exist": {
    schema: obj({
      a: obj({ x: { type: "integer", default: 3 } }),
      b: obj({ y: { type: "string", default: "q" } }, { default: {} }),
    }),
    value: { a: {} },
  },
  "defaults in items and additional properties": {
    schema: obj({
      l: list(obj({ p: { type: "string", default: "TCP" } })),
      m: map(obj({ p: { type: "string", default: "UDP" } })),
    }),
    value: { l: [{}, { p: "x" }], m: { k: {} } },
  },
  "nulls without a default are refused in objects": {
    schema: obj({ a: s, b: { type: "string", default: "x" } }),
    value: { b: null },
  },
  "a value that was bad before is kept on update": {
    schema: obj({ a: { type: "string", maxLength: 2 }, b: s }),
    old: { a: "ab" },
    value: { a: "abc", b: "x" },
  },
};
