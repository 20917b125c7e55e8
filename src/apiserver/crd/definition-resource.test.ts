import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { FieldError } from "../../api/field-error.ts";
import { causeReasons, fieldErrorBody } from "../../api/field-error.ts";
import type { KubeObject } from "../../api/object.ts";
import type { DefinitionCase } from "../../../test/recorded/custom-resource-definitions.ts";
import { definitionCases } from "../../../test/recorded/custom-resource-definitions.ts";
import { definitionResource } from "./definition-resource.ts";

const recorded = JSON.parse(
  readFileSync("test/recorded/custom-resource-definitions.json", "utf8"),
) as Record<string, { causes?: string[][]; spec?: unknown }>;

const { rules } = definitionResource;

function draftOf(body: Record<string, unknown>): KubeObject {
  const { object } = definitionResource.decode(body);
  rules.applyDefaults(object);
  return object;
}

const established = [{ type: "Established", status: "True" }];

interface Created {
  readonly created: KubeObject;
  readonly problems: readonly FieldError[];
}

function updated({ created, problems }: Created, update: Record<string, unknown>) {
  expect(problems).toEqual([]);
  created["status"] = { ...(created["status"] as object), conditions: established };
  const draft = draftOf(update);
  rules.prepareForUpdate(draft, created);
  return { draft, errors: rules.validateUpdate(draft, created) };
}

function answer({ definition, update }: DefinitionCase) {
  const created = draftOf(definition);
  rules.prepareForCreate(created);
  const problems = rules.validateCreate(created);
  const { draft, errors } =
    update === undefined
      ? { draft: created, errors: problems }
      : updated({ created, problems }, update);
  if (errors.length === 0) return { spec: draft["spec"] };
  const causes = errors.map((error) => [
    error.field,
    causeReasons[error.type],
    fieldErrorBody(error),
  ]);
  return { causes: sorted(causes) };
}

const sorted = (causes: string[][]): string[][] =>
  causes.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

test.each(Object.entries(definitionCases))(
  "%s: the definition is answered as a real server answers it",
  (name, given) => {
    const want = recorded[name]!;
    expect(answer(given)).toEqual(
      want.causes === undefined ? want : { causes: sorted(want.causes) },
    );
  },
);
