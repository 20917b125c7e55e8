/** The Table and PartialObjectMetadata forms of objects. */
import type { KubeObject, ListMeta } from "../api/object.ts";
import { typedForm } from "./forms.ts";
import type { ServedResource } from "./served-resource.ts";

/** How much of each object a row contains beside its cells. */
export type RowObject = "None" | "Metadata" | "Object";

export interface TableRequest {
  readonly resource: ServedResource;
  readonly objects: readonly KubeObject[];
  readonly metadata: Partial<ListMeta>;
  readonly rowObject: RowObject;
  readonly nowMs: number;
  /** Columns are sent once; later tables of a watch have null. */
  readonly withColumns: boolean;
}

export function tableOf(request: TableRequest): KubeObject {
  const { resource, objects, rowObject, nowMs } = request;
  const { printer } = resource;
  const rows = objects.map((stored) => {
    const object = typedForm(resource, stored);
    const cells = printer.cells(object, nowMs);
    if (rowObject === "None") return { cells, object: null };
    return { cells, object: rowObject === "Object" ? object : metadataOnly(object) };
  });
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: request.metadata,
    columnDefinitions: request.withColumns ? printer.columns.map(columnDefinition) : null,
    rows,
  };
}

function columnDefinition(column: ServedResource["printer"]["columns"][number]): unknown {
  const { name, type, format = "", description = "", priority } = column;
  return { name, type, format, description, priority };
}

export function metadataOnly({ metadata }: KubeObject): KubeObject {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
}
