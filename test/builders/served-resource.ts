/** Resources without value rules, for tests of what every kind has in common. */
import type { KubeObject } from "../../src/api/object.ts";
import type { KindRules, ServedResource } from "../../src/apiserver/served-resource.ts";

const laxRules: KindRules = {
  applyDefaults: () => undefined,
  prepareForCreate: () => undefined,
  prepareForUpdate: (draft, old, subresource) => {
    if (subresource !== "status") return;
    for (const field of Object.keys(draft)) if (field !== "status") delete draft[field];
    const { status: _status, metadata, ...kept } = old;
    Object.assign(draft, kept, { metadata: { ...metadata } });
  },
  validateCreate: () => [],
  validateUpdate: () => [],
  tracksGeneration: false,
};

export function laxResource(overrides: Partial<ServedResource> & { kind: string }): ServedResource {
  const singular = overrides.kind.toLowerCase();
  return {
    group: "",
    version: "v1",
    plural: `${singular}s`,
    namespaced: true,
    singular,
    listKind: `${overrides.kind}List`,
    shortNames: [],
    categories: [],
    subresources: ["status"],
    printer: {
      columns: [{ name: "Name", type: "string", format: "name", priority: 0 }],
      cells: ({ metadata }) => [metadata.name],
    },
    decode: (body) => {
      const object = structuredClone(body) as KubeObject;
      return { object: { ...object, metadata: object.metadata ?? {} }, strictProblems: [] };
    },
    ...overrides,
    rules: { ...laxRules, ...overrides.rules },
  };
}

const field = (object: KubeObject, part: string, name: string): string => {
  const value = (object[part] as Record<string, unknown> | undefined)?.[name];
  return typeof value === "string" ? value : "";
};

export const laxNamespaces = laxResource({ kind: "Namespace", namespaced: false });
export const laxConfigMaps = laxResource({ kind: "ConfigMap", subresources: [] });
export const laxPods = laxResource({
  kind: "Pod",
  subresources: ["status", "binding"],
  rules: { ...laxRules, tracksGeneration: true },
  indexedFields: { "spec.nodeName": (pod) => field(pod, "spec", "nodeName") },
  selectableFields: (pod) => ({
    "spec.nodeName": field(pod, "spec", "nodeName"),
    "status.phase": field(pod, "status", "phase"),
  }),
});
