/** Deletes objects that have lost their owners, and performs foreground and orphan deletion. */
import type { KubeObject, OwnerReference } from "../../api/object.ts";
import { isNotFound } from "../../api/status.ts";
import type { Context } from "../context.ts";
import type { Route } from "../request.ts";
import type { Propagation } from "../rest/delete-options.ts";
import { plainDeletion } from "../rest/delete-options.ts";
import { deleteObject, foregroundFinalizer, orphanFinalizer } from "../rest/delete.ts";
import { replace } from "../rest/update.ts";
import type { Change, Subscription } from "../store/store.ts";
import type { GraphNode } from "./owner-graph.ts";
import { OwnerGraph, ownersOf } from "./owner-graph.ts";
import { WorkSet } from "./work-set.ts";

export function startGarbageCollector(context: Context): Subscription {
  const graph = new OwnerGraph();
  const work = new WorkSet(context, (uid) => {
    for (const next of collect(context, graph, uid)) work.add(next);
  });
  const subscription = context.store.subscribe((change) => {
    graph.apply(change);
    for (const uid of affectedBy(graph, change)) work.add(uid);
  });
  return {
    stop() {
      subscription.stop();
      work.stop();
    },
  };
}

/** The objects to check after a change. */
function affectedBy(graph: OwnerGraph, change: Change): readonly string[] {
  const { type, object, previous } = change;
  const uid = object.metadata.uid ?? "";
  const [before, now] = [ownersOf(previous), ownersOf(object)];
  const references = before === now ? now : [...before, ...now];
  const owners = new Set(references.map((owner) => owner.uid));
  const waitingOwners = [...owners].filter((owner) => isWaiting(graph.node(owner)?.object));
  if (type === "DELETED") {
    return [...graph.dependentsOf(uid).map(uidOf), ...waitingOwners];
  }
  const concernsSelf = owners.size > 0 || isTerminating(object);
  return concernsSelf ? [uid, ...waitingOwners] : waitingOwners;
}

/** Returns the objects to check next: owners may form a circle, so nothing here calls itself. */
function collect(context: Context, graph: OwnerGraph, uid: string): readonly string[] {
  const node = graph.node(uid);
  if (node === undefined) return [];
  if (isTerminating(node.object)) return finishDeletion(context, graph, node);
  const { solid, waiting, absent } = classifyOwners(context, graph, node);
  if (waiting.length + absent.length === 0) return [];
  if (solid.length > 0) dropOwners(context, node, [...waiting, ...absent]);
  else if (waiting.length > 0 && graph.hasDependents(uid)) removeFirst(context, graph, node);
  else remove(context, node, ownPolicy(node.object));
  return [];
}

/** Before its owner. One that owns its owner in turn stops blocking it: both would wait for ever. */
function removeFirst(context: Context, graph: OwnerGraph, node: GraphNode): void {
  const uid = uidOf(node);
  if (graph.dependentsOf(uid).some(({ object }) => isWaiting(object))) {
    const ownerReferences = ownersOf(node.object).map((owner) =>
      owner.blockOwnerDeletion === true ? { ...owner, blockOwnerDeletion: false } : owner,
    );
    rewrite(context, node, { ownerReferences });
  }
  remove(context, node, "Foreground");
}

/** A terminating object waits for its dependents or orphans them, depending on its finalizers. */
function finishDeletion(context: Context, graph: OwnerGraph, node: GraphNode): readonly string[] {
  const uid = uidOf(node);
  const finalizers = node.object.metadata.finalizers ?? [];
  if (finalizers.includes(orphanFinalizer)) {
    for (const dependent of graph.dependentsOf(uid)) {
      const references = ownersOf(dependent.object).filter((owner) => owner.uid === uid);
      dropOwners(context, dependent, references);
    }
    dropFinalizer(context, graph, { uid, finalizer: orphanFinalizer });
    return [];
  }
  if (!finalizers.includes(foregroundFinalizer)) return [];
  const dependents = graph.dependentsOf(uid);
  if (!dependents.some((dependent) => isBlocking(dependent, uid))) {
    dropFinalizer(context, graph, { uid, finalizer: foregroundFinalizer });
  }
  return dependents.filter(({ object }) => !isTerminating(object)).map(uidOf);
}

function isBlocking({ object }: GraphNode, ownerUid: string): boolean {
  return ownersOf(object).some(
    (owner) => owner.uid === ownerUid && owner.blockOwnerDeletion === true,
  );
}

interface Owners {
  readonly solid: OwnerReference[];
  /** Owners in foreground deletion, which wait until this object is gone. */
  readonly waiting: OwnerReference[];
  readonly absent: OwnerReference[];
}

function classifyOwners(context: Context, graph: OwnerGraph, { object }: GraphNode): Owners {
  const owners: Owners = { solid: [], waiting: [], absent: [] };
  for (const reference of ownersOf(object)) {
    // Objects of a kind that is not served cannot be read, so they are assumed to exist.
    const isKnown = context.registry.ofKind(reference.apiVersion, reference.kind) !== undefined;
    const owner = graph.node(reference.uid)?.object;
    if (!isKnown) owners.solid.push(reference);
    else if (owner === undefined || !isOwner(owner, reference, object))
      owners.absent.push(reference);
    else if (isWaiting(owner)) owners.waiting.push(reference);
    else owners.solid.push(reference);
  }
  return owners;
}

/** A namespaced owner owns objects only inside its namespace. */
function isOwner(owner: KubeObject, { kind, name }: OwnerReference, object: KubeObject): boolean {
  const { namespace } = owner.metadata;
  const isNear = namespace === undefined || namespace === object.metadata.namespace;
  return owner.kind === kind && owner.metadata.name === name && isNear;
}

function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

function isWaiting(object: KubeObject | undefined): boolean {
  if (object === undefined || !isTerminating(object)) return false;
  return (object.metadata.finalizers ?? []).includes(foregroundFinalizer);
}

function ownPolicy({ metadata }: KubeObject): Propagation {
  const finalizers = metadata.finalizers ?? [];
  if (finalizers.includes(orphanFinalizer)) return "Orphan";
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background";
}

function uidOf({ object }: GraphNode): string {
  return object.metadata.uid ?? "";
}

function routeTo(context: Context, { object }: GraphNode): Route | undefined {
  const resource = context.registry.ofKind(object.apiVersion ?? "", object.kind ?? "");
  if (resource === undefined) return undefined;
  const { namespace, name } = object.metadata;
  return { resource, namespace, name, subresource: undefined };
}

function remove(context: Context, node: GraphNode, propagation: Propagation): void {
  const route = routeTo(context, node);
  if (route === undefined) return;
  try {
    deleteObject(context, route, { ...plainDeletion, propagation, uid: uidOf(node) });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function dropOwners(context: Context, node: GraphNode, gone: readonly OwnerReference[]): void {
  const uids = new Set(gone.map((owner) => owner.uid));
  const kept = ownersOf(node.object).filter((owner) => !uids.has(owner.uid));
  rewrite(
    context,
    node,
    kept.length > 0 ? { ownerReferences: kept } : { ownerReferences: undefined },
  );
}

function dropFinalizer(
  context: Context,
  graph: OwnerGraph,
  { uid, finalizer }: { readonly uid: string; readonly finalizer: string },
): void {
  const node = graph.node(uid);
  if (node === undefined) return;
  const kept = (node.object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
  rewrite(context, node, { finalizers: kept.length > 0 ? kept : undefined });
}

function rewrite(context: Context, node: GraphNode, change: Partial<KubeObject["metadata"]>): void {
  const route = routeTo(context, node);
  if (route === undefined) return;
  const metadata = Object.fromEntries(
    Object.entries({ ...node.object.metadata, ...change }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  replace(context, route, { ...node.object, metadata }, false);
}
