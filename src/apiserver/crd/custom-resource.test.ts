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

const told = (errors: readonly FieldError[]): string[][] =>
  sorted(errors.map((error) => [error.field, causeReasons[error.type], fieldErrorBody(error)]));

/** What the server would answer: the causes of a refusal, or the stored spec. */
function answer({ schema, value, old }: ValueCase): { causes?: string[][]; spec?: unknown } {
  const [resource] = customResources(definition(holding(schema)));
  const draftOf = (v: unknown): KubeObject => {
    const { object } = resource!.decode({ metadata: { name: "x" }, spec: { v } });
    resource!.rules.applyDefaults(object);
    return object;
  };
  if (old !== undefined) {
    const stored = draftOf(old);
    expect(resource!.rules.validateCreate(stored)).toEqual([]);
    const draft = draftOf(value);
    resource!.rules.prepareForUpdate(draft, stored);
    const errors = resource!.rules.validateUpdate(draft, stored);
    return errors.length > 0 ? { causes: told(errors) } : { spec: draft["spec"] };
  }
  const draft = draftOf(value);
  const errors = resource!.rules.validateCreate(draft);
  return errors.length > 0 ? { causes: told(errors) } : { spec: draft["spec"] };
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
