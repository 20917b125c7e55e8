/** Prints the API server's tables as kubectl prints them. */
import { terminalText } from "./terminal-text.ts";

export interface ServerTable {
  readonly kind: "Table";
  readonly metadata?: { readonly resourceVersion?: string };
  readonly columnDefinitions:
    | readonly { readonly name: string; readonly priority: number }[]
    | null;
  readonly rows: readonly TableRow[] | null;
}

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly object: {
    readonly metadata: {
      readonly name: string;
      readonly namespace?: string;
      readonly labels?: Readonly<Record<string, string>>;
    };
  };
}

export interface TableLayout {
  readonly wide: boolean;
  readonly showNamespace: boolean;
  readonly showLabels: boolean;
  /** `statefulset.apps/` before each name, when several kinds are listed. */
  readonly namePrefix: string;
}

type Columns = NonNullable<ServerTable["columnDefinitions"]>;

export function headerOf(columns: Columns, layout: TableLayout): string[] {
  return [
    ...(layout.showNamespace ? ["NAMESPACE"] : []),
    ...shown(columns, layout).map((index) => (columns[index]?.name ?? "").toUpperCase()),
    ...(layout.showLabels ? ["LABELS"] : []),
  ];
}

export function rowOf(row: TableRow, columns: Columns, layout: TableLayout): string[] {
  const { metadata } = row.object;
  return [
    ...(layout.showNamespace ? [metadata.namespace ?? ""] : []),
    ...shown(columns, layout).map((index) => {
      const text = cellText(row.cells[index]);
      return index === 0 ? layout.namePrefix + text : text;
    }),
    ...(layout.showLabels ? [labelsText(metadata.labels)] : []),
  ];
}

const gap = 3;
const narrowest = 6;

/** Pads the columns to the widest cell and the gap, as kubectl does; nothing after the last. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? narrowest, cell.length + gap);
    });
  }
  return rows.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join(""),
  );
}

function shown(columns: Columns, layout: TableLayout): number[] {
  return columns.flatMap((column, index) => (layout.wide || column.priority === 0 ? [index] : []));
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "string") return terminalText(cell);
  if (typeof cell === "number" || typeof cell === "boolean") return String(cell);
  return terminalText(JSON.stringify(cell));
}

function labelsText(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([key, value]) => terminalText(`${key}=${value}`));
  return pairs.length === 0 ? "<none>" : pairs.toSorted().join(",");
}
