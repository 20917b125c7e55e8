/** Lists one collection, then watches it, and recovers from whatever ends the stream. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { apiVersionOf } from "../api/resource.ts";
import type { Status } from "../api/status.ts";
import { ApiError } from "../api/status.ts";
import { exponentialDelayMs } from "./backoff.ts";
import type { Client } from "./client.ts";
import type { Clock } from "./clock.ts";
import { sleep } from "./clock.ts";
import { markPartial } from "./partial-object.ts";
import type { WatchEvent } from "./transport.ts";

export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ReflectorOptions<T extends KubeObject = KubeObject> {
  readonly client: Client;
  readonly clock: Clock;
  readonly resource: Resource;
  readonly selection?: Selection;
  /**
   * Makes of every object a new one with the fields that are read, once, before it is kept or anybody is notified. Such
   * an object can be patched and deleted, but the client refuses to write it as a whole.
   */
  readonly transform?: (object: T) => T;
  readonly pageSize?: number;
  /** A stream without events or bookmarks for this long is considered dead. */
  readonly idleDeadlineMs?: number;
  readonly watchTimeoutSeconds?: number;
  readonly onProblem?: (problem: unknown) => void;
}

interface ReflectorSink<T extends KubeObject> {
  /** The whole collection as of `version`. */
  replace(objects: readonly T[], version: string): void;
  put(object: T): void;
  remove(object: T): void;
  /** Everything up to `version` has been delivered. */
  advance(version: string): void;
  /** The collection was listed, an event arrived, or an attempt ended, with `problem` where it failed. */
  moved?(problem?: unknown): void;
}

/** What went wrong with one object of a collection; the others go on. */
export class ObjectProblem extends Error {
  constructor({ plural }: Resource, { metadata }: KubeObject, cause: unknown) {
    const { namespace, name } = metadata ?? {};
    const object = namespace === undefined ? name : `${namespace}/${name}`;
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${plural} ${object} cannot be processed: ${why}`, { cause });
    this.name = "ObjectProblem";
  }
}

const backoff = { firstMs: 200, limitMs: 30_000 };
const defaultIdleDeadlineMs = 150_000;
const defaultWatchTimeoutSeconds = 480;
const defaultPageSize = 500;
/** A stream that ends sooner than this without an event is a failure, so that a broken proxy is not flooded. */
const shortestGoodStreamMs = 1_000;
/** A server restarted with an older state refuses our version for ever: list again after this many failures. */
const failuresBeforeRelist = 3;

type StreamEnd =
  | { readonly kind: "ended"; readonly sawEvents: boolean }
  /** No event for too long: the connection is idle or dead, and a new one shows which. */
  | { readonly kind: "silent" }
  | { readonly kind: "expired" }
  | { readonly kind: "failed"; readonly problem: unknown };

/** Runs until `signal` aborts; never rejects. */
export async function reflect<T extends KubeObject>(
  options: ReflectorOptions<T>,
  sink: ReflectorSink<T>,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = options;
  let version: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    try {
      if (version === undefined) {
        version = await listAll(options, sink, signal);
        continue;
      }
      const startedMs = clock.monotonic();
      const stream = new WatchStream(options, sink, version);
      const end = await stream.run(signal);
      sink.moved?.();
      version = end.kind === "expired" ? undefined : stream.version;
      const isShort = clock.monotonic() - startedMs < shortestGoodStreamMs;
      const problem = problemOf(end, isShort, failures);
      if (problem !== undefined) throw problem;
      failures = end.kind === "expired" ? 1 : 0;
    } catch (problem) {
      if (signal.aborted) return;
      sink.moved?.(problem);
      options.onProblem?.(problem);
      failures++;
      if (failures >= failuresBeforeRelist) version = undefined;
      await sleep(clock, retryDelayMs(problem, failures), signal);
    }
  }
}

/** The problem that delays the next attempt; undefined where the stream ended normally. */
function problemOf(end: StreamEnd, isShort: boolean, failures: number): unknown {
  switch (end.kind) {
    case "failed":
      return end.problem;
    case "ended":
      return isShort && !end.sawEvents
        ? new Error("the server ended the watch at once")
        : undefined;
    case "expired":
      // The first list is due at once; a server that refuses even new versions must not be flooded.
      return isShort && failures > 0 ? new Error("the watch expires at once") : undefined;
    case "silent":
      return undefined;
    default:
      return end satisfies never;
  }
}

async function listAll<T extends KubeObject>(
  options: ReflectorOptions<T>,
  sink: ReflectorSink<T>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { client, resource, selection = {}, pageSize = defaultPageSize } = options;
  const kept = transformOf(options);
  const objects: T[] = [];
  let next: string | undefined;
  let version: string;
  do {
    const page = await client.list<T>(resource, { ...selection, limit: pageSize, continue: next });
    sink.moved?.();
    for (const item of page.items) objects.push(kept(typed(item, resource)));
    version = page.metadata.resourceVersion;
    next = page.metadata.continue === "" ? undefined : page.metadata.continue;
  } while (next !== undefined && !signal.aborted);
  if (signal.aborted) return undefined;
  sink.replace(objects, version);
  return version;
}

/** Items of a list lack the apiVersion and kind that a single object has. */
function typed<T extends KubeObject>(item: T, resource: Resource): T {
  if (item.kind !== undefined) return item;
  return Object.freeze({ ...item, apiVersion: apiVersionOf(resource), kind: resource.kind });
}

/** An object that its transform throws on is kept as it is: a view without it would be wrong for its owner. */
function transformOf<T extends KubeObject>({
  transform,
  resource,
  onProblem,
}: ReflectorOptions<T>): (object: T) => T {
  if (transform === undefined) return withoutManagedFields;
  return (object) => {
    try {
      return markPartial(transform(object));
    } catch (problem) {
      onProblem?.(new ObjectProblem(resource, object, problem));
      return withoutManagedFields(object);
    }
  };
}

/**
 * The record of who set which field is often the larger part of an object, and no controller reads it. Servers keep
 * theirs when an object is written without it.
 */
function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata["managedFields"] === undefined) return object;
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** One watch request: knows the last version it delivered, and ends when no event came for too long. */
class WatchStream<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #sink: ReflectorSink<T>;
  readonly #kept: (object: T) => T;
  readonly #connection = new AbortController();
  readonly #idleMs: number;
  #lastEventMs: number;
  #sawEvents = false;
  #isOver = false;
  #finish: (end: StreamEnd) => void = () => {};
  version: string;

  constructor(options: ReflectorOptions<T>, sink: ReflectorSink<T>, version: string) {
    this.#options = options;
    this.#sink = sink;
    this.#kept = transformOf(options);
    this.#idleMs = options.idleDeadlineMs ?? defaultIdleDeadlineMs;
    this.#lastEventMs = options.clock.monotonic();
    this.version = version;
  }

  async run(signal: AbortSignal): Promise<StreamEnd> {
    const ended = new Promise<StreamEnd>((resolve) => (this.#finish = resolve));
    const onAbort = (): void => this.#finish({ kind: "ended", sawEvents: true });
    signal.addEventListener("abort", onAbort, { once: true });
    const { clock } = this.#options;
    let timer = clock.after(this.#idleMs, () => onDeadline());
    const onDeadline = (): void => {
      const leftMs = this.#lastEventMs + this.#idleMs - clock.monotonic();
      if (leftMs > 0) timer = clock.after(leftMs, onDeadline);
      else this.#finish({ kind: "silent" });
    };
    this.#request();
    const end = await ended;
    this.#isOver = true;
    timer.cancel();
    signal.removeEventListener("abort", onAbort);
    this.#connection.abort();
    return end;
  }

  #request(): void {
    const { client, resource, selection = {}, watchTimeoutSeconds } = this.#options;
    const request = {
      ...selection,
      resourceVersion: this.version,
      allowWatchBookmarks: true,
      timeoutSeconds: watchTimeoutSeconds ?? defaultWatchTimeoutSeconds,
      signal: this.#connection.signal,
    };
    client
      .watch<T>(resource, request, (event) => this.#receive(event))
      .then(() => this.#finish({ kind: "ended", sawEvents: this.#sawEvents }))
      .catch((problem: unknown) => this.#finish(endOf(problem)));
  }

  #receive(event: WatchEvent<T>): void {
    // An abandoned connection may still deliver events; the next one delivers them too.
    if (this.#isOver) return;
    this.#lastEventMs = this.#options.clock.monotonic();
    this.#sink.moved?.();
    if (event.type === "ERROR") {
      this.#finish(endOf(new ApiError(event.object)));
      this.#isOver = true;
      return;
    }
    this.#sawEvents = true;
    if (event.type === "ADDED" || event.type === "MODIFIED")
      this.#sink.put(this.#kept(event.object));
    if (event.type === "DELETED") this.#sink.remove(this.#kept(event.object));
    this.version = event.object.metadata.resourceVersion ?? this.version;
    this.#sink.advance(this.version);
  }
}

function endOf(problem: unknown): StreamEnd {
  if (problem instanceof ApiError && isVersionRefused(problem.status)) return { kind: "expired" };
  return { kind: "failed", problem };
}

/** Too old (410), or newer than any version of a server that lost its state. */
function isVersionRefused(status: Status): boolean {
  if (status.code === 410) return true;
  return (
    status.details?.causes?.some((cause) => cause.reason === "ResourceVersionTooLarge") === true
  );
}

function retryDelayMs(problem: unknown, failures: number): number {
  const retryAfterSeconds =
    problem instanceof ApiError ? (problem.status.details?.retryAfterSeconds ?? 0) : 0;
  return Math.max(retryAfterSeconds * 1000, exponentialDelayMs(failures, backoff));
}
