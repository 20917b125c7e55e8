/** Names requests as people do, and remembers which request an error answers: log lines name both. */
import type { TransportRequest } from "./transport.ts";

interface RequestName {
  readonly verb: string;
  readonly resource: string;
  /** `namespace/name`; the namespace or nothing where a request is about many. */
  readonly object: string;
}

const verbs = {
  GET: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
} as const;

/** `/apis/apps/v1/namespaces/default/statefulsets/web/status` -> update of statefulsets/status. */
export function describeCall(request: TransportRequest): RequestName {
  const parts = request.path.split("/").filter((part) => part !== "");
  const rest = parts.slice(parts[0] === "api" ? 2 : 3);
  const inNamespace = rest[0] === "namespaces" && rest.length > 2;
  const [resource = "", name, subresource] = inNamespace ? rest.slice(2) : rest;
  const isList = request.method === "GET" && name === undefined;
  const listVerb = request.query?.["watch"] === "true" ? "watch" : "list";
  return {
    verb: isList ? listVerb : verbs[request.method],
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    object: [inNamespace ? rest[1] : undefined, name]
      .filter((part) => part !== undefined)
      .join("/"),
  };
}

const requests = new WeakMap<object, RequestName>();

/** The same error; `requestOf` knows from now on what it answers. */
export function nameRequest(error: unknown, request: TransportRequest): unknown {
  if (typeof error === "object" && error !== null && !requests.has(error)) {
    requests.set(error, describeCall(request));
  }
  return error;
}

/** The request that failed with this error, or with what it was caused by; undefined where none did. */
export function requestOf(error: unknown): RequestName | undefined {
  if (!(error instanceof Error)) return undefined;
  return requests.get(error) ?? requestOf(error.cause);
}
