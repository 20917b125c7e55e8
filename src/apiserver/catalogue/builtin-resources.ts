/** Assembles the built-in resources from their names, fields, rules and tables. */
import { groupResource } from "../../api/resource.ts";
import { autoscalerStorage } from "../builtin/autoscaler-v1.ts";
import type { CatalogueEntry } from "../builtin/catalogue.ts";
import { builtinCatalogue } from "../builtin/catalogue.ts";
import { builtinRules } from "../builtin/rules.ts";
import { fieldReader, selectableFieldsOf } from "../builtin/selectable-fields.ts";
import { strategicMergeOf } from "../patch/strategic-patch.ts";
import { printerOf } from "../printers/builtin-printers.ts";
import { decoderOf } from "../schema/decode.ts";
import { openApiPartOf } from "../schema/open-api.ts";
import type { ServedResource } from "../served-resource.ts";
import { eventStorage } from "./event-forms.ts";

/** Every built-in resource except CustomResourceDefinitions, in the order of discovery. */
export function builtinResources(): readonly ServedResource[] {
  return builtinCatalogue.map(builtinResource);
}

/** What the server itself needs to know about particular kinds. */
const kindSpecifics: Readonly<Record<string, Partial<ServedResource>>> = {
  namespaces: { subresources: ["finalize", "status"], deletesCollections: false },
  pods: { indexedFields: indexed("spec.nodeName") },
  events: { indexedFields: indexed("involvedObject.uid") },
  "events.events.k8s.io": { storage: eventStorage },
  "horizontalpodautoscalers.autoscaling/v1": { storage: autoscalerStorage },
};

/** Kinds whose objects can be replaced only with a resourceVersion. */
const replacedByVersionOnly = new Set([
  "leases.coordination.k8s.io",
  "poddisruptionbudgets.policy",
]);

function indexed(field: string): ServedResource["indexedFields"] {
  return { [field]: fieldReader(field) };
}

function builtinResource(entry: CatalogueEntry): ServedResource {
  const name = groupResource(entry);
  const versioned = `${name}/${entry.version}`;
  const rules = builtinRules.get(versioned) ?? builtinRules.get(name);
  if (rules === undefined) throw new Error(`${name} has no rules`);
  const selectableFields = selectableFieldsOf(name);
  const strategicMerge = strategicMergeOf(entry);
  return {
    ...entry,
    rules: replacedByVersionOnly.has(name) ? { ...rules, updateNeedsVersion: true } : rules,
    printer: printerOf(entry.kind),
    decode: decoderOf(entry),
    openApi: () => openApiPartOf(entry),
    ...(strategicMerge === undefined ? {} : { strategicMerge }),
    ...(selectableFields === undefined ? {} : { selectableFields }),
    ...(kindSpecifics[versioned] ?? kindSpecifics[name]),
  };
}
