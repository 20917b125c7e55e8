/** Strategic merge patches over pod templates: lists of named things are merged by name, others replaced. */
import type { PodTemplate } from "../apps.ts";

type Json = Readonly<Record<string, unknown>>;

/** By the name of the list: the field that distinguishes its elements. */
const mergeKeys: Readonly<Record<string, string>> = {
  containers: "name",
  initContainers: "name",
  ephemeralContainers: "name",
  env: "name",
  volumes: "name",
  imagePullSecrets: "name",
  ports: "containerPort",
  volumeMounts: "mountPath",
  volumeDevices: "devicePath",
  hostAliases: "ip",
  topologySpreadConstraints: "topologyKey",
};

export const mergeTemplate = (
  template: PodTemplate,
  patch: Readonly<Record<string, unknown>> | undefined,
): PodTemplate => (patch === undefined ? template : mergeObject(template as Json, patch));

function mergeObject(base: Json, patch: Json): Json {
  const { $patch: directive, ...changes } = patch;
  if (directive === "replace") return changes;
  const merged: Record<string, unknown> = { ...base };
  for (const [field, change] of Object.entries(changes)) {
    if (field.startsWith("$setElementOrder/") || field.startsWith("$deleteFromPrimitiveList/")) {
      continue;
    }
    if (change === null) delete merged[field];
    else merged[field] = mergeValue(field, merged[field], change);
  }
  return merged;
}

function mergeValue(field: string, base: unknown, change: unknown): unknown {
  if (Array.isArray(change)) {
    const key = mergeKeys[field];
    return key === undefined ? change : mergeList(key, isList(base) ? base : [], change as Json[]);
  }
  if (isObject(change)) return mergeObject(isObject(base) ? base : {}, change);
  return change;
}

/** Elements that the patch adds come first, as the API server puts them. */
function mergeList(key: string, base: readonly Json[], patch: readonly Json[]): readonly Json[] {
  const replaces = patch.some((element) => element["$patch"] === "replace");
  const elements = patch.filter((element) => element["$patch"] !== "replace");
  if (replaces) return elements;
  const changes = new Map(elements.map((element) => [element[key], element]));
  const kept = base.flatMap((element) => {
    const change = changes.get(element[key]);
    if (change === undefined) return [element];
    return change["$patch"] === "delete" ? [] : [mergeObject(element, change)];
  });
  const known = new Set(base.map((element) => element[key]));
  const added = elements.filter(
    (element) => !known.has(element[key]) && element["$patch"] !== "delete",
  );
  return [...added, ...kept];
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isList = (value: unknown): value is readonly Json[] => Array.isArray(value);
