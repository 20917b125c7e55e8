/** CustomResourceDefinition as a resource of the server. */
import type { KubeObject } from "../../api/object.ts";
import { decoderOf } from "../schema/decode.ts";
import type { ServedResource, TablePrinter } from "../served-resource.ts";
import type { CustomResourceDefinition } from "./definition.ts";
import { cleanupFinalizer } from "./definition.ts";
import { validateDefinition, validateDefinitionUpdate } from "./definition-rules.ts";

const printer: TablePrinter = {
  columns: [
    {
      name: "Name",
      type: "string",
      format: "name",
      description: "The name of the definition: the plural and the group.",
      priority: 0,
    },
    {
      name: "Created At",
      type: "date",
      description: "The time the definition was created.",
      priority: 0,
    },
  ],
  cells: ({ metadata }) => [metadata.name, metadata.creationTimestamp],
};

export const definitionResource: ServedResource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
  singular: "customresourcedefinition",
  listKind: "CustomResourceDefinitionList",
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  subresources: ["status"],
  printer,
  decode: decoderOf({
    group: "apiextensions.k8s.io",
    version: "v1",
    kind: "CustomResourceDefinition",
  }),
  rules: {
    tracksGeneration: true,
    updateNeedsVersion: true,
    deletionFinalizer: cleanupFinalizer,
    applyDefaults: (draft) => fillDefaults(draft as CustomResourceDefinition),
    prepareForCreate(draft) {
      const definition = draft as CustomResourceDefinition;
      const stored = definition.spec.versions.find(({ storage }) => storage)?.name;
      const storedVersions = stored === undefined ? [] : [stored];
      definition.status = { acceptedNames: { plural: "", kind: "" }, storedVersions };
    },
    prepareForUpdate: (draft, old, subresource) => keepOthersPart(draft, old, subresource),
    validateCreate: (draft) => validateDefinition(draft as CustomResourceDefinition),
    validateUpdate: (draft, old) =>
      validateDefinitionUpdate(draft as CustomResourceDefinition, old as CustomResourceDefinition),
  },
};

function fillDefaults({ spec }: CustomResourceDefinition): void {
  spec.scope ??= "";
  spec.group ??= "";
  spec.versions ??= [];
  const { names } = spec;
  names.kind ??= "";
  if (names.kind !== "") {
    names.singular ??= names.kind.toLowerCase();
    names.listKind ??= `${names.kind}List`;
  }
  spec.conversion ??= { strategy: "None" };
}

/** Status is written through its subresource and by the server; a new storage version is recorded on the way. */
function keepOthersPart(draft: KubeObject, old: KubeObject, subresource: string | undefined): void {
  if (subresource === "status") {
    draft["spec"] = structuredClone(old["spec"]);
    return;
  }
  draft["status"] = structuredClone(old["status"]);
  const definition = draft as CustomResourceDefinition;
  const stored = definition.spec.versions.find(({ storage }) => storage)?.name;
  const known = definition.status?.storedVersions ?? [];
  if (stored === undefined || known.includes(stored)) return;
  definition.status = { ...definition.status, storedVersions: [...known, stored] };
}
