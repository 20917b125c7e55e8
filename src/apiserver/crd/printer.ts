/** Table columns of custom resources: the name, then what the definition lists, or the age. */
import type { KubeObject } from "../../api/object.ts";
import type { TableColumn, TablePrinter } from "../served-resource.ts";
import type { DefinitionVersion, PrinterColumn } from "./definition.ts";
import type { JsonPath } from "./json-path.ts";
import { findFirst, parseJsonPath, valueText } from "./json-path.ts";

const nameColumn: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: "The name of the object, unique among its kind in a namespace.",
  priority: 0,
};

const ageColumn: PrinterColumn = {
  name: "Age",
  type: "date",
  description: "The time since the object was created.",
  jsonPath: ".metadata.creationTimestamp",
};

export function customPrinter({ additionalPrinterColumns }: DefinitionVersion): TablePrinter {
  const listed = additionalPrinterColumns ?? [];
  const columns = (listed.length === 0 ? [ageColumn] : listed).map((column) => ({
    column,
    path: parseJsonPath(column.jsonPath),
  }));
  return {
    columns: [nameColumn, ...columns.map(({ column }) => tableColumn(column))],
    cells: (object, nowMs) => [
      object.metadata.name,
      ...columns.map(({ column, path }) => cell(object, column.type, path, nowMs)),
    ],
  };
}

function tableColumn({
  name,
  type,
  format,
  description,
  jsonPath,
  priority,
}: PrinterColumn): TableColumn {
  return {
    name,
    type: type as TableColumn["type"],
    ...(format === undefined ? {} : { format }),
    description:
      description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: priority ?? 0,
  };
}

function cell(object: KubeObject, type: string, path: JsonPath, nowMs: number): unknown {
  const value = findFirst(path, object);
  if (value === undefined || value === null) return null;
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? ageText(value, nowMs) : null;
    default:
      return valueText(value);
  }
}

function ageText(timestamp: string, nowMs: number): string {
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? "<invalid>" : humanDuration(nowMs - then);
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;

interface AgeStep {
  readonly belowMs: number;
  readonly unitMs: number;
  readonly unit: string;
  /** Shown behind the unit while it is not zero. */
  readonly rest?: readonly [ms: number, unit: string];
}

/** Two units while the number is small, one after that: `90s`, `5m30s`, `23m`, `3h5m`, `30h`, `8d`. */
const ageSteps: readonly AgeStep[] = [
  { belowMs: 2 * minuteMs, unitMs: secondMs, unit: "s" },
  { belowMs: 10 * minuteMs, unitMs: minuteMs, unit: "m", rest: [secondMs, "s"] },
  { belowMs: 3 * hourMs, unitMs: minuteMs, unit: "m" },
  { belowMs: 8 * hourMs, unitMs: hourMs, unit: "h", rest: [minuteMs, "m"] },
  { belowMs: 2 * dayMs, unitMs: hourMs, unit: "h" },
  { belowMs: 8 * dayMs, unitMs: dayMs, unit: "d", rest: [hourMs, "h"] },
  { belowMs: 2 * yearMs, unitMs: dayMs, unit: "d" },
  { belowMs: 8 * yearMs, unitMs: yearMs, unit: "y", rest: [dayMs, "d"] },
  { belowMs: Infinity, unitMs: yearMs, unit: "y" },
];

function humanDuration(ms: number): string {
  if (ms < -secondMs) return "<invalid>";
  if (ms < 0) return "0s";
  const step = ageSteps.find(({ belowMs }) => ms < belowMs);
  if (step === undefined) return "<unknown>";
  const main = `${Math.floor(ms / step.unitMs)}${step.unit}`;
  if (step.rest === undefined) return main;
  const rest = Math.floor((ms % step.unitMs) / step.rest[0]);
  return rest === 0 ? main : `${main}${rest}${step.rest[1]}`;
}
