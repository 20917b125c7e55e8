import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { FieldError } from "../../api/field-error.ts";
import { causeReasons, fieldErrorBody } from "../../api/field-error.ts";
import type { KubeObject } from "../../api/object.ts";
import { ruleCases } from "../../../test/recorded/rule-cases.ts";
import { schemaCases } from "../../../test/recorded/schema-cases.ts";
import type { ValueCase } from "../../../test/recorded/value-case.ts";
import { customResources } from "./custom-resource.ts";
import type { CustomResourceDefinition, DefinitionVersion } from "./definition.ts";
import type { JsonSchema } from "./json-schema.ts";

const recorded = JSON.parse(
  readFileSync("test/recorded/custom-resource-values.json", "utf8"),
) as Record<string, { causes?: string[][]; spec?: unknown }>;

function definition(
  schema: JsonSchema,
  more: Partial<DefinitionVersion> = {},
): CustomResourceDefinition {
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
    ...more,
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "cases.example.com" },
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { plural: "cases", kind: "Case" },
      versions: [version],
    },
  };
}

const holding = (schema: JsonSchema): JsonSchema => ({
  type: "object",
  properties: { spec: { type: "object", properties: { v: schema } } },
});

const sorted = (causes: string[][]): string[][] =>
  causes.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

const causesOf = (errors: readonly FieldError[]): string[][] =>
  sorted(errors.map((error) => [error.field, causeReasons[error.type], fieldErrorBody(error)]));

/** What the server would answer: the causes of a refusal, or the stored spec. */
function answer({ schema, value, old }: ValueCase): { causes?: string[][]; spec?: unknown } {
  const [resource] = customResources(definition(holding(schema)));
  const draftOf = (v: unknown): KubeObject => {
    const { object } = resource!.decode({ metadata: { name: "x" }, spec: { v } });
    resource!.rules.applyDefaults(object);
    return object;
  };
  const draft = draftOf(value);
  const updated = (stored: KubeObject): readonly FieldError[] => {
    expect(resource!.rules.validateCreate(stored)).toEqual([]);
    resource!.rules.prepareForUpdate(draft, stored);
    return resource!.rules.validateUpdate(draft, stored);
  };
  const errors = old === undefined ? resource!.rules.validateCreate(draft) : updated(draftOf(old));
  return errors.length > 0 ? { causes: causesOf(errors) } : { spec: draft["spec"] };
}

test.each(Object.entries({ ...schemaCases, ...ruleCases }))(
  "%s is answered as a real server answers it",
  (name, given) => {
    const want = recorded[name]!;
    expect(answer(given)).toEqual(
      want.causes === undefined ? want : { causes: sorted(want.causes) },
    );
  },
);

const specOf = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: "object",
  properties: { spec: { type: "object", properties } },
});

test("undeclared fields are dropped and named", () => {
  const [resource] = customResources(definition(specOf({ a: { type: "integer" } })));
  const body = { metadata: { name: "x", foo: 1 }, spec: { a: 1, b: 2, c: { d: 1 } } };
  const { object, strictProblems } = resource!.decode(body);
  expect(object).toMatchObject({ apiVersion: "example.com/v1", kind: "Case" });
  expect(object["spec"]).toEqual({ a: 1 });
  expect(strictProblems).toEqual([
    'unknown field "metadata.foo"',
    'unknown field "spec.b"',
    'unknown field "spec.c"',
  ]);
});

const badMetadata: Record<string, { metadata: unknown; want: string }> = {
  "a label that is a number": {
    metadata: { labels: { a: 1 } },
    want: "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
  },
  "a list": {
    metadata: [],
    want: "json: cannot unmarshal array into Go value of type v1.ObjectMeta",
  },
};

test.each(Object.entries(badMetadata))(
  "metadata that is %s is refused",
  (_name, { metadata, want }) => {
    const [resource] = customResources(definition(specOf({})));
    expect(() => resource!.decode({ metadata })).toThrow(
      `Case in version "v1" cannot be handled as a Case: ${want}`,
    );
  },
);

test("a field called __proto__ is kept as data and changes no prototype", () => {
  const open: JsonSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const [resource] = customResources(definition(specOf({ a: open })));
  const body = JSON.parse(
    '{"metadata":{"name":"x"},"spec":{"a":{"__proto__":{"polluted":1}}}}',
  ) as object;
  const { object } = resource!.decode({ ...body });
  expect(JSON.stringify(object["spec"])).toBe('{"a":{"__proto__":{"polluted":1}}}');
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("columns come from the definition, ages in kubectl's short form", () => {
  const columns = [
    { name: "Size", type: "integer", jsonPath: ".spec.size" },
    {
      name: "Ready",
      type: "string",
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      priority: 1,
    },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ];
  const [resource] = customResources(definition(specOf({}), { additionalPrinterColumns: columns }));
  const object: KubeObject = {
    metadata: { name: "x", creationTimestamp: "2024-01-01T00:00:00Z" },
    spec: { size: 3 },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  };
  const { printer } = resource!;
  expect(printer.columns.map(({ name, priority }) => [name, priority])).toEqual([
    ["Name", 0],
    ["Size", 0],
    ["Ready", 1],
    ["Age", 0],
  ]);
  expect(printer.cells(object, Date.UTC(2024, 0, 1, 0, 5, 30))).toEqual(["x", 3, "True", "5m30s"]);
  expect(printer.cells({ metadata: { name: "y" } }, 0)).toEqual(["y", null, null, null]);
});

test("a rule whose loops would take too long is refused instead of run", () => {
  const many: JsonSchema = {
    type: "array",
    items: { type: "integer" },
    "x-kubernetes-validations": [{ rule: "self.all(a, self.all(b, self.all(c, a + b + c > 0)))" }],
  };
  const v = Array.from({ length: 2000 }, () => 1);
  const { causes } = answer({ schema: many, value: v });
  expect(causes?.[0]?.[2]).toContain("operation cancelled: actual cost limit exceeded");
});
