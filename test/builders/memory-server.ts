/** A few lines of API server whose connections can be made to fail in every way a real one fails. */
import type { KubeObject } from "../../src/api/object.ts";
import { ApiError } from "../../src/api/status.ts";
import type { Status } from "../../src/api/status.ts";
import type {
  Transport,
  TransportRequest,
  TransportResponse,
  WatchEvent,
} from "../../src/runtime/transport.ts";

interface Stream {
  readonly path: string;
  readonly onEvent: (event: WatchEvent) => void;
  readonly end: () => void;
  readonly fail: (error: Error) => void;
  isSilent: boolean;
}

type Change = { readonly version: number; readonly path: string; readonly event: WatchEvent };

export class MemoryServer implements Transport {
  #version = 100;
  #oldest = 0;
  readonly #objects = new Map<string, KubeObject>();
  #changes: Change[] = [];
  readonly #streams = new Set<Stream>();
  readonly requests: string[] = [];
  /** Refuses every version to watch from. */
  isForgetful = false;
  /** Answers to give instead of the right ones, one per request. */
  readonly refusals: Status[] = [];

  get openStreams(): number {
    return this.#streams.size;
  }

  put(path: string, object: KubeObject): KubeObject {
    const key = `${path}/${object.metadata.name}`;
    const old = this.#objects.get(key);
    const metadata = {
      uid: old?.metadata.uid ?? `uid-${this.#version}`,
      ...object.metadata,
      resourceVersion: `${++this.#version}`,
    };
    const stored = Object.freeze({ ...object, metadata });
    this.#objects.set(key, stored);
    this.#notify(path, { type: old === undefined ? "ADDED" : "MODIFIED", object: stored });
    return stored;
  }

  remove(path: string, name: string): void {
    const old = this.#objects.get(`${path}/${name}`);
    if (old === undefined) return;
    this.#objects.delete(`${path}/${name}`);
    const metadata = { ...old.metadata, resourceVersion: `${++this.#version}` };
    this.#notify(path, { type: "DELETED", object: { ...old, metadata } });
  }

  endStreams(error?: Error): void {
    for (const stream of this.#streams) {
      if (error === undefined) stream.end();
      else stream.fail(error);
    }
    this.#streams.clear();
  }

  /** Says in the middle of every stream that it cannot go on. */
  refuseStreams(status: Status): void {
    for (const stream of this.#streams) stream.onEvent({ type: "ERROR", object: status });
    this.#streams.clear();
  }

  /** Connections stay open but nothing comes through them any more. */
  silenceStreams(): void {
    for (const stream of this.#streams) stream.isSilent = true;
  }

  /** Ends all streams and forgets the history, as a compaction does. */
  compact(): void {
    this.#oldest = this.#version;
    this.#changes = [];
    this.endStreams();
  }

  /** Comes back with the same objects under versions that begin anew. */
  restartFromScratch(): void {
    this.#version = 1;
    for (const [key, object] of this.#objects) {
      const metadata = { ...object.metadata, resourceVersion: `${++this.#version}` };
      this.#objects.set(key, { ...object, metadata });
    }
    this.#changes = [];
    this.#oldest = 0;
    this.endStreams(new Error("connection reset"));
  }

  request(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(`${request.method} ${request.path}`);
    const refusal = this.refusals.shift();
    if (refusal !== undefined) return Promise.resolve(answer(refusal.code, refusal));
    switch (request.method) {
      case "GET":
        return Promise.resolve(answer(200, this.#list(request)));
      case "POST":
      case "PUT": {
        return Promise.resolve(
          answer(200, this.put(collection(request), request.body as KubeObject)),
        );
      }
      case "PATCH":
        return Promise.resolve(this.#patch(request));
      case "DELETE": {
        const cut = request.path.lastIndexOf("/");
        this.remove(request.path.slice(0, cut), request.path.slice(cut + 1));
        return Promise.resolve(answer(200, {}));
      }
      default:
        return request.method satisfies never;
    }
  }

  stream(request: TransportRequest, onEvent: (event: WatchEvent) => void): Promise<void> {
    const from = Number(request.query?.resourceVersion);
    this.requests.push(`WATCH ${request.path} ${from}`);
    const refusal = this.refusals.shift();
    if (refusal !== undefined) return Promise.reject(new ApiError(refusal));
    if (this.isForgetful || from < this.#oldest)
      return Promise.reject(new ApiError(refused(410, "Expired")));
    return new Promise((resolve, reject) => {
      const stream = { path: request.path, onEvent, end: resolve, fail: reject, isSilent: false };
      this.#streams.add(stream);
      for (const change of this.#changes) {
        if (change.path === request.path && change.version > from) onEvent(change.event);
      }
    });
  }

  bookmark(): void {
    const metadata = { resourceVersion: `${this.#version}` };
    for (const stream of this.#streams) {
      if (!stream.isSilent) stream.onEvent({ type: "BOOKMARK", object: { metadata } });
    }
  }

  #notify(path: string, event: WatchEvent): void {
    this.#changes.push({ version: this.#version, path, event });
    for (const stream of this.#streams) {
      if (stream.path === path && !stream.isSilent) stream.onEvent(event);
    }
  }

  #list(request: TransportRequest): unknown {
    const prefix = `${request.path}/`;
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).toSorted();
    const start = Number(request.query?.continue ?? 0);
    const limit = Number(request.query?.limit ?? keys.length);
    const next = start + limit < keys.length ? `${start + limit}` : "";
    const items = keys.slice(start, start + limit).map((key) => this.#objects.get(key));
    return { metadata: { resourceVersion: `${this.#version}`, continue: next }, items };
  }

  #patch(request: TransportRequest): TransportResponse {
    const old = this.#objects.get(request.path);
    if (old === undefined) return answer(404, refused(404, "NotFound"));
    return answer(200, this.put(collection(request), { ...old, ...(request.body as object) }));
  }
}

export function refused(code: number, reason: string): Status {
  const failure = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" } as const;
  return { ...failure, code, reason, message: reason };
}

function answer(status: number, body: unknown): TransportResponse {
  return { status, warnings: [], body };
}

function collection(request: TransportRequest): string {
  if (request.method === "POST") return request.path;
  return request.path.slice(0, request.path.lastIndexOf("/"));
}
