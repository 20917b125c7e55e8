/** Follows the objects of a resource as the server stores them, each event with the version before it. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import type { Client, WatchOptions } from "../runtime/client.ts";

export type Selection = Pick<WatchOptions, "namespace" | "labelSelector" | "signal">;

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

export type See<T> = (type: EventType, object: T, before: T | undefined) => void;

/** The returned map holds what is there now; it is up to date when `see` is called. */
export function follow<T extends KubeObject>(
  {
    client,
    resource,
    selection = {},
  }: { client: Client; resource: Resource; selection?: Selection },
  see: See<T>,
): ReadonlyMap<string, T> {
  const known = new Map<string, T>();
  void client.watch<T>(resource, { ...selection, resourceVersion: "0" }, (event) => {
    if (event.type === "ERROR" || event.type === "BOOKMARK") return;
    const { name = "" } = event.object.metadata;
    const before = known.get(name);
    if (event.type === "DELETED") known.delete(name);
    else known.set(name, event.object);
    see(event.type, event.object, before);
  });
  return known;
}
