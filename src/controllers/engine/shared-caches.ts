/** The caches of one operator: each is made for the first controller that reads it and shared with all others. */
import type { KubeObject } from "../../api/object.ts";
import type { CacheOptions } from "../../runtime/cache.ts";
import { Cache } from "../../runtime/cache.ts";
import type { KindOptions } from "./controlled-kind.ts";

type Connection = Pick<KindOptions, "client" | "clock" | "onProblem">;

/** What a cache follows and keeps, before anybody needs it. */
export type CacheDefinition<T extends KubeObject = KubeObject> = Omit<
  CacheOptions<T>,
  keyof Connection
>;

/** The definitions that a record of caches is made from, by the same names. */
export type CacheDefinitionsOf<Caches extends object> = {
  readonly [Name in keyof Caches]: Caches[Name] extends Cache<infer T> ? CacheDefinition<T> : never;
};

/** A cache starts with its first user and stops with the last; one that nobody reads is never made. */
export class SharedCaches {
  readonly #connection: Connection;
  readonly #made = new Map<object, unknown>();

  constructor({ client, clock, onProblem }: Connection) {
    this.#connection = { client, clock, onProblem };
  }

  /** The caches of these definitions, by the same names. */
  all<Caches extends object>(definitions: CacheDefinitionsOf<Caches>): Caches {
    const caches = Object.entries<CacheDefinition>(definitions).map(
      ([name, definition]) => [name, this.#cacheOf(definition)] as const,
    );
    return Object.fromEntries(caches) as Caches;
  }

  #cacheOf(definition: CacheDefinition): unknown {
    const cache = this.#made.get(definition) ?? new Cache({ ...this.#connection, ...definition });
    this.#made.set(definition, cache);
    return cache;
  }
}
