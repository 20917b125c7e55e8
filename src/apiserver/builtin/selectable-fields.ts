/** The fields of built-in kinds that field selectors may name, and their values. */
import type { KubeObject } from "../../api/object.ts";

type Fields = Readonly<Record<string, string>>;

const paths: Readonly<Record<string, readonly string[]>> = {
  pods: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
  ],
  nodes: ["spec.unschedulable"],
  namespaces: ["status.phase"],
  secrets: ["type"],
  services: ["spec.clusterIP", "spec.type"],
  "replicasets.apps": ["status.replicas"],
  "events.events.k8s.io": eventPaths("regarding", "reportingController"),
  events: [...eventPaths("involvedObject", "reportingComponent"), "source"],
};

/** The text of a number or flag that is not set. */
const unset: Fields = {
  "spec.hostNetwork": "false",
  "spec.unschedulable": "false",
  "status.replicas": "0",
};

/** Undefined where a kind has no fields to select by beyond its name. */
export function selectableFieldsOf(
  groupResource: string,
): ((object: KubeObject) => Fields) | undefined {
  const known = paths[groupResource];
  if (known === undefined) return undefined;
  return (object) => Object.fromEntries(known.map((path) => [path, fieldText(object, path)]));
}

/** One of these fields. */
export function fieldReader(path: string): (object: KubeObject) => string {
  const steps = path.split(".");
  return (object) => textOf(object, path, steps);
}

function eventPaths(about: string, reporter: string): string[] {
  const parts = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
  return [...parts.map((part) => `${about}.${part}`), "reason", reporter, "type"];
}

const fieldText = (object: KubeObject, path: string): string =>
  textOf(object, path, path.split("."));

function textOf(object: KubeObject, path: string, steps: readonly string[]): string {
  let value: unknown = object;
  for (const step of steps) value = (value as Record<string, unknown> | undefined)?.[step];
  if (path === "source") return sourceText(object);
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return unset[path] ?? "";
}

function sourceText(event: KubeObject): string {
  const { source, reportingComponent = "" } = event as {
    source?: { component?: string };
    reportingComponent?: string;
  };
  const component = source?.component ?? "";
  return component === "" ? reportingComponent : component;
}
