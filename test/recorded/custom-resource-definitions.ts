/** Definitions, good and bad, whose answers are recorded from a real kube-apiserver. */

type Json = Record<string, unknown>;

export interface DefinitionCase {
  readonly definition: Json;
  /** Present: the definition is created first, then updated to this. */
  readonly update?: Json;
}

const object = { type: "object" };
const text = { type: "string" };
const version = (name: string, more: Json = {}): Json => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: object },
  ...more,
});
const names = { plural: "widgets", kind: "Widget" };

function crd(spec: Json, name = "widgets.example.com"): Json {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: { group: "example.com", scope: "Namespaced", names, versions: [version("v1")], ...spec },
  };
}

const withSchema = (openAPIV3Schema: Json): DefinitionCase => ({
  definition: crd({ versions: [version("v1", { schema: { openAPIV3Schema } })] }),
});
/** The schema of `spec.a`. */
const withField = (schema: Json): DefinitionCase =>
  withSchema({
    type: "object",
    properties: { spec: { type: "object", properties: { a: schema } } },
  });
const withVersion = (more: Json): DefinitionCase => ({
  definition: crd({ versions: [version("v1", more)] }),
});
const withRule = (
  rule: Json,
  schema: Json = { type: "object", properties: { min: { type: "integer" }, s: text } },
) => withField({ ...schema, "x-kubernetes-validations": [rule] });
const changed = (from: Json, to: Json): DefinitionCase => ({
  definition: crd(from),
  update: crd(to),
});

export const definitionCases: Record<string, DefinitionCase> = {
  "defaults are filled in": { definition: crd({}) },
  "a name that is not plural.group": { definition: crd({}, "gadgets.example.com") },
  "no group": { definition: crd({ group: "" }) },
  "a group without a dot": { definition: crd({ group: "example" }, "widgets.example") },
  "a bad scope": { definition: crd({ scope: "Everywhere" }) },
  "no kind": { definition: crd({ names: { plural: "widgets" } }) },
  "a bad kind": { definition: crd({ names: { plural: "widgets", kind: "wid get" } }) },
  "an upper case plural": { definition: crd({ names: { plural: "Widgets", kind: "Widget" } }) },
  "a bad short name": { definition: crd({ names: { ...names, shortNames: ["W_"] } }) },
  "a bad category": { definition: crd({ names: { ...names, categories: ["A b"] } }) },
  "kind and list kind are the same": {
    definition: crd({ names: { ...names, listKind: "Widget" } }),
  },
  "no versions": { definition: crd({ versions: [] }) },
  "no storage version": { definition: crd({ versions: [version("v1", { storage: false })] }) },
  "two storage versions": { definition: crd({ versions: [version("v1"), version("v2")] }) },
  "the same version twice": {
    definition: crd({ versions: [version("v1"), version("v1", { storage: false })] }),
  },
  "a bad version name": { definition: crd({ versions: [version("V_1")] }) },
  "a version without a schema": {
    definition: crd({ versions: [{ name: "v1", served: true, storage: true }] }),
  },
  "a webhook without its client": { definition: crd({ conversion: { strategy: "Webhook" } }) },
  "an unknown conversion": { definition: crd({ conversion: { strategy: "Magic" } }) },
  "preserveUnknownFields is gone": { definition: crd({ preserveUnknownFields: true }) },
  "a deprecation warning on a version that is not deprecated": withVersion({
    deprecationWarning: "old",
  }),
  "an overlong deprecation warning": withVersion({
    deprecated: true,
    deprecationWarning: "x".repeat(300),
  }),
  "a column without a path": withVersion({
    additionalPrinterColumns: [{ name: "A", type: "string" }],
  }),
  "a column of an unknown type": withVersion({
    additionalPrinterColumns: [{ name: "A", type: "colour", jsonPath: ".spec.a" }],
  }),
  "a column with a bad path": withVersion({
    additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: "spec.a" }],
  }),
  "a column with an unknown format": withVersion({
    additionalPrinterColumns: [{ name: "A", type: "string", format: "x", jsonPath: ".spec.a" }],
  }),
  "scale without its paths": withVersion({ subresources: { scale: {} } }),
  "scale paths outside spec and status": withVersion({
    subresources: {
      scale: {
        specReplicasPath: ".status.a",
        statusReplicasPath: ".spec.a",
        labelSelectorPath: ".metadata.a",
      },
    },
  }),
  "scale paths with an index": withVersion({
    subresources: { scale: { specReplicasPath: ".spec.a[0]", statusReplicasPath: ".status.a" } },
  }),
  "a selectable field that the schema lacks": withVersion({
    selectableFields: [{ jsonPath: ".spec.x" }],
  }),
  "a root that is no object": withSchema({ type: "string" }),
  "a root without a type": withSchema({ properties: { a: text } }),
  "a nullable root": withSchema({ type: "object", nullable: true }),
  "a default for the whole object": withSchema({ type: "object", default: {} }),
  "a field without a type": withField({ description: "x" }),
  "an unknown type": withField({ type: "text" }),
  "an array without items": withField({ type: "array" }),
  "items without a type": withField({ type: "array", items: {} }),
  uniqueItems: withField({ type: "array", items: text, uniqueItems: true }),
  "properties beside additionalProperties": withField({
    type: "object",
    properties: { b: text },
    additionalProperties: text,
  }),
  "additionalProperties false": withField({ type: "object", additionalProperties: false }),
  "properties without a type": withField({ type: "object", properties: { b: {} } }),
  "a reference": withField({ $ref: "#/definitions/x" }),
  "a bad pattern": withField({ type: "string", pattern: "[" }),
  definitions: withField({ type: "object", definitions: { x: text } }),
  "a type inside anyOf": withField({ type: "string", anyOf: [{ type: "string" }] }),
  "a default inside anyOf": withField({ type: "string", anyOf: [{ default: "x" }] }),
  "a description inside allOf": withField({ type: "string", allOf: [{ description: "x" }] }),
  "a property inside oneOf that the schema lacks": withField({
    type: "object",
    properties: { b: text },
    oneOf: [{ properties: { c: { minLength: 1 } } }],
  }),
  "int-or-string with a type": withField({ type: "string", "x-kubernetes-int-or-string": true }),
  "int-or-string with anyOf": withField({
    "x-kubernetes-int-or-string": true,
    anyOf: [{ type: "integer" }, { type: "string" }],
  }),
  "embedded resource without content": withField({
    type: "object",
    "x-kubernetes-embedded-resource": true,
  }),
  "embedded resource on a string": withField({
    type: "string",
    "x-kubernetes-embedded-resource": true,
  }),
  "preserve-unknown-fields false": withField({
    type: "object",
    "x-kubernetes-preserve-unknown-fields": false,
  }),
  "a bad list type": withField({ type: "array", items: text, "x-kubernetes-list-type": "bag" }),
  "a list type on a string": withField({ type: "string", "x-kubernetes-list-type": "set" }),
  "a set of objects": withField({
    type: "array",
    items: { type: "object", properties: { b: text } },
    "x-kubernetes-list-type": "set",
  }),
  "a map list of strings": withField({
    type: "array",
    items: text,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["b"],
  }),
  "a map list without keys": withField({
    type: "array",
    items: { type: "object", properties: { b: text }, required: ["b"] },
    "x-kubernetes-list-type": "map",
  }),
  "map keys without a map list": withField({
    type: "array",
    items: { type: "object", properties: { b: text }, required: ["b"] },
    "x-kubernetes-list-map-keys": ["b"],
  }),
  "a map key that is not listed": withField({
    type: "array",
    items: { type: "object", properties: { b: text }, required: ["b"] },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["c"],
  }),
  "a map key that is neither required nor has a default": withField({
    type: "array",
    items: { type: "object", properties: { b: text } },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["b"],
  }),
  "a map key that is an object": withField({
    type: "array",
    items: { type: "object", properties: { b: object }, required: ["b"] },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["b"],
  }),
  "a repeated map key": withField({
    type: "array",
    items: { type: "object", properties: { b: text }, required: ["b"] },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["b", "b"],
  }),
  "a bad map type": withField({ type: "object", "x-kubernetes-map-type": "loose" }),
  "a map type on a string": withField({ type: "string", "x-kubernetes-map-type": "atomic" }),
  "a default of the wrong type": withField({ type: "string", default: 5 }),
  "a default outside the enum": withField({ type: "string", enum: ["x"], default: "y" }),
  "a default with an unknown field": withField({
    type: "object",
    properties: { b: text },
    default: { c: "x" },
  }),
  "a default below its minimum": withField({ type: "integer", minimum: 3, default: 1 }),
  "a default that breaks a rule": withField({
    type: "integer",
    default: 1,
    "x-kubernetes-validations": [{ rule: "self > 3" }],
  }),
  "a default in metadata": withSchema({
    type: "object",
    properties: {
      metadata: { type: "object", properties: { name: { type: "string", default: "x" } } },
    },
  }),
  "metadata with labels": withSchema({
    type: "object",
    properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
  }),
  "metadata with a name pattern": withSchema({
    type: "object",
    properties: {
      metadata: { type: "object", properties: { name: { type: "string", pattern: "^a" } } },
    },
  }),
  "apiVersion that is no string": withSchema({
    type: "object",
    properties: { apiVersion: { type: "integer" } },
  }),
  "an enum with duplicates": withField({ type: "string", enum: ["a", "a"] }),
  "an empty rule": withRule({ rule: "" }),
  "a rule that does not parse": withRule({ rule: "self.min >" }),
  "a rule with an unknown field": withRule({ rule: "self.nope > 1" }),
  "a rule with an unknown variable": withRule({ rule: "other == 1" }),
  "a rule with an unknown function": withRule({ rule: "self.s.nope()" }),
  "a rule that mixes types": withRule({ rule: "self.s > 1" }),
  "a rule that adds different types": withRule({ rule: "self.s + self.min == 'x'" }),
  "a rule that is no bool": withRule({ rule: "self.min" }),
  "a message with line breaks": withRule({ rule: "true", message: "a\nb" }),
  "an empty message": withRule({ rule: "true", message: " " }),
  "a rule with line breaks and no message": withRule({ rule: "self.min > 1 &&\nself.min < 3" }),
  "a message expression that is no string": withRule({
    rule: "true",
    messageExpression: "self.min",
  }),
  "a message expression that does not compile": withRule({
    rule: "true",
    messageExpression: "self.nope",
  }),
  "an unknown reason": withRule({ rule: "true", reason: "Because" }),
  "a field path to nowhere": withRule({ rule: "true", fieldPath: ".nope" }),
  "a field path without a dot": withRule({ rule: "true", fieldPath: "min" }),
  "optionalOldSelf without oldSelf": withRule({ rule: "true", optionalOldSelf: true }),
  "oldSelf in an atomic list": withField({
    type: "array",
    maxItems: 3,
    items: { type: "integer", "x-kubernetes-validations": [{ rule: "self == oldSelf" }] },
  }),
  "oldSelf in a message expression": withRule({
    rule: "self.min > 1",
    messageExpression: "string(oldSelf.min)",
  }),
  "a field rules cannot name": withRule(
    { rule: "self.x_y > 1" },
    { type: "object", properties: { "x y": text } },
  ),
  "the group may not change": changed({}, { group: "example.org" }),
  "the scope may not change": changed({}, { scope: "Cluster" }),
  "the plural may not change": changed({}, { names: { plural: "gizmos", kind: "Widget" } }),
  "the kind may change": changed({}, { names: { plural: "widgets", kind: "Gizmo" } }),
  "a stored version may not go": changed({}, { versions: [version("v2")] }),
  "two versions report under their index": {
    definition: crd({
      versions: [
        version("v1"),
        version("v2", {
          storage: false,
          schema: { openAPIV3Schema: { type: "object", properties: { a: {} } } },
        }),
      ],
    }),
  },
};
