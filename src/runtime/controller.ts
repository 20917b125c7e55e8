/** A controller: what to watch, which keys a change concerns, and how to reconcile a key. */
import type { KubeObject, ObjectKey } from "../api/object.ts";
import { isConflict } from "../api/status.ts";
import type { Backoff } from "./backoff.ts";
import type { Cache, Change } from "./cache.ts";
import type { Client } from "./client.ts";
import type { Clock } from "./clock.ts";
import { keyOf, parseKey } from "./object-store.ts";
import { Watermarks } from "./watermarks.ts";
import type { QueueObserver } from "./work-queue.ts";
import { WorkQueue } from "./work-queue.ts";

/** The keys that a change of one object concerns. */
export type KeysOf<T extends KubeObject> = (object: T) => readonly string[];

/** Within how many milliseconds a change is to be reconciled; undefined where nothing depends on it. */
export type DueOf<T extends KubeObject> = (change: Change<T>) => number | undefined;

export interface Watch {
  /** Has to be synced before the first reconcile. Absent where the resource may never be served. */
  readonly cache?: Cache;
  /** Calls `add` for every key to reconcile, now and on every change; without `withinMs` it is due at once. */
  follow(add: (key: string, withinMs?: number) => void): () => void;
}

export interface Outcome {
  /** When to reconcile the key again even if nothing changes. */
  readonly recheckAfterMs?: number;
}

/**
 * Brings one key to its desired state. Writes go through `client`: the key is not reconciled again
 * before the caches show them. A key whose reconcile throws is retried with backoff.
 */
export type Reconcile = (key: ObjectKey, client: Client) => Promise<Outcome | void>;

export interface ControllerObserver extends QueueObserver {
  /** The caches were behind the key's own writes for this long. */
  caughtUp?(key: string, behindMs: number): void;
  reconciled?(key: string, result: { durationMs: number; error?: unknown }): void;
}

export interface ControllerOptions {
  readonly name: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly watches: readonly Watch[];
  readonly reconcile: Reconcile;
  readonly workers?: number;
  readonly backoff?: Backoff;
  /** The least time between two reconciles of a key: changes in between are reconciled together. */
  readonly spacingMs?: (key: string) => number;
  readonly observer?: ControllerObserver;
}

const defaultBackoff: Backoff = { firstMs: 50, limitMs: 120_000 };

/** A watch whose changes concern the object itself, or the keys that `keys` derives from it. */
export function watch<T extends KubeObject>(
  cache: Cache<T>,
  keys: KeysOf<T> = (object) => [keyOf(object)],
  due: DueOf<T> = () => 0,
): Watch {
  return {
    cache: cache as unknown as Cache,
    follow: (add) =>
      cache.onChange((change) => {
        const withinMs = due(change);
        if (withinMs === undefined) return;
        const concerned = keys(change.object);
        for (const key of concerned) add(key, withinMs);
        if (change.type !== "updated") return;
        // An object that moves from one key to another concerns both.
        for (const key of keys(change.old)) if (!concerned.includes(key)) add(key, withinMs);
      }),
  };
}

const cachesOf = (watches: readonly Watch[]): Cache[] =>
  watches.flatMap(({ cache }) => cache ?? []);

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

export class Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #options: ControllerOptions;
  readonly #watermarks: Watermarks;
  /** Keys that wait for a cache to show their own writes. */
  readonly #postponed = new Set<string>();
  #unfollow: (() => void)[] = [];
  #workers: Promise<void>[] = [];
  readonly #stopped = new AbortController();

  constructor(options: ControllerOptions) {
    const { clock, backoff = defaultBackoff, spacingMs, observer } = options;
    this.name = options.name;
    this.queue = new WorkQueue({ clock, backoff, spacingMs, observer });
    this.#options = options;
    this.#watermarks = new Watermarks(cachesOf(options.watches));
  }

  /** Whether every cache that a reconcile reads is complete, those of resources that are not served aside. */
  get isReady(): boolean {
    const caches = cachesOf(this.#options.watches);
    return caches.every(({ hasSynced, isServed }) => hasSynced || !isServed);
  }

  /**
   * Resolves when the caches are synced and the workers run, or when it is stopped before. The caches are started by
   * their owner.
   */
  async start(): Promise<void> {
    const { watches, workers = 1 } = this.#options;
    this.#unfollow = watches.map((each) =>
      each.follow((key, withinMs = 0) => this.queue.addAfter(key, withinMs)),
    );
    await Promise.race([
      Promise.all(cachesOf(watches).map((cache) => cache.whenSynced())),
      whenAborted(this.#stopped.signal),
    ]);
    if (this.#stopped.signal.aborted) return;
    this.#workers = Array.from({ length: workers }, () => this.#work());
  }

  /** Finishes the keys that are queued or being reconciled, then stops. */
  async stop(): Promise<void> {
    const hasWorkers = this.#workers.length > 0;
    this.#stopped.abort();
    for (const unfollow of this.#unfollow) unfollow();
    // Nobody would ever take what is queued.
    if (!hasWorkers) return this.queue.clear();
    await this.queue.drain();
    await Promise.all(this.#workers);
  }

  /** Begins nothing any more: what is being reconciled runs on by itself, everything else is dropped. */
  halt(): void {
    this.#stopped.abort();
    for (const unfollow of this.#unfollow) unfollow();
    this.queue.clear();
  }

  async #work(): Promise<void> {
    const { clock } = this.#options;
    for (let key = await this.queue.take(); key !== undefined; key = await this.queue.take()) {
      const isBehind = this.#watermarks.isBehind(key);
      if (isBehind) this.#postpone(key);
      else await this.#reconcile(key);
      this.queue.done(key, !isBehind);
      // A thousand objects at rest are reconciled without a single request in between.
      const pause = clock.pause?.();
      if (pause !== undefined) await pause;
    }
  }

  #postpone(key: string): void {
    if (this.#postponed.has(key)) return;
    this.#postponed.add(key);
    const { clock, observer } = this.#options;
    const sinceMs = clock.monotonic();
    this.#watermarks
      .caughtUp(key)
      .then(() => {
        observer?.caughtUp?.(key, clock.monotonic() - sinceMs);
        // The change that ended the wait may have added the key already.
        if (this.#postponed.delete(key)) this.queue.add(key);
        return undefined;
      })
      .catch((error: unknown) => observer?.reconciled?.(key, { durationMs: 0, error }));
  }

  async #reconcile(key: string): Promise<void> {
    const { client, clock, observer, reconcile } = this.#options;
    const startedMs = clock.monotonic();
    this.#postponed.delete(key);
    // This reconcile covers whatever a delayed one was for, and says itself when the next is due.
    const dueAtMs = this.queue.cancelDelay(key);
    try {
      const outcome = await reconcile(parseKey(key), this.#watermarks.clientFor(key, client));
      this.queue.forget(key);
      if (outcome?.recheckAfterMs !== undefined) this.queue.addAfter(key, outcome.recheckAfterMs);
      observer?.reconciled?.(key, { durationMs: clock.monotonic() - startedMs });
    } catch (error) {
      this.queue.retry(key);
      if (dueAtMs !== undefined) this.queue.addAfter(key, dueAtMs - clock.monotonic());
      // A conflict is how a lost race is normally noticed: it is retried, but not reported as an error.
      const reported = isConflict(error) ? undefined : error;
      observer?.reconciled?.(key, { durationMs: clock.monotonic() - startedMs, error: reported });
    }
  }
}
