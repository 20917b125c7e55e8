/** The objects that a new cluster starts with. */
import { systemPriorityClasses } from "./builtin/priority.ts";
import type { Context } from "./context.ts";
import { collectionOf, timestamp } from "./context.ts";
import { dispatch } from "./dispatch.ts";

const namespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

export function bootstrap(context: Context): void {
  createNamespaces(context);
  createPriorityClasses(context);
  // These first writes are not kept as changes, because no watch can have been open yet.
  context.store.compact();
}

function createNamespaces(context: Context): void {
  if (context.registry.find("", "v1", "namespaces") === undefined) return;
  for (const name of namespaces) {
    const body = { kind: "Namespace", apiVersion: "v1", metadata: { name } };
    dispatch(context, { method: "POST", path: "/api/v1/namespaces", query: {}, body });
  }
}

/** Users may not create classes of these names, so they are written to the store directly. */
function createPriorityClasses(context: Context): void {
  const resource = context.registry.find("scheduling.k8s.io", "v1", "priorityclasses");
  if (resource === undefined) return;
  for (const { kind, apiVersion, metadata, ...fields } of systemPriorityClasses) {
    const system = { uid: context.ids.uid(), creationTimestamp: timestamp(context), generation: 1 };
    const draft = { kind, apiVersion, metadata: { ...metadata, ...system }, ...fields };
    collectionOf(context, resource).put(metadata.name ?? "", draft);
  }
}
