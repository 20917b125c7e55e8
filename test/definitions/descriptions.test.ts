/** `kubectl explain` has an answer for every field of every kind of ours. */
import { expect, test } from "vitest";
import type { CustomResourceDefinition } from "../../src/api/definition/custom-kind.ts";
import { customDefinitions } from "../../src/cli/definitions.ts";
import { kinds } from "../../src/controllers/kinds.ts";
import type { FieldRow } from "../../scripts/api-docs/field-rows.ts";
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

/** A list or a map is a value too; what has fields of its own has their examples. */
test.each(definitions)("settings of %s have an example", (_name, definition) => {
  const rows = fieldsOf(definition, { withPodFields: false });
  const isParent = ({ path }: FieldRow): boolean =>
    rows.some((other) => other.path.startsWith(`${path}.`) || other.path.startsWith(`${path}[`));
  const bare = rows
    .filter(({ path, type }) => path.startsWith("spec.") && !type.endsWith("object"))
    .filter((row) => !isParent(row) && !/Example: |Deprecated/.test(row.description))
    .map(({ path }) => path);
  expect(bare).toEqual([]);
});

/** What places or scales for others has no rollout of its own, and StatefulSets are Kubernetes'. */
const withoutColumn = ["podgang", "rolebasedgroupscalingadapter", "statefulset"];
const rollouts = kinds
  .filter(({ name }) => !withoutColumn.includes(name))
  .map((kind) => [kind.name, kind] as const);

test.each(rollouts)("a stall of %s is seen in a list", (_name, { customKinds, resource }) => {
  const own = customKinds.find((each) => each.resource.plural === resource.plural);
  expect(own?.columns.map(({ jsonPath }) => jsonPath)).toContain(
    '.status.conditions[?(@.type=="Stalled")].status',
  );
});
