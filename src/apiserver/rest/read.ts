/** GET on one object and on a collection. */
import type { KubeObject, ListMeta } from "../../api/object.ts";
import type { Context } from "../context.ts";
import { collectionOf } from "../context.ts";
import { badRequest, expired, invalid, versionTooLarge } from "../errors.ts";
import { answerObject, parameter, parseInteger } from "../request.ts";
import type { Answer, ApiRequest, Route } from "../request.ts";
import type { Selection } from "../selectors/selection.ts";
import { selectionOf } from "../selectors/selection.ts";
import type { Collection } from "../store/store.ts";
import type { ContinueToken } from "./continue-token.ts";
import { parseContinueToken, writeContinueToken } from "./continue-token.ts";
import { findOrRefuse } from "./update.ts";

export function getAt(context: Context, route: Route, request: ApiRequest): Answer {
  const version = versionParameter(request) ?? 0;
  if (version > context.store.version) throw versionTooLarge(version, context.store.version);
  return answerObject(route.resource, findOrRefuse(context, route));
}

export function selectionAt({ resource, namespace, name }: Route, request: ApiRequest): Selection {
  const named = name === undefined ? undefined : `metadata.name=${name}`;
  return selectionOf({
    resource,
    namespace,
    labelSelector: parameter(request, "labelSelector"),
    fieldSelector: named ?? parameter(request, "fieldSelector"),
  });
}

interface ListPlan {
  readonly selection: Selection;
  readonly limit: number;
  readonly token: ContinueToken | undefined;
  /** The version whose state is listed; undefined for the present. */
  readonly version: number | undefined;
}

export function listAt(context: Context, route: Route, request: ApiRequest): Answer {
  const { resource } = route;
  const collection = collectionOf(context, resource);
  const plan = planList(context, route, request, collection);
  const { objects, metadata } = readPage(context, collection, plan);
  return { status: 200, warnings: [], body: { type: "list", resource, objects, metadata } };
}

function planList(
  context: Context,
  route: Route,
  request: ApiRequest,
  collection: Collection,
): ListPlan {
  const selection = selectionAt(route, request);
  const limit = integerParameter(request, "limit");
  const text = parameter(request, "continue");
  const token = text === undefined ? undefined : parseContinueToken(text);
  if (token !== undefined && (versionParameter(request) ?? 0) > 0) {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  const version = token?.version ?? exactVersion(context, request);
  if (version !== undefined && version < collection.oldestVersion) {
    throw expired(token === undefined ? tooOld(version) : tokenExpired);
  }
  return { selection, limit: limit > 0 ? limit : Infinity, token, version };
}

const tokenExpired =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list " +
  "without the continue parameter, or use the continue token in this response to retrieve the remainder of the " +
  "results. Continuing with the provided token results in an inconsistent list - objects that were created, " +
  "modified, or deleted between the time the first chunk was returned and now may show up in the list.";

const tooOld = (version: number): string =>
  `The resourceVersion for the provided list is too old: ${version}`;

function readPage(
  context: Context,
  collection: Collection,
  { selection, limit, token, version }: ListPlan,
): { readonly objects: readonly KubeObject[]; readonly metadata: ListMeta } {
  const at = version ?? context.store.version;
  const metadata: ListMeta = { resourceVersion: String(at) };
  if (selection.key !== undefined && version === undefined) {
    const object = collection.get(selection.key);
    return { objects: object && selection.matches(object) ? [object] : [], metadata };
  }
  const { extent, labels } = selection;
  const request = { extent, labels, version, from: token?.from };
  const matches = selection.isNarrowed ? (one: KubeObject) => selection.matches(one) : undefined;
  const { objects, next } = collection.page({ ...request, limit, matches });
  if (next === undefined) return { objects, metadata };
  metadata.continue = writeContinueToken({ version: at, from: next });
  if (!selection.isNarrowed) {
    metadata.remainingItemCount = collection.countFrom({ ...request, from: next });
  }
  return { objects, metadata };
}

/** The version a list is pinned to: by `Exact`, or by a limit on a given version. */
function exactVersion({ store }: Context, request: ApiRequest): number | undefined {
  const version = versionParameter(request);
  const match = parameter(request, "resourceVersionMatch");
  assertVersionMatch(request, version, match);
  if (version === undefined || version === 0) return undefined;
  if (version > store.version) throw versionTooLarge(version, store.version);
  const isPinned =
    match === "Exact" || (match === undefined && parameter(request, "limit") !== undefined);
  return isPinned ? version : undefined;
}

function assertVersionMatch(
  request: ApiRequest,
  version: number | undefined,
  match: string | undefined,
): void {
  if (match === undefined) return;
  const refuse = (detail: string, type: "Forbidden" | "NotSupported" = "Forbidden"): Error =>
    invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", [
      {
        type,
        field: "resourceVersionMatch",
        value: type === "Forbidden" ? undefined : match,
        detail,
      },
    ]);
  if (parameter(request, "continue") !== undefined) {
    throw refuse("resourceVersionMatch is forbidden when continue is provided");
  }
  if (version === undefined) {
    throw refuse("resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (match !== "Exact" && match !== "NotOlderThan") {
    throw refuse('supported values: "Exact", "NotOlderThan"', "NotSupported");
  }
  if (match === "Exact" && version === 0) {
    throw refuse('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
}

export function versionParameter(request: ApiRequest): number | undefined {
  const text = parameter(request, "resourceVersion");
  if (text === undefined) return undefined;
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw badRequest(`invalid resource version: ${versionProblem(text)}`);
}

export function versionProblem(text: string): string {
  const value = JSON.stringify(text);
  return `resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: invalid syntax`;
}

/** 0 where it is missing. */
export function integerParameter(request: ApiRequest, name: string): number {
  return parseInteger(parameter(request, name) ?? "0");
}
