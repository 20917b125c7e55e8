/** The interface of the storage: collections of objects under one increasing version. */
import type { KubeObject } from "../../api/object.ts";
import type { WantedLabel } from "./label-index.ts";

/** One change, as watchers and controllers receive it. Objects are frozen and shared. */
export interface Change {
  /** The collection, `pods` or `statefulsets.apps`. */
  readonly collection: string;
  readonly key: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly version: number;
  /** For DELETED the last state, carrying the version of the deletion. */
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
}

/** A part of a collection. */
export interface Extent {
  /** All objects where absent. */
  readonly namespace?: string;
  /** Only objects whose indexed field has this value. */
  readonly index?: { readonly field: string; readonly value: string };
}

export interface Subscription {
  stop(): void;
}

export interface Page {
  readonly objects: readonly KubeObject[];
  /** The key to continue from; undefined at the end. */
  readonly next: string | undefined;
}

export interface PageRequest {
  readonly extent: Extent;
  /** The state of this version; the present one where absent. */
  readonly version?: number;
  readonly from?: string;
  readonly limit?: number;
  /** Labels that everything has that `matches`. */
  readonly labels?: readonly WantedLabel[];
  readonly matches?: (object: KubeObject) => boolean;
}

export interface Collection {
  readonly name: string;
  /** Watches can start here or later; it rises as old changes are dropped. */
  readonly oldestVersion: number;
  get(key: string): KubeObject | undefined;
  /** Every object of the extent, now, in order of keys. */
  list(extent: Extent): readonly KubeObject[];
  page(request: PageRequest): Page;
  /** How many objects there are in a namespace from `from` on, whatever they match. */
  countFrom(request: PageRequest): number;
  /** Stamps the next version on the draft, freezes it and makes it the current state. */
  put(key: string, draft: KubeObject): KubeObject;
  delete(key: string): KubeObject | undefined;
  /** Drops the changes up to `version`. */
  compact(version: number): void;
  /** Changes after `version`, oldest first. */
  changesSince(version: number): readonly Change[];
  /** Calls back synchronously with every later change that touches the extent. */
  subscribe(extent: Extent, onChange: (change: Change) => void): Subscription;
}

/** Fields by which a collection can be read without a scan. */
export type Indexes = Readonly<Record<string, (object: KubeObject) => string | undefined>>;

export interface Store {
  /** The version of the last write anywhere. */
  readonly version: number;
  collection(name: string, indexes?: Indexes): Collection;
  collections(): readonly Collection[];
  /** Drops all changes: watches and lists can start at the current version or later. */
  compact(): void;
  /** Calls back synchronously with every later change of every collection. */
  subscribe(onChange: (change: Change) => void): Subscription;
}

export function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
