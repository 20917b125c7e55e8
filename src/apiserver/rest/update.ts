/** PUT, and the part of a change that PATCH and subresources share. */
import { newFinalizers, validateObjectMetaUpdate } from "../../api/object-meta.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Context } from "../context.ts";
import { collectionOf } from "../context.ts";
import {
  badRequest,
  conflict,
  invalid,
  methodNotAllowed,
  modifiedSinceRead,
  notFound,
  serverFault,
} from "../errors.ts";
import { inheritForm, rememberForm, typedForm } from "../forms.ts";
import { answerObject } from "../request.ts";
import type { Answer, ApiRequest, Route } from "../request.ts";
import type { ServedResource } from "../served-resource.ts";
import { keyOf } from "../store/store.ts";
import { decodeBody, isDryRun, stampType } from "./body.ts";
import type { Draft } from "./body.ts";
import { admitUpdate, allocate } from "./admission.ts";
import { createDraft, storedKind } from "./create.ts";
import { assertStorable } from "./stored-size.ts";
import { isSameJson } from "../../api/same-json.ts";

export function updateAt(context: Context, route: Route, request: ApiRequest): Answer {
  const { resource, name } = route;
  if (name === undefined) throw methodNotAllowed();
  const stored = find(context, route);
  const known = stored && knownForm(resource, stored);
  const decoded = decodeBody(context.registry, resource, request, known);
  const draft = { object: stampType(resource, decoded.object), warnings: decoded.warnings };
  assertAddressed(route, draft.object);
  if (stored === undefined) {
    if (resource.rules.createsOnUpdate !== true || route.subresource !== undefined) {
      throw notFound(resource, name);
    }
    return createDraft(context, { ...route, name: undefined }, request, draft);
  }
  const { metadata } = draft.object;
  if ((metadata.resourceVersion ?? "") === "") {
    if (resource.rules.updateNeedsVersion === true) throw versionMissing(resource, name);
    metadata.resourceVersion = stored.metadata.resourceVersion;
  }
  return change(context, route, request, draft);
}

export function find(
  context: Context,
  { resource, namespace, name = "" }: Route,
): KubeObject | undefined {
  return collectionOf(context, resource).get(keyOf(namespace, name));
}

export function findOrRefuse(context: Context, route: Route): KubeObject {
  const stored = find(context, route);
  if (stored === undefined) throw notFound(route.resource, route.name ?? "");
  return stored;
}

export function assertAddressed({ name = "", namespace }: Route, { metadata }: KubeObject): void {
  if ((metadata.name ?? "") === "") {
    throw badRequest("name must be provided");
  }
  if (metadata.name !== name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  }
  const asked = metadata.namespace ?? "";
  if (asked !== "" && asked !== (namespace ?? "")) {
    throw badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  }
}

function versionMissing(resource: ServedResource, name: string): Error {
  return invalid({ group: resource.group, kind: resource.plural }, name, [
    {
      type: "Invalid",
      field: "metadata.resourceVersion",
      value: 0,
      detail: "must be specified for an update",
    },
  ]);
}

/** The stored object, where a draft may have parts in common with it. */
export const knownForm = (resource: ServedResource, stored: KubeObject): KubeObject | undefined =>
  resource.rules.sharesUnchanged === true ? typedForm(resource, stored) : undefined;

/** Carries the draft through rules and checks into the store. */
export function change(
  context: Context,
  route: Route,
  request: ApiRequest,
  { object: draft, warnings }: Draft,
): Answer {
  const { resource, subresource } = route;
  const stored = findOrRefuse(context, route);
  const old = typedForm(resource, stored);
  assertUnmodified(resource, draft, old);
  keepSystemMetadata(draft, old);
  resource.rules.applyDefaults(draft, old);
  admitUpdate(resource, draft, old);
  resource.rules.prepareForUpdate(draft, old, subresource);
  if (subresource === undefined) countGeneration(resource, draft, old);
  const { rules } = resource;
  const errors = [
    ...validateObjectMetaUpdate(draft.metadata, old.metadata),
    // Most kinds check metadata once more among their own rules, and so report this twice.
    ...(rules.checksMetadataOnce === true ? [] : newFinalizers(draft.metadata, old.metadata)),
    ...rules.validateUpdate(draft, old, subresource),
  ];
  if (errors.length > 0) throw invalid(storedKind(resource), route.name ?? "", errors);
  if (subresource === undefined) allocate(context, resource, draft);
  const allWarnings = [...warnings, ...(resource.rules.warnings?.(draft, old) ?? [])];
  const changed = replace(context, route, draft, isDryRun(request));
  return answerObject(resource, changed, 200, allWarnings);
}

function assertUnmodified(resource: ServedResource, draft: KubeObject, old: KubeObject): void {
  const { metadata } = draft;
  const name = old.metadata.name ?? "";
  if ((metadata.uid ?? "") !== "" && metadata.uid !== old.metadata.uid) {
    const why =
      `StorageError: invalid object, Code: 4, Key: ${name}, ResourceVersion: 0, AdditionalErrorMsg: ` +
      `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${old.metadata.uid}`;
    throw conflict(resource, name, why);
  }
  const { resourceVersion = "" } = metadata;
  if (resourceVersion === old.metadata.resourceVersion) return;
  if (!/^\d+$/.test(resourceVersion)) {
    throw serverFault(
      `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`,
    );
  }
  throw conflict(resource, name, modifiedSinceRead);
}

/** Fields that clients cannot set. */
function keepSystemMetadata({ metadata }: KubeObject, old: KubeObject): void {
  const kept = old.metadata;
  delete metadata["managedFields"];
  delete metadata["selfLink"];
  metadata.uid = kept.uid;
  if (kept.namespace !== undefined) metadata.namespace ??= kept.namespace;
  metadata.creationTimestamp ??= kept.creationTimestamp;
  keep("generation");
  keep("deletionTimestamp");
  keep("deletionGracePeriodSeconds");
  function keep(field: string): void {
    if (kept[field] === undefined) delete metadata[field];
    else metadata[field] = kept[field];
  }
}

function countGeneration(resource: ServedResource, draft: KubeObject, old: KubeObject): void {
  if (!resource.rules.tracksGeneration) return;
  const isUncounted = (field: string): boolean =>
    field === "metadata" || (field === "status" && resource.subresources.includes("status"));
  const fields = new Set([...Object.keys(draft), ...Object.keys(old)]);
  for (const field of fields) {
    if (isUncounted(field) || isSameJson(draft[field], old[field])) continue;
    draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
    return;
  }
}

/** Writes the new state. An unchanged object is not written; a terminating one without finalizers is removed. */
export function replace(
  context: Context,
  route: Route,
  draft: KubeObject,
  dryRun: boolean,
): KubeObject {
  const { resource } = route;
  const collection = collectionOf(context, resource);
  const key = keyOf(route.namespace, route.name ?? "");
  const stored = collection.get(key);
  const next = resource.storage?.toStored(draft) ?? draft;
  if (stored !== undefined && isSameJson(next, stored)) return stored;
  if (dryRun) return next;
  if (!isFinished(resource, next)) {
    assertStorable(resource, next);
    const written = collection.put(key, next);
    rememberForm(resource, written);
    return written;
  }
  // The DELETED event carries the last written state, so the finalizers are still on it.
  const gone = collection.delete(key);
  if (stored !== undefined && gone !== undefined) inheritForm(resource, stored, gone);
  return next;
}

function isFinished(resource: ServedResource, object: KubeObject): boolean {
  const { metadata } = object;
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).length === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
    !isHeld(resource, object)
  );
}

/** A namespace is removed when both its metadata finalizers and its spec finalizers are gone. */
export function isHeld(resource: ServedResource, object: KubeObject): boolean {
  if (resource.group !== "" || resource.plural !== "namespaces") return false;
  const { finalizers = [] } = (object["spec"] ?? {}) as { finalizers?: readonly string[] };
  return finalizers.length > 0;
}
