/** How requests reach an API server: over HTTP, or in the same process without sockets. */
import type { KubeObject } from "../api/object.ts";
import type { Status } from "../api/status.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface TransportRequest {
  readonly method: Method;
  /** Without the query: `/api/v1/namespaces/default/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** A JSON value; the transport encodes it where bytes are needed. */
  readonly body?: unknown;
  /** Whether its bytes matter: then it is encoded canonically, keys in order. */
  readonly isCanonical?: boolean;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Whether it may not wait: where the server is busy, its sender decides anew. */
  readonly isTimely?: boolean;
}

export interface TransportResponse {
  readonly status: number;
  /** Texts of `Warning: 299` headers, in order. */
  readonly warnings: readonly string[];
  /** The decoded JSON body. Frozen or not, it belongs to the server: callers never change it. */
  readonly body: unknown;
  /** Of the `Retry-After` header: the server did not process the request and says when to ask again. */
  readonly retryAfterSeconds?: number;
}

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"; readonly object: T }
  | { readonly type: "ERROR"; readonly object: Status };

export interface Transport {
  /** Resolves for every HTTP status; rejects only when no answer came (connection lost, aborted). */
  request(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Opens a watch. Events arrive in order through `onEvent`; resolves when the server ends the stream,
   * rejects with ApiError when it refuses, with another error when the connection breaks.
   */
  stream(request: TransportRequest, onEvent: (event: WatchEvent) => void): Promise<void>;
}
