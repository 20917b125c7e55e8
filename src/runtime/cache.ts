/** A collection of the API kept in memory; listeners are notified of every change exactly once and in order. */
import type { KubeObject, ObjectKey } from "../api/object.ts";
import { isNotFound } from "../api/status.ts";
import type { Indexes } from "./object-store.ts";
import { keyOf, keyText, ObjectStore } from "./object-store.ts";
import type { ReflectorOptions } from "./reflector.ts";
import { ObjectProblem, reflect } from "./reflector.ts";
import { compareVersions, newerVersion } from "./resource-version.ts";
import { VersionWaiters } from "./version-waiters.ts";

export type Change<T extends KubeObject> =
  | { readonly type: "added"; readonly object: T }
  | { readonly type: "updated"; readonly object: T; readonly old: T }
  /** Its last known state. */
  | { readonly type: "deleted"; readonly object: T };

export interface CacheOptions<T extends KubeObject> extends ReflectorOptions<T> {
  readonly indexes?: Indexes<T>;
}

export class Cache<T extends KubeObject = KubeObject> {
  readonly #options: CacheOptions<T>;
  readonly #store: ObjectStore<T>;
  readonly #listeners = new Set<(change: Change<T>) => void>();
  readonly #keyListeners = new Map<string, Set<() => void>>();
  readonly #waiters = new VersionWaiters();
  readonly #stopping = new AbortController();
  #users = 0;
  #version = "";
  #movedAtMs = Number.NEGATIVE_INFINITY;
  #isServed = true;

  constructor(options: CacheOptions<T>) {
    this.#options = options;
    this.#store = new ObjectStore(options.indexes, (object, problem) =>
      this.#report(object, problem),
    );
  }

  get resource(): ReflectorOptions["resource"] {
    return this.#options.resource;
  }

  get size(): number {
    return this.#store.size;
  }

  get(key: ObjectKey | string): T | undefined {
    return this.#store.get(typeof key === "string" ? key : keyText(key));
  }

  /** All objects, in no order that may be relied on. The very same list as long as nothing changes. */
  list(): readonly T[] {
    return this.#store.list();
  }

  /**
   * Objects under one value of a named index, in no order that may be relied on. The very same list as long as none of
   * them changes.
   */
  byIndex(name: string, value: string): readonly T[] {
    return this.#store.byIndex(name, value);
  }

  /** How many objects are under one value of an index, without listing them. */
  countByIndex(name: string, value: string): number {
    return this.#store.countByIndex(name, value);
  }

  /** Which values `prefix/...` of an index have objects. The very same list until one of them comes or goes. */
  valuesUnder(name: string, prefix: string): readonly string[] {
    return this.#store.valuesUnder(name, prefix);
  }

  /** For another reader of the same objects. */
  addIndexes(indexes: Indexes<T>): void {
    this.#store.addIndexes(indexes);
  }

  get hasSynced(): boolean {
    return this.#version !== "";
  }

  /** False while the server does not know this resource: its definition is not installed. */
  get isServed(): boolean {
    return this.#isServed;
  }

  /** For how long nothing was heard of the server, not even a refusal; 0 while the cache does not run. */
  get stillForMs(): number {
    const isRunning = this.#users > 0 && !this.#stopping.signal.aborted;
    return isRunning ? this.#options.clock.monotonic() - this.#movedAtMs : 0;
  }

  /** Resolves when the first list is in. */
  whenSynced(): Promise<void> {
    return this.#waiters.wait("0", this.#version);
  }

  /** The resourceVersion up to which this cache knows everything; empty before the first list. */
  get seenVersion(): string {
    return this.#version;
  }

  hasSeen(version: string): boolean {
    return compareVersions(this.#version, version) >= 0;
  }

  /** Resolves when the cache is at least as new as `version`, or when the server has lost that history. */
  whenSeen(version: string): Promise<void> {
    return this.#waiters.wait(version, this.#version);
  }

  /** Whether the cache contains the objects of this namespace. */
  covers(namespace: string | undefined): boolean {
    const wanted = this.#options.selection?.namespace;
    return wanted === undefined || wanted === namespace;
  }

  /** Notifies of existing objects as added, then of every change. Returns a function that stops it. */
  onChange(listener: (change: Change<T>) => void): () => void {
    for (const key of [...this.#store.keys()].toSorted()) {
      const object = this.#store.get(key);
      if (object !== undefined) this.#call(listener, { type: "added", object });
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notifies of every change of one object. Returns a function that stops it. */
  whenChanged(key: string, listener: () => void): () => void {
    const listeners = this.#keyListeners.get(key) ?? new Set();
    this.#keyListeners.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#keyListeners.delete(key);
    };
  }

  /** Controllers may share a cache: it runs from the first `start` to the last `stop`. */
  start(): void {
    if (this.#users++ > 0) return;
    const sink = {
      replace: (objects: readonly T[], version: string) => this.#replace(objects, version),
      put: (object: T) => this.#put(object),
      remove: (object: T) => this.#remove(keyOf(object), object),
      advance: (version: string) => this.#advance(version),
      moved: (problem?: unknown) => this.#moved(problem),
    };
    this.#movedAtMs = this.#options.clock.monotonic();
    void reflect<T>(this.#options, sink, this.#stopping.signal);
  }

  stop(): void {
    if (--this.#users === 0) this.#stopping.abort();
  }

  #replace(objects: readonly T[], version: string): void {
    const listed = new Map(objects.map((object) => [keyOf(object), object]));
    const deleted = [...this.#store.keys()].filter((key) => !listed.has(key));
    for (const key of deleted.toSorted()) this.#remove(key);
    for (const key of [...listed.keys()].toSorted()) {
      const object = listed.get(key);
      if (object !== undefined) this.#put(object, true);
    }
    const isReset = compareVersions(version, this.#version) < 0;
    this.#version = version;
    // The server has started over: versions from before will never be seen.
    if (isReset) this.#waiters.releaseAll();
    else this.#waiters.release(version);
  }

  #moved(problem: unknown): void {
    this.#movedAtMs = this.#options.clock.monotonic();
    this.#isServed = !isNotFound(problem);
  }

  #advance(version: string): void {
    this.#version = newerVersion(this.#version, version);
    this.#waiters.release(this.#version);
  }

  #put(object: T, isFromList = false): void {
    const key = keyOf(object);
    const old = this.#store.get(key);
    if (old === undefined) return this.#added(key, object);
    if (old.metadata.uid !== object.metadata.uid) {
      this.#remove(key);
      return this.#added(key, object);
    }
    const order = compareVersions(versionOf(object), versionOf(old));
    if (order === 0 || (order < 0 && !isFromList)) return;
    this.#store.set(key, object);
    this.#notify({ type: "updated", object, old });
  }

  #added(key: string, object: T): void {
    this.#store.set(key, object);
    this.#notify({ type: "added", object });
  }

  #remove(key: string, last?: T): void {
    const old = this.#store.get(key);
    if (old === undefined) return;
    if (last !== undefined && last.metadata.uid !== old.metadata.uid) return;
    this.#store.delete(key);
    this.#notify({ type: "deleted", object: last ?? old });
  }

  #notify(change: Change<T>): void {
    for (const listener of this.#listeners) this.#call(listener, change);
    const key = keyOf(change.object);
    for (const listener of this.#keyListeners.get(key) ?? []) this.#call(listener, change);
  }

  /** What one object makes a listener throw concerns neither other objects nor other listeners. */
  #call(listener: (change: Change<T>) => void, change: Change<T>): void {
    try {
      listener(change);
    } catch (problem) {
      this.#report(change.object, problem);
    }
  }

  #report(object: T, problem: unknown): void {
    this.#options.onProblem?.(new ObjectProblem(this.resource, object, problem));
  }
}

function versionOf(object: KubeObject): string {
  return object.metadata.resourceVersion ?? "";
}
