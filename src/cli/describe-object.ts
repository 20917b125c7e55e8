/** Any object as indented text: metadata first, then its fields, in the form `kubectl describe` gives them. */
import type { KubeObject } from "../api/object.ts";
import { annotationFields, mapFields } from "./description.ts";

/** Noise that explains nothing to a person. */
const hiddenMetadata = new Set([
  "managedFields",
  "name",
  "namespace",
  "labels",
  "annotations",
  "creationTimestamp",
]);

export function describeObject(kind: string, object: KubeObject): string[] {
  const { metadata } = object;
  const lines = [
    `Name:\t${metadata.name ?? ""}`,
    `Namespace:\t${metadata.namespace ?? ""}`,
    ...mapFields("Labels", metadata.labels),
    ...annotationFields(metadata.annotations),
    `API Version:\t${object.apiVersion ?? "v1"}`,
    `Kind:\t${object.kind ?? kind}`,
    `Created:\t${metadata.creationTimestamp ?? "<unknown>"}`,
  ];
  const more = Object.entries(metadata).filter(([key]) => !hiddenMetadata.has(key));
  lines.push("Metadata:", ...nested(Object.fromEntries(more), 2));
  for (const [key, value] of Object.entries(object)) {
    if (key === "apiVersion" || key === "kind" || key === "metadata") continue;
    lines.push(...entry(key, value, 0));
  }
  return lines;
}

function nested(value: object, indent: number): string[] {
  return Object.entries(value).flatMap(([key, item]) => entry(key, item, indent));
}

function entry(key: string, value: unknown, indent: number): string[] {
  const title = `${" ".repeat(indent)}${titleOf(key)}:`;
  if (Array.isArray(value)) return [title, ...value.flatMap((item) => listItem(item, indent + 2))];
  if (typeof value === "object" && value !== null) return [title, ...nested(value, indent + 2)];
  return [`${title}  ${scalar(value)}`];
}

/** The first field of an element is marked by a dash, so that a reader sees where the next begins. */
function listItem(item: unknown, indent: number): string[] {
  if (typeof item !== "object" || item === null) return [`${" ".repeat(indent)}${scalar(item)}`];
  const lines = nested(item, indent + 2);
  const [first = "", ...rest] = lines;
  return [`${first.slice(0, indent)}- ${first.slice(indent + 2)}`, ...rest];
}

function scalar(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** `terminationGracePeriodSeconds` -> `Termination Grace Period Seconds`; other keys stay as they are. */
function titleOf(key: string): string {
  if (!/^[a-z][A-Za-z0-9]*$/.test(key)) return key;
  const words = key.replace(/([a-z0-9])([A-Z])/g, "$1 $2");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
