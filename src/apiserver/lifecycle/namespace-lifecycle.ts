/** Creates the default service account of namespaces, and empties and removes terminating ones. */
import type { Condition } from "../../api/apps.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Context } from "../context.ts";
import { collectionOf, timestamp } from "../context.ts";
import { dispatch } from "../dispatch.ts";
import type { Route } from "../request.ts";
import { plainDeletion } from "../rest/delete-options.ts";
import { deleteObject } from "../rest/delete.ts";
import { replace } from "../rest/update.ts";
import type { ServedResource } from "../served-resource.ts";
import type { Change, Subscription } from "../store/store.ts";
import type { Remaining } from "./namespace-conditions.ts";
import { deletionConditions } from "./namespace-conditions.ts";
import { WorkSet } from "./work-set.ts";

const finalizer = "kubernetes";

interface Namespace extends KubeObject {
  readonly status?: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}

export function startNamespaceLifecycle(context: Context): Subscription {
  const terminating = new Set<string>();
  const work = new WorkSet(context, (name) => reconcile(context, name));
  const subscription = context.store.subscribe((change) => {
    const name = namespaceToReconcile(change, terminating);
    if (name !== undefined) work.add(name);
  });
  return {
    stop() {
      subscription.stop();
      work.stop();
    },
  };
}

function namespaceToReconcile(change: Change, terminating: Set<string>): string | undefined {
  const { metadata } = change.object;
  if (change.collection === "namespaces") {
    const name = metadata.name ?? "";
    if (change.type === "DELETED") terminating.delete(name);
    else if (metadata.deletionTimestamp !== undefined) terminating.add(name);
    return change.type === "DELETED" ? undefined : name;
  }
  if (change.type !== "DELETED" || metadata.namespace === undefined) return undefined;
  const isAccount = change.collection === "serviceaccounts" && metadata.name === "default";
  return isAccount || terminating.has(metadata.namespace) ? metadata.namespace : undefined;
}

function reconcile(context: Context, name: string): void {
  const namespace: Namespace | undefined = context.store.collection("namespaces").get(name);
  if (namespace === undefined) return;
  if (namespace.metadata.deletionTimestamp === undefined) return ensureAccount(context, name);
  if (!finalizersOf(namespace).includes(finalizer)) return;
  const contents = namespacedResources(context);
  for (const resource of contents) empty(context, resource, name);
  const left = contents.map((resource) => ({
    group: resource.group,
    plural: resource.plural,
    objects: remaining(context, resource, name),
  }));
  if (left.every(({ objects }) => objects.length === 0)) release(context, namespace);
  else report(context, namespace, left);
}

/** For whoever waits for its end. */
function report(context: Context, namespace: Namespace, left: readonly Remaining[]): void {
  const { conditions: before = [] } = namespace.status ?? {};
  const conditions = deletionConditions(before, left, timestamp(context));
  write(context, { ...namespace, status: { ...namespace.status, conditions } }, "status");
}

function ensureAccount(context: Context, namespace: string): void {
  const accounts = context.registry.find("", "v1", "serviceaccounts");
  if (accounts === undefined) return;
  if (collectionOf(context, accounts).get(`${namespace}/default`) !== undefined) return;
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const body = { kind: "ServiceAccount", apiVersion: "v1", metadata: { name: "default" } };
  dispatch(context, { method: "POST", path, query: {}, body });
}

/** One resource per collection: several versions of a kind share theirs. */
function namespacedResources(context: Context): readonly ServedResource[] {
  const byCollection = new Map<string, ServedResource>();
  for (const resource of context.registry.served) {
    if (!resource.namespaced) continue;
    const { name } = collectionOf(context, resource);
    if (!byCollection.has(name)) byCollection.set(name, resource);
  }
  return [...byCollection.values()];
}

function remaining(
  context: Context,
  resource: ServedResource,
  namespace: string,
): readonly KubeObject[] {
  return collectionOf(context, resource).list({ namespace });
}

function empty(context: Context, resource: ServedResource, namespace: string): void {
  for (const { metadata } of remaining(context, resource, namespace)) {
    if (metadata.deletionTimestamp !== undefined) continue;
    const route: Route = { resource, namespace, name: metadata.name, subresource: undefined };
    deleteObject(context, route, { ...plainDeletion, propagation: "Background" });
  }
}

function release(context: Context, namespace: KubeObject): void {
  const kept = finalizersOf(namespace).filter((one) => one !== finalizer);
  const spec = kept.length > 0 ? { finalizers: kept } : {};
  write(context, { ...namespace, spec }, "finalize");
}

function write(context: Context, changed: KubeObject, subresource: string): void {
  const resource = context.registry.find("", "v1", "namespaces");
  if (resource === undefined) return;
  const draft = { ...changed, metadata: { ...changed.metadata } };
  const { name } = changed.metadata;
  replace(context, { resource, namespace: undefined, name, subresource }, draft, false);
}

function finalizersOf(namespace: KubeObject): readonly string[] {
  const { finalizers = [] } = (namespace["spec"] ?? {}) as { finalizers?: readonly string[] };
  return finalizers;
}
