/** A request and its answer inside the server, independent of sockets and encodings. */
import type { KubeObject, ListMeta } from "../api/object.ts";
import type { Method } from "../runtime/transport.ts";
import { badRequest } from "./errors.ts";
import type { ServedResource } from "./served-resource.ts";
import type { WatchPlan } from "./watch/watch-plan.ts";

export interface ApiRequest {
  readonly method: Method;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** A JSON value that belongs to the caller: it is read, never kept or changed. */
  readonly body?: unknown;
  /** The body as it came over the wire, if it did: strict validation needs it to find duplicate fields. */
  readonly bodyText?: string;
  /** Why the body could not be read at all. */
  readonly bodyProblem?: string;
  readonly contentType?: string;
  readonly accept?: string;
}

/** What an answer carries; transports turn it into objects or bytes. */
export type AnswerBody =
  | { readonly type: "value"; readonly value: unknown }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "object"; readonly resource: ServedResource; readonly object: KubeObject }
  | {
      readonly type: "list";
      readonly resource: ServedResource;
      readonly objects: readonly KubeObject[];
      readonly metadata: ListMeta;
    }
  | { readonly type: "watch"; readonly plan: WatchPlan };

export interface Answer {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly body: AnswerBody;
  /** Where it is not plain JSON or text. */
  readonly contentType?: string;
}

/** The target of a request: the resource and, if the path names them, one object and its subresource. */
export interface Route {
  readonly resource: ServedResource;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

export function answerObject(
  resource: ServedResource,
  object: KubeObject,
  status = 200,
  warnings: readonly string[] = [],
): Answer {
  return { status, warnings, body: { type: "object", resource, object } };
}

export function answerValue(value: unknown, status = 200): Answer {
  return { status, warnings: [], body: { type: "value", value } };
}

export function answerText(text: string, status = 200): Answer {
  return { status, warnings: [], body: { type: "text", text } };
}

/** A query parameter, or undefined where it is missing or empty. */
export function parameter(request: ApiRequest, name: string): string | undefined {
  const value = Object.hasOwn(request.query, name) ? request.query[name] : undefined;
  return value === "" ? undefined : value;
}

/** Reads an integer as Go does. */
export function parseInteger(text: string): number {
  const refusal = `strconv.ParseInt: parsing ${JSON.stringify(text)}: `;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`${refusal}invalid syntax`);
  const value = BigInt(text.replace("+", ""));
  if (BigInt.asIntN(64, value) !== value) throw badRequest(`${refusal}value out of range`);
  return Number(value);
}

/** Parses booleans as the API does: a bare `?watch` and `?watch=1` are true. */
export function flag(request: ApiRequest, name: string): boolean {
  if (!Object.hasOwn(request.query, name)) return false;
  return !["false", "0", "f", "F", "FALSE", "False"].includes(request.query[name] ?? "");
}
