/** What controllers, the scheduler and the command line may ask of a cluster. */
import type { KubeList, KubeObject, ObjectKey } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import type { WatchEvent } from "./transport.ts";

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

export interface WatchOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
}

export interface WriteOptions {
  readonly subresource?: string;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore";
}

export interface DeleteOptions {
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly dryRun?: boolean;
  /** Refused at once where the server is busy, instead of sent again later. */
  readonly isTimely?: boolean;
}

export type Patch =
  | { readonly type: "json"; readonly operations: readonly unknown[] }
  | { readonly type: "merge" | "strategic" | "apply"; readonly body: unknown };

/** Every method rejects with ApiError when the server refuses. Returned objects are read-only. */
export interface Client {
  get<T extends KubeObject>(resource: Resource, key: ObjectKey, subresource?: string): Promise<T>;
  list<T extends KubeObject>(resource: Resource, options?: ListOptions): Promise<KubeList<T>>;
  /** Resolves when the server ends the stream or `signal` aborts. */
  watch<T extends KubeObject>(
    resource: Resource,
    options: WatchOptions,
    onEvent: (event: WatchEvent<T>) => void,
  ): Promise<void>;
  /** With a subresource (`binding`, `eviction`) the object's name is that of its parent. */
  create<T extends KubeObject>(resource: Resource, object: T, options?: WriteOptions): Promise<T>;
  update<T extends KubeObject>(resource: Resource, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(
    resource: Resource,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  delete(resource: Resource, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  deleteCollection(
    resource: Resource,
    selection: ListOptions,
    options?: DeleteOptions,
  ): Promise<void>;
}
