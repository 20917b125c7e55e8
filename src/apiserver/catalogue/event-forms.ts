/** Events exist under two groups with different field names; they are stored in the older shape. */
import type { KubeObject } from "../../api/object.ts";
import type { StorageForm } from "../served-resource.ts";

/** Names in events.k8s.io on the left, in the core group on the right. */
const renamed: readonly (readonly [newer: string, older: string])[] = [
  ["note", "message"],
  ["regarding", "involvedObject"],
  ["reportingController", "reportingComponent"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
];

const toOlder = new Map(renamed);
const toNewer = new Map(renamed.map(([newer, older]) => [older, newer] as const));

export const eventStorage: StorageForm = {
  group: "",
  version: "v1",
  plural: "events",
  toStored: (event) => converted(event, "v1", toOlder),
  fromStored: (event) => converted(event, "events.k8s.io/v1", toNewer),
};

function converted(
  { kind, apiVersion: _apiVersion, metadata, ...fields }: KubeObject,
  apiVersion: string,
  names: ReadonlyMap<string, string>,
): KubeObject {
  const entries = Object.entries(fields).map(([name, value]) => [names.get(name) ?? name, value]);
  return { kind, apiVersion, metadata, ...Object.fromEntries(entries) } as KubeObject;
}
