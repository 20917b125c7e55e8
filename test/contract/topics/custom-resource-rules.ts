/** Validation rules in CEL, and the definitions that a server refuses. */
import { expect, test } from "vitest";
import { defineKind, widgetDefinition, widgetSchema, widgetVersion } from "../custom-kind.ts";
import type { Json } from "../json.ts";
import type { Cluster } from "../scene.ts";
import { asFarAs, verdict } from "../verdict.ts";

const integer = { type: "integer" };

const ruled = widgetSchema({
  properties: {
    min: integer,
    max: integer,
    size: { ...integer, "x-kubernetes-validations": [{ rule: "self < 100" }] },
    fixed: {
      type: "string",
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "fixed may not change" }],
    },
    once: {
      type: "string",
      "x-kubernetes-validations": [
        {
          rule: "!oldSelf.hasValue() || self == oldSelf.value()",
          optionalOldSelf: true,
          message: "once may not change",
        },
      ],
    },
    even: {
      ...integer,
      "x-kubernetes-validations": [
        { rule: "self % 2 == 0", messageExpression: "'%d is odd'.format([self])" },
      ],
    },
    secret: {
      type: "string",
      "x-kubernetes-validations": [{ rule: "self != 'no'", reason: "FieldValueForbidden" }],
    },
    parts: {
      type: "array",
      maxItems: 10,
      items: { type: "string", maxLength: 10 },
      "x-kubernetes-validations": [
        { rule: "self.all(part, part.startsWith('p'))", message: "parts begin with p" },
      ],
    },
    keyed: {
      type: "object",
      maxProperties: 5,
      additionalProperties: integer,
      "x-kubernetes-validations": [{ rule: "self.all(key, self[key] > 0)" }],
    },
    unique: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
    },
    set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    first: {
      type: "array",
      maxItems: 5,
      items: { type: "object", properties: { a: integer } },
      "x-kubernetes-validations": [
        { rule: "has(self[0].a)", message: "the first has an a" },
        { rule: "has(self.filter(each, has(each.a))[0].a)", message: "one has an a" },
      ],
    },
  },
  "x-kubernetes-validations": [
    {
      rule: "!has(self.min) || !has(self.max) || self.min <= self.max",
      messageExpression: "'min %d exceeds max %d'.format([self.min, self.max])",
      fieldPath: ".min",
    },
  ],
});

interface Case {
  readonly before?: unknown;
  readonly spec: unknown;
  readonly want: string;
}

const ofWidget = '422 Invalid: Widget.$ns.lockstep.dev "a" is invalid: ';
const ofDefinition =
  "422 Invalid: CustomResourceDefinition.apiextensions.k8s.io " +
  '"widgets.$ns.lockstep.dev" is invalid: ';

const cases: Readonly<Record<string, Case>> = {
  "a rule that holds": { spec: { min: 1, max: 2, size: 3, even: 2, parts: ["p1"] }, want: "201" },
  "a rule without a message": {
    spec: { size: 100 },
    want: ofWidget + "spec.size: Invalid value: 100: failed rule: self < 100",
  },
  "a message that is computed": {
    spec: { even: 3 },
    want: ofWidget + "spec.even: Invalid value: 3: 3 is odd",
  },
  "a rule over two fields, reported at one of them": {
    spec: { min: 5, max: 1 },
    want: ofWidget + "spec.min: Invalid value: min 5 exceeds max 1",
  },
  "a reason of its own": {
    spec: { secret: "no" },
    want: ofWidget + "spec.secret: Forbidden: failed rule: self != 'no'",
  },
  "a rule over a list": {
    spec: { parts: ["p1", "q"] },
    want: ofWidget + "spec.parts: Invalid value: parts begin with p",
  },
  "a rule over a map": {
    spec: { keyed: { a: 1, b: 0 } },
    want: ofWidget + "spec.keyed: Invalid value: failed rule: self.all(key, self[key] > 0)",
  },
  "two elements of one key": {
    spec: { unique: [{ name: "a" }, { name: "a" }] },
    want: ofWidget + 'spec.unique[1]: Duplicate value: {"name":"a"}',
  },
  "a set with a value twice": {
    spec: { set: ["a", "b", "a"] },
    want: ofWidget + 'spec.set[2]: Duplicate value: "a"',
  },
  "a field of an item of a list that is there": { spec: { first: [{ a: 1 }] }, want: "201" },
  "a field of an item of a list that is not there": {
    spec: { first: [{}, { a: 1 }] },
    want: ofWidget + "spec.first: Invalid value: the first has an a",
  },
  "a field of an item that is not there": {
    spec: { first: [] },
    want:
      ofWidget +
      '[spec.first: Invalid value: "array": index out of bounds: 0 evaluating rule: the first has an a, ' +
      'spec.first: Invalid value: "array": index out of bounds: 0 evaluating rule: one has an a]',
  },
  "a transition rule is not asked on create": { spec: { fixed: "a" }, want: "201" },
  "a transition rule on change": {
    before: { fixed: "a" },
    spec: { fixed: "b" },
    want: ofWidget + 'spec.fixed: Invalid value: "b": fixed may not change',
  },
  "a transition rule without change": { before: { fixed: "a" }, spec: { fixed: "a" }, want: "200" },
  "a transition rule on a new field": { before: {}, spec: { fixed: "b" }, want: "200" },
  "an optional old value on create": { spec: { once: "a" }, want: "201" },
  "an optional old value on change": {
    before: { once: "a" },
    spec: { once: "b" },
    want: ofWidget + 'spec.once: Invalid value: "b": once may not change',
  },
  "schema errors come before rules": {
    spec: { size: 100, min: "one" },
    want:
      ofWidget +
      '[spec.min: Invalid value: "string": spec.min in body must be of type integer: "string", ' +
      "<nil>: Invalid value: null: some validation rules were not checked because the object " +
      "was invalid; correct the existing errors to complete validation]",
  },
};

const ofRule =
  `${ofDefinition}spec.validation.openAPIV3Schema.properties[spec].` +
  "x-kubernetes-validations[0].rule: ";
/** How the server prints a rule that it refuses. */
const printed = (rule: string): string =>
  `Invalid value: {"Rule":"${rule}","Message":"","MessageExpression":"","Reason":null,` +
  '"FieldPath":"","OptionalOldSelf":null}: ';

/** Definitions that are refused, by the schema of their only version. */
const brokenSchemas: Readonly<Record<string, readonly [schema: Json, want: string]>> = {
  "a schema without a type": [
    { properties: { spec: { type: "object" } } },
    ofDefinition +
      "spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root",
  ],
  "a field without a type": [
    widgetSchema({ properties: { a: {} } }),
    ofDefinition +
      "spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Required value: " +
      "must not be empty for specified object fields",
  ],
  "a rule that does not parse": [
    widgetSchema({ "x-kubernetes-validations": [{ rule: "self.a ==" }] }),
    `${ofRule}${printed("self.a ==")}compilation failed: ERROR: <input>:1:10: Syntax error: ...`,
  ],
  "a rule that is no condition": [
    widgetSchema({
      properties: { a: integer },
      "x-kubernetes-validations": [{ rule: "self.a + 1" }],
    }),
    `${ofRule}${printed("self.a + 1")}cel expression must evaluate to a bool`,
  ],
  "a rule over an unknown field": [
    widgetSchema({ "x-kubernetes-validations": [{ rule: "self.b == 1" }] }),
    `${ofRule}${printed("self.b == 1")}compilation failed: ERROR: <input>:1:5: undefined field 'b' ...`,
  ],
  "a rule that asks for an unknown field of an item": [
    widgetSchema({
      properties: { list: { type: "array", items: { type: "object" } } },
      "x-kubernetes-validations": [{ rule: "has(self.list[0].b)" }],
    }),
    `${ofRule}${printed("has(self.list[0].b)")}compilation failed: ERROR: <input>:1:4: undefined field 'b' ...`,
  ],
  "a rule that asks for an unknown field": [
    widgetSchema({ "x-kubernetes-validations": [{ rule: "true == has(self.b)" }] }),
    `${ofRule}${printed("true == has(self.b)")}compilation failed: ERROR: <input>:1:12: undefined field 'b' ...`,
  ],
  "a rule that asks for a field of an unknown one": [
    widgetSchema({ "x-kubernetes-validations": [{ rule: "has(self.b.c)" }] }),
    `${ofRule}${printed("has(self.b.c)")}compilation failed: ERROR: <input>:1:9: undefined field 'b' ...`,
  ],
  "an empty rule": [
    widgetSchema({ "x-kubernetes-validations": [{ rule: " " }] }),
    ofDefinition +
      "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: " +
      "Required value: rule is not specified",
  ],
  "a default that does not fit": [
    widgetSchema({ properties: { a: { ...integer, default: "x" } } }),
    ofDefinition +
      "spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: " +
      '"string":  in body must be of type integer: "string"',
  ],
  "an unknown type": [
    widgetSchema({ properties: { a: { type: "number-ish" } } }),
    ofDefinition +
      "spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Unsupported value: " +
      '"number-ish": supported values: "array", "boolean", "integer", "number", "object", ' +
      '"string"',
  ],
};

const anySchema = widgetSchema({ properties: { a: integer } });

/** Definitions that are refused for other things than their schema. */
const brokenDefinitions: Readonly<Record<string, readonly [(ns: string) => Json, want: string]>> = {
  "a name that is not plural.group": [
    (ns) => ({
      ...widgetDefinition(ns, [widgetVersion(anySchema)]),
      metadata: { name: "widgets" },
    }),
    '422 Invalid: CustomResourceDefinition.apiextensions.k8s.io "widgets" is invalid: ' +
      'metadata.name: Invalid value: "widgets": must be spec.names.plural+"."+spec.group',
  ],
  "no version that is stored": [
    (ns) => widgetDefinition(ns, [widgetVersion(anySchema, { storage: false })]),
    ofDefinition + "[spec.versions: Invalid value: ...",
  ],
  "two versions of one name": [
    (ns) =>
      widgetDefinition(ns, [
        widgetVersion(anySchema),
        widgetVersion(anySchema, { storage: false }),
      ]),
    ofDefinition + "spec.versions: Invalid value: ...",
  ],
  "no versions at all": [
    (ns) => widgetDefinition(ns, []),
    ofDefinition +
      "[spec.versions: Invalid value: []: must have exactly one version marked as storage " +
      "version, status.storedVersions: Invalid value: null: must have at least one stored " +
      "version]",
  ],
  "a version without a schema": [
    (ns) => widgetDefinition(ns, [{ name: "v1", served: true, storage: true }]),
    ofDefinition + "spec.versions[0].schema.openAPIV3Schema: Required value",
  ],
  "an unknown scope": [
    (ns) => widgetDefinition(ns, [widgetVersion(anySchema)], { scope: "Galaxy" }),
    ofDefinition +
      'spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"',
  ],
  "a kind with an underscore": [
    (ns) =>
      widgetDefinition(ns, [widgetVersion(anySchema)], {
        names: { plural: "widgets", kind: "wid_get" },
      }),
    ofDefinition + '[spec.names.singular: Invalid value: "wid_get": ...',
  ],
};

export function customResourceRules(cluster: () => Cluster): void {
  test.each(Object.entries(cases))("%s", async (_name, { before, spec, want }) => {
    const scene = await cluster().scene();
    const { api, ns } = scene;
    const { path, widget } = await defineKind(scene, [widgetVersion(ruled)]);
    const replaceBy = async (next: unknown, old: unknown) => {
      const { metadata } = (await api.post(path(), widget("a", old))).body;
      return api.put(path("a"), widget("a", next, { metadata }));
    };
    const answer =
      before === undefined
        ? await api.post(path(), widget("a", spec))
        : await replaceBy(spec, before);
    expect(asFarAs(want, verdict(answer).replaceAll(ns, "$ns"))).toBe(want);
  });

  test.each(Object.entries(brokenSchemas))("%s is refused", async (_name, [schema, want]) => {
    const { api, path, ns } = await cluster().scene();
    const definition = widgetDefinition(ns, [widgetVersion(schema)]);
    const answer = await api.post(path("customresourcedefinitions"), definition);
    expect(asFarAs(want, verdict(answer).replaceAll(ns, "$ns"))).toBe(want);
  });

  test.each(Object.entries(brokenDefinitions))("%s is refused", async (_name, [define, want]) => {
    const { api, path, ns } = await cluster().scene();
    const answer = await api.post(path("customresourcedefinitions"), define(ns));
    expect(asFarAs(want, verdict(answer).replaceAll(ns, "$ns"))).toBe(want);
  });

  test("a definition's scope may not change", async () => {
    const scene = await cluster().scene();
    const { api, path, ns } = scene;
    const { definition } = await defineKind(scene, [widgetVersion(anySchema)]);
    const patch = { spec: { scope: "Cluster" } };
    const answer = await api.patch("merge", path("customresourcedefinitions", definition), patch);
    expect(verdict(answer).replaceAll(ns, "$ns")).toBe(
      ofDefinition + 'spec.scope: Invalid value: "Cluster": field is immutable',
    );
  });
}
