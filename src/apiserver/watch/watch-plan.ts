/** What a watch request asks for, checked and ready to run. */
import type { FieldError } from "../../api/field-error.ts";
import { notSupported } from "../../api/field-error.ts";
import type { KubeObject } from "../../api/object.ts";
import { invalid, serverFault } from "../errors.ts";
import { flag, parameter } from "../request.ts";
import type { ApiRequest, Route } from "../request.ts";
import { integerParameter, selectionAt, versionProblem } from "../rest/read.ts";
import type { Selection } from "../selectors/selection.ts";
import type { ServedResource } from "../served-resource.ts";

export interface WatchPlan {
  readonly resource: ServedResource;
  readonly selection: Selection;
  /** `now`: the present state first, then changes; a number: changes after that version. */
  readonly start: "now" | number;
  /** Whether the state at the start is sent as ADDED events. */
  readonly sendsInitialState: boolean;
  /** A bookmark marks the end of the initial state. */
  readonly marksInitialEnd: boolean;
  readonly bookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
  /** What an event carries instead of the object, for tables and metadata only. */
  readonly shape?: (object: KubeObject) => KubeObject;
}

export function watchPlan(route: Route, request: ApiRequest): WatchPlan {
  const version = watchedVersion(request);
  const initial = Object.hasOwn(request.query, "sendInitialEvents")
    ? flag(request, "sendInitialEvents")
    : undefined;
  const bookmarks = flag(request, "allowWatchBookmarks");
  assertInitialEvents(request, initial);
  const timeout = integerParameter(request, "timeoutSeconds");
  return {
    resource: route.resource,
    selection: selectionAt(route, request),
    start: version === 0 || initial === true ? "now" : version,
    sendsInitialState: initial ?? version === 0,
    marksInitialEnd: initial === true && bookmarks,
    bookmarks,
    timeoutSeconds: timeout > 0 ? timeout : undefined,
  };
}

function watchedVersion(request: ApiRequest): number {
  const text = parameter(request, "resourceVersion") ?? "0";
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw serverFault(versionProblem(text));
}

function assertInitialEvents(request: ApiRequest, initial: boolean | undefined): void {
  const match = parameter(request, "resourceVersionMatch");
  const errors: FieldError[] = [];
  if (initial !== undefined && match !== "NotOlderThan") {
    const detail = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    errors.push({ type: "Forbidden", field: "resourceVersionMatch", detail });
    if (match !== undefined)
      errors.push(notSupported("resourceVersionMatch", match, ["NotOlderThan"]));
  }
  if (initial === undefined && match !== undefined) {
    const detail =
      "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    errors.push({ type: "Forbidden", field: "resourceVersionMatch", detail });
  }
  if (errors.length === 0) return;
  throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
}
