/** The building blocks of the tables of built-in kinds. */
import type { KubeObject } from "../../api/object.ts";
import type { TableColumn, TablePrinter } from "../served-resource.ts";
import { since } from "./age.ts";

/** One column with the cell it shows for an object of type T. */
export interface Column<T> {
  readonly column: TableColumn;
  cell(object: T, nowMs: number): unknown;
}

type CellType = TableColumn["type"];

export function shown<T>(
  name: string,
  description: string,
  cell: (object: T, nowMs: number) => unknown,
  type: CellType = "string",
): Column<T> {
  return { column: { name, type, description, priority: 0 }, cell };
}

/** A column of `-o wide` only. */
export function wide<T>(
  name: string,
  description: string,
  cell: (object: T, nowMs: number) => unknown,
): Column<T> {
  return { column: { name, type: "string", description, priority: 1 }, cell };
}

export const name: Column<KubeObject> = {
  column: {
    name: "Name",
    type: "string",
    format: "name",
    description: "The object's name.",
    priority: 0,
  },
  cell: (object) => object.metadata.name ?? "",
};

export const age: Column<KubeObject> = shown(
  "Age",
  "How long ago the object was created.",
  (object, nowMs) => since(object.metadata.creationTimestamp, nowMs),
);

/** The table of a kind. Objects come from the decoder, so their fields have the types they should. */
export function printer<T extends KubeObject>(...columns: readonly Column<T>[]): TablePrinter {
  return {
    columns: columns.map(({ column }) => column),
    cells: (object, nowMs) => columns.map((column) => column.cell(object as T, nowMs)),
  };
}

export const orNone = (text: string | undefined): string =>
  text === undefined || text === "" ? "<none>" : text;

export interface NamedImage {
  readonly name: string;
  readonly image?: string;
}

/** The two wide columns every workload has. */
export function containerColumns<T>(containers: (object: T) => readonly NamedImage[]): Column<T>[] {
  return [
    wide("Containers", "Names of the containers.", (object) =>
      containers(object)
        .map((container) => container.name)
        .join(","),
    ),
    wide("Images", "Images of the containers.", (object) =>
      containers(object)
        .map((container) => container.image ?? "")
        .join(","),
    ),
  ];
}
