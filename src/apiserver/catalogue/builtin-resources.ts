/** Puts the built-in resources together from their fields, their rules and their tables. */
import type { KubeObject } from "../../api/object.ts";
import { strategicMergeOf } from "../patch/strategic-patch.ts";
import { printerOf } from "../printers/builtin-printers.ts";
import { decoderOf } from "../schema/decode.ts";
import { openApiPartOf } from "../schema/open-api.ts";
import type { ServedResource } from "../served-resource.ts";
import { eventStorage } from "./event-forms.ts";
import { plainRules } from "./plain-rules.ts";
import type { CatalogueRow } from "./rows.ts";
import { catalogueRows } from "./rows.ts";

/** Every built-in resource, in the order in which discovery shows them. */
export function builtinResources(): readonly ServedResource[] {
  return catalogueRows.map(builtinResource);
}

function builtinResource(row: CatalogueRow): ServedResource {
  const { selectable, indexed, ...names } = row;
  const strategicMerge = strategicMergeOf(row);
  return {
    ...names,
    singular: row.kind.toLowerCase(),
    listKind: `${row.kind}List`,
    rules: plainRules,
    printer: printerOf(row.kind),
    decode: decoderOf(row),
    ...(strategicMerge === undefined ? {} : { strategicMerge }),
    ...(selectable.length === 0
      ? {}
      : { selectableFields: (object) => selectedFields(object, selectable) }),
    indexedFields: indexed,
    openApi: () => openApiPartOf(row),
    ...(row.group === "events.k8s.io" ? { storage: eventStorage } : {}),
  };
}

/** Selectable fields that read `false` where they are unset. */
const flags = new Set(["spec.hostNetwork", "spec.unschedulable"]);

function selectedFields(object: KubeObject, paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, textAt(object, path)]));
}

function textAt(object: KubeObject, path: string): string {
  if (path === "source") return textAt(object, "source.component");
  let value: unknown = object;
  for (const field of path.split(".")) {
    if (typeof value !== "object" || value === null) return flags.has(path) ? "false" : "";
    value = (value as Record<string, unknown>)[field];
  }
  if (typeof value === "string") return value;
  if (flags.has(path)) return String(value === true);
  return typeof value === "number" ? String(value) : "";
}
