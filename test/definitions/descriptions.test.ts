/** `kubectl explain` has an answer for every field of every kind of ours. */
import { expect, test } from "vitest";
import type { CustomResourceDefinition } from "../../src/api/definition/custom-kind.ts";
import { customDefinitions } from "../../src/cli/definitions.ts";
import { fieldsOf } from "../../scripts/api-docs/field-rows.ts";

const definitions = customDefinitions().map(
  (definition) => [definition.metadata.name ?? "", definition] as const,
);

const paths = (
  definition: CustomResourceDefinition,
  isWanted: (field: { readonly description: string; readonly path: string }) => boolean,
): string[] => [
  ...new Set(
    fieldsOf(definition, { withPodFields: true })
      .filter(isWanted)
      .map(({ path }) => path),
  ),
];

test.each(definitions)("every field of %s is described", (_name, definition) => {
  expect(paths(definition, ({ description }) => description.trim() === "")).toEqual([]);
});

test.each(definitions)("descriptions of %s are sentences that end", (_name, definition) => {
  expect(paths(definition, ({ description }) => !description.endsWith("."))).toEqual([]);
});

/** What people write: not the status, and not the fields of pods, which are Kubernetes' own. */
test.each(definitions)("settings of %s say what holds without them", (_name, definition) => {
  const silent = fieldsOf(definition, { withPodFields: false })
    .filter(({ path, isRequired }) => path.startsWith("spec.") && !isRequired)
    .filter(
      ({ description }) => !/Default: |Has to be set|Deprecated|Another name/.test(description),
    )
    .map(({ path }) => path);
  expect(silent).toEqual([]);
});
