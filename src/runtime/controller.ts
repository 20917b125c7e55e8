/** A controller: what to watch, which key a change concerns, and how to bring that key to its desired state. */
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

/** Within how many milliseconds a change deserves a look; undefined where it changes nothing for anybody. */
export type DueOf<T extends KubeObject> = (change: Change<T>) => number | undefined;

export interface Watch {
  /** Waited for before the first look. Without it, what is followed may never be there. */
  readonly cache?: Cache;
  /** Calls `add` for every key to look at, now and whenever the cache changes; at once unless told how soon. */
  follow(add: (key: string, withinMs?: number) => void): () => void;
}

export interface Outcome {
  /** When to look at the key again though nothing changed. */
  readonly recheckAfterMs?: number;
}

/**
 * Brings one key to its desired state. Writes go through `client`: the key is not reconciled again
 * before the caches show them. Throwing means: try again later.
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
  /** How long a key rests after a look: what changes meanwhile is seen together. */
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
  const concerned = (change: Change<T>): Set<string> =>
    // An object that moves from one key to another concerns both.
    new Set([...(change.type === "updated" ? keys(change.old) : []), ...keys(change.object)]);
  return {
    cache: cache as unknown as Cache,
    follow: (add) =>
      cache.onChange((change) => {
        const withinMs = due(change);
        if (withinMs === undefined) return;
        for (const key of concerned(change)) add(key, withinMs);
      }),
  };
}

const cachesOf = (watches: readonly Watch[]): Cache[] =>
  watches.flatMap(({ cache }) => cache ?? []);

export class Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #options: ControllerOptions;
  readonly #watermarks: Watermarks;
  /** Keys that wait for a cache to show their own writes. */
  readonly #postponed = new Set<string>();
  #unfollow: (() => void)[] = [];
  #workers: Promise<void>[] = [];

  constructor(options: ControllerOptions) {
    const { clock, backoff = defaultBackoff, spacingMs, observer } = options;
    this.name = options.name;
    this.queue = new WorkQueue({ clock, backoff, spacingMs, observer });
    this.#options = options;
    this.#watermarks = new Watermarks(cachesOf(options.watches));
  }

  /** Resolves when the caches are filled and the workers run. The caches are started by whoever owns them. */
  async start(): Promise<void> {
    const { watches, workers = 1 } = this.#options;
    this.#unfollow = watches.map((each) =>
      each.follow((key, withinMs = 0) => this.queue.addAfter(key, withinMs)),
    );
    await Promise.all(cachesOf(watches).map((cache) => cache.whenSynced()));
    this.#workers = Array.from({ length: workers }, () => this.#work());
  }

  /** Finishes what is in line and at work, then stops. */
  async stop(): Promise<void> {
    for (const unfollow of this.#unfollow) unfollow();
    await this.queue.drain();
    await Promise.all(this.#workers);
  }

  async #work(): Promise<void> {
    for (let key = await this.queue.take(); key !== undefined; key = await this.queue.take()) {
      const isBehind = this.#watermarks.isBehind(key);
      if (isBehind) this.#postpone(key);
      else await this.#reconcile(key);
      this.queue.done(key, !isBehind);
    }
  }

  #postpone(key: string): void {
    if (this.#postponed.has(key)) return;
    this.#postponed.add(key);
    const { clock, observer } = this.#options;
    const sinceMs = clock.now();
    this.#watermarks
      .caughtUp(key)
      .then(() => {
        observer?.caughtUp?.(key, clock.now() - sinceMs);
        // The change that ended the wait may have brought the key back already.
        if (this.#postponed.delete(key)) this.queue.add(key);
        return undefined;
      })
      .catch((error: unknown) => observer?.reconciled?.(key, { durationMs: 0, error }));
  }

  async #reconcile(key: string): Promise<void> {
    const { client, clock, observer, reconcile } = this.#options;
    const startedMs = clock.now();
    this.#postponed.delete(key);
    // Whatever the key was to be looked at for later, this look sees it, and says anew when the next is due.
    const dueAtMs = this.queue.callOff(key);
    try {
      const outcome = await reconcile(parseKey(key), this.#watermarks.clientFor(key, client));
      this.queue.forget(key);
      if (outcome?.recheckAfterMs !== undefined) this.queue.addAfter(key, outcome.recheckAfterMs);
      observer?.reconciled?.(key, { durationMs: clock.now() - startedMs });
    } catch (error) {
      this.queue.retry(key);
      if (dueAtMs !== undefined) this.queue.addAfter(key, dueAtMs - clock.now());
      // Losing a race is the normal way to learn of it, and no error of ours.
      const told = isConflict(error) ? undefined : error;
      observer?.reconciled?.(key, { durationMs: clock.now() - startedMs, error: told });
    }
  }
}
