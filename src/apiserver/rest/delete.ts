/** DELETE on one object and on a collection. */
import type { KubeObject } from "../../api/object.ts";
import { groupResource } from "../../api/resource.ts";
import { parseTime, timeText } from "../../api/time-text.ts";
import type { Context } from "../context.ts";
import { collectionOf, timestamp } from "../context.ts";
import { detailsOf, forbidden, methodNotAllowed } from "../errors.ts";
import { inheritForm } from "../forms.ts";
import { answerObject, answerValue } from "../request.ts";
import type { Answer, ApiRequest, Route } from "../request.ts";
import type { ServedResource } from "../served-resource.ts";
import { keyOf } from "../store/store.ts";
import type { DeletionRequest } from "./delete-options.ts";
import { assertPreconditions, deletionRequest } from "./delete-options.ts";
import { durationMs, graceFor } from "./grace.ts";
import { integerParameter, selectionAt } from "./read.ts";
import { findOrRefuse, isHeld } from "./update.ts";

export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

export interface Deletion {
  /** The last state: gone, or still there and terminating. */
  readonly object: KubeObject;
  readonly isGone: boolean;
}

export function deleteAt(context: Context, route: Route, request: ApiRequest): Answer {
  const { resource } = route;
  const { object, isGone } = deleteObject(context, route, deletionRequest(request));
  if (!isGone || returnsObject(resource)) return answerObject(resource, object);
  const details = { ...detailsOf(resource, route.name ?? ""), uid: object.metadata.uid };
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
  return answerValue(status);
}

/** Kinds whose deletion answers with the object rather than with a Status. */
const returned = new Set([
  "namespaces",
  "persistentvolumeclaims",
  "persistentvolumes",
  "pods",
  "podtemplates",
  "resourcequotas",
  "serviceaccounts",
  "services",
]);

function returnsObject(resource: ServedResource): boolean {
  return returned.has(groupResource(resource));
}

export function deleteCollectionAt(context: Context, route: Route, request: ApiRequest): Answer {
  const { resource } = route;
  if (resource.deletesCollections === false) throw methodNotAllowed();
  const options = deletionRequest(request);
  const selection = selectionAt(route, request);
  const found = collectionOf(context, resource)
    .list(selection.extent)
    .filter((object) => selection.matches(object));
  const limit = integerParameter(request, "limit");
  const chosen = limit > 0 ? found.slice(0, limit) : found;
  for (const { metadata } of chosen) {
    deleteObject(
      context,
      { ...route, namespace: metadata.namespace, name: metadata.name },
      options,
    );
  }
  const metadata = { resourceVersion: String(context.store.version) };
  return { status: 200, warnings: [], body: { type: "list", resource, objects: chosen, metadata } };
}

export function deleteObject(context: Context, route: Route, options: DeletionRequest): Deletion {
  const { resource } = route;
  const stored = findOrRefuse(context, route);
  assertDeletable(resource, route.name ?? "");
  assertPreconditions(resource, stored, options);
  const grace = graceFor(resource, stored, options);
  const finalizers = [...finalizersFor(stored, options), ...ownFinalizer(resource, stored)];
  const draft = terminatingForm(context, stored, { grace, finalizers });
  // A graceful kind passes through the terminating state even with no time left.
  const hasChanged = draft !== stored;
  const isHeldBack = finalizers.length > 0 || isHeld(resource, draft) || grace.isPending;
  if (isHeldBack || grace.seconds > 0) {
    const object = hasChanged ? write(context, route, draft, options) : stored;
    inheritForm(resource, stored, object);
    return { object, isGone: false };
  }
  if (options.dryRun) return { object: stored, isGone: true };
  if (grace.isGraceful && hasChanged) write(context, route, draft, options);
  const gone = collectionOf(context, resource).delete(keyOf(route.namespace, route.name ?? ""));
  if (gone !== undefined) inheritForm(resource, stored, gone);
  return { object: gone ?? stored, isGone: true };
}

const undeletableNamespaces = new Set(["default", "kube-system", "kube-public"]);

function assertDeletable(resource: ServedResource, name: string): void {
  if (groupResource(resource) !== "namespaces" || !undeletableNamespaces.has(name)) return;
  throw forbidden(resource, name, "this namespace may not be deleted");
}

function write(
  context: Context,
  { resource, namespace, name = "" }: Route,
  draft: KubeObject,
  { dryRun }: DeletionRequest,
): KubeObject {
  return dryRun ? draft : collectionOf(context, resource).put(keyOf(namespace, name), draft);
}

function finalizersFor({ metadata }: KubeObject, { propagation }: DeletionRequest): string[] {
  const present = metadata.finalizers ?? [];
  if (propagation === undefined) return [...present];
  const others = present.filter((one) => one !== orphanFinalizer && one !== foregroundFinalizer);
  if (propagation === "Background") return others;
  const wanted = propagation === "Orphan" ? orphanFinalizer : foregroundFinalizer;
  return present.includes(wanted) && others.length === present.length - 1
    ? [...present]
    : [...others, wanted];
}

function ownFinalizer({ rules }: ServedResource, { metadata }: KubeObject): string[] {
  const { deletionFinalizer } = rules;
  return deletionFinalizer === undefined || metadata.deletionTimestamp !== undefined
    ? []
    : [deletionFinalizer];
}

interface Termination {
  readonly grace: { readonly seconds: number; readonly isPending: boolean };
  readonly finalizers: readonly string[];
}

/** The object in its terminating state; the same instance if nothing changes. */
function terminatingForm(
  context: Context,
  stored: KubeObject,
  { grace, finalizers }: Termination,
): KubeObject {
  const { metadata } = stored;
  const isFirst = metadata.deletionTimestamp === undefined;
  const isShortened = !isFirst && !grace.isPending && grace.seconds < graceOf(stored);
  const sameFinalizers = finalizers.join() === (metadata.finalizers ?? []).join();
  if (!isFirst && !isShortened && sameFinalizers) return stored;
  const next: KubeObject = { ...stored, metadata: { ...metadata } };
  if (finalizers.length > 0) next.metadata.finalizers = [...finalizers];
  else delete next.metadata.finalizers;
  if (isFirst) markTerminating(next, timestamp(context, durationMs(grace.seconds)));
  if (isShortened) next.metadata.deletionTimestamp = earlierDeletion(stored, grace.seconds);
  const hasGrace = !isNamespace(next);
  if (hasGrace && (isFirst || isShortened)) {
    next.metadata.deletionGracePeriodSeconds = grace.seconds;
  }
  return next;
}

function markTerminating(draft: KubeObject, deletionTimestamp: string): void {
  const { metadata } = draft;
  metadata.deletionTimestamp = deletionTimestamp;
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1;
  if (isNamespace(draft)) draft["status"] = { ...statusOf(draft), phase: "Terminating" };
}

/** The end comes earlier by as much as the grace period has become shorter. */
function earlierDeletion(stored: KubeObject, seconds: number): string {
  const end = parseTime(stored.metadata.deletionTimestamp ?? "") ?? 0;
  return timeText(end - durationMs(graceOf(stored)) + durationMs(seconds));
}

function graceOf({ metadata }: KubeObject): number {
  return metadata.deletionGracePeriodSeconds ?? 0;
}

function isNamespace({ kind, apiVersion }: KubeObject): boolean {
  return kind === "Namespace" && apiVersion === "v1";
}

function statusOf(object: KubeObject): Record<string, unknown> {
  return object["status"] as Record<string, unknown>;
}
