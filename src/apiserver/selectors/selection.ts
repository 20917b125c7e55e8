/** The objects of a resource that a request selects: extent in the store, labels and fields. */
import type { KubeObject } from "../../api/object.ts";
import type { WantedLabel } from "../store/label-index.ts";
import { keyOf } from "../store/store.ts";
import type { Extent } from "../store/store.ts";
import type { ServedResource } from "../served-resource.ts";
import type { FieldRequirement } from "./field-selector.ts";
import { matchesFields, parseFieldSelector } from "./field-selector.ts";
import { parseLabelSelector } from "./label-selector.ts";

export interface Selection {
  readonly extent: Extent;
  /** The one key that can match, where a selector names it. */
  readonly key: string | undefined;
  /** Whether labels or fields narrow the extent. */
  readonly isNarrowed: boolean;
  /** Labels that every match has. */
  readonly labels: readonly WantedLabel[];
  matches(object: KubeObject): boolean;
}

export interface SelectionRequest {
  readonly resource: ServedResource;
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
}

export function selectionOf(request: SelectionRequest): Selection {
  const { resource, namespace } = request;
  const byLabels = parseLabelSelector(request.labelSelector ?? "");
  const byFields = parseFieldSelector(request.fieldSelector ?? "", resource);
  const name = exactValue(byFields, "metadata.name");
  const scope = namespace ?? exactValue(byFields, "metadata.namespace");
  const isAddressed = name !== undefined && (scope !== undefined || !resource.namespaced);
  return {
    extent: {
      namespace: resource.namespaced ? scope : undefined,
      index: indexOf(request, byFields),
    },
    key: isAddressed ? keyOf(resource.namespaced ? scope : undefined, name) : undefined,
    isNarrowed: byLabels !== undefined || byFields.length > 0,
    labels: byLabels?.wanted ?? [],
    matches: (object) =>
      (byLabels === undefined || byLabels.matches(object.metadata.labels ?? {})) &&
      matchesFields(object, byFields, resource),
  };
}

function exactValue(requirements: readonly FieldRequirement[], field: string): string | undefined {
  return requirements.find((one) => one.equals && one.field === field)?.value;
}

function indexOf(
  { resource }: SelectionRequest,
  requirements: readonly FieldRequirement[],
): Extent["index"] {
  const indexed = requirements.find(
    ({ field, equals, value }) =>
      equals && value !== "" && Object.hasOwn(resource.indexedFields ?? {}, field),
  );
  return indexed === undefined ? undefined : { field: indexed.field, value: indexed.value };
}
