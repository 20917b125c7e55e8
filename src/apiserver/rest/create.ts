/** POST on a collection. */
import { dns1123SubdomainProblems } from "../../api/dns-name.ts";
import type { KubeObject } from "../../api/object.ts";
import { validateObjectMeta } from "../../api/object-meta.ts";
import type { Context } from "../context.ts";
import { collectionOf, timestamp } from "../context.ts";
import { alreadyExists, badRequest, serverFault, invalid, methodNotAllowed } from "../errors.ts";
import { rememberForm } from "../forms.ts";
import { answerObject } from "../request.ts";
import type { Answer, ApiRequest, Route } from "../request.ts";
import type { ServedResource } from "../served-resource.ts";
import { keyOf } from "../store/store.ts";
import { admitCreate, allocate } from "./admission.ts";
import type { Draft } from "./body.ts";
import { decodeBody, isDryRun, stampType } from "./body.ts";
import { assertStorable } from "./stored-size.ts";

/** How often a generated name that is taken is replaced by another one. */
const nameAttempts = 8;

/** The random suffix is five characters long and a name at most 63. */
const generatedBaseLength = 58;

export function createAt(context: Context, route: Route, request: ApiRequest): Answer {
  if (route.name !== undefined) throw methodNotAllowed();
  return createDraft(
    context,
    route,
    request,
    decodeBody(context.registry, route.resource, request),
  );
}

/** Also serves PUT on a missing object of a kind that is then created. */
export function createDraft(
  context: Context,
  route: Route,
  request: ApiRequest,
  { object, warnings }: Draft,
): Answer {
  const { resource } = route;
  const draft = stampType(resource, object);
  setNamespace(route, draft);
  if ((draft.metadata.resourceVersion ?? "") !== "") {
    throw serverFault("resourceVersion should not be set on objects to be created");
  }
  const isGenerated = generateName(context, draft);
  resource.rules.applyDefaults(draft);
  admitCreate(context, resource, draft);
  prepare(context, resource, draft);
  validate(resource, draft);
  allocate(context, resource, draft);
  if (isGenerated) avoidTakenName(context, resource, draft);
  const allWarnings = [...warnings, ...(resource.rules.warnings?.(draft) ?? [])];
  const created = commit(context, resource, draft, isDryRun(request));
  return answerObject(resource, created, 201, allWarnings);
}

function setNamespace({ resource, namespace }: Route, draft: KubeObject): void {
  const { metadata } = draft;
  if (!resource.namespaced) {
    if (metadata.namespace === "") delete metadata.namespace;
    return;
  }
  const asked = metadata.namespace ?? "";
  if (asked !== "" && namespace !== undefined && asked !== namespace) {
    throw badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  }
  if (namespace === undefined) {
    throw badRequest("an empty namespace may not be set during creation");
  }
  metadata.namespace = namespace;
}

function generateName({ ids }: Context, { metadata }: KubeObject): boolean {
  if ((metadata.name ?? "") !== "" || (metadata.generateName ?? "") === "") return false;
  metadata.name = `${metadata.generateName?.slice(0, generatedBaseLength)}${ids.nameSuffix()}`;
  return true;
}

function avoidTakenName(context: Context, resource: ServedResource, draft: KubeObject): void {
  const collection = collectionOf(context, resource);
  const { metadata } = draft;
  for (let attempt = 1; attempt < nameAttempts; attempt++) {
    if (collection.get(keyOf(metadata.namespace, metadata.name ?? "")) === undefined) return;
    delete metadata.name;
    generateName(context, draft);
  }
}

function prepare(context: Context, { rules }: ServedResource, draft: KubeObject): void {
  const { metadata } = draft;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata["selfLink"];
  delete metadata["managedFields"];
  delete metadata.resourceVersion;
  metadata.uid = context.ids.uid();
  metadata.creationTimestamp = timestamp(context);
  if (rules.tracksGeneration) metadata.generation = 1;
  rules.prepareForCreate(draft);
}

function validate(resource: ServedResource, draft: KubeObject): void {
  const { rules, namespaced } = resource;
  const checkName = rules.checkName ?? ((name: string) => dns1123SubdomainProblems(name));
  const errors = [
    ...validateObjectMeta(draft.metadata, { namespaced, checkName }),
    ...rules.validateCreate(draft),
  ];
  if (errors.length > 0) throw invalid(storedKind(resource), draft.metadata.name ?? "", errors);
}

/** Refusals name the kind under the group in which its objects are kept. */
export function storedKind({ kind, group, storage }: ServedResource): {
  kind: string;
  group: string;
} {
  return { kind, group: storage?.group ?? group };
}

function commit(
  context: Context,
  resource: ServedResource,
  draft: KubeObject,
  dryRun: boolean,
): KubeObject {
  const { namespace, name = "" } = draft.metadata;
  const collection = collectionOf(context, resource);
  const existing = collection.get(keyOf(namespace, name));
  if (existing !== undefined) {
    const isTerminating = existing.metadata.deletionTimestamp !== undefined;
    throw alreadyExists(resource, name, isTerminating ? "object is being deleted: " : "");
  }
  const stored = resource.storage?.toStored(draft) ?? draft;
  if (dryRun) return stored;
  assertStorable(resource, stored);
  const created = collection.put(keyOf(namespace, name), stored);
  rememberForm(resource, created);
  return created;
}
