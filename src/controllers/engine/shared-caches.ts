/** The caches of one operator: each is made for the first controller that reads it and shared with all others. */
import type { KubeObject } from "../../api/object.ts";
import { isSameJson } from "../../api/same-json.ts";
import type { CacheOptions } from "../../runtime/cache.ts";
import { Cache } from "../../runtime/cache.ts";
import type { Reader } from "../../runtime/reader.ts";
import type { KindOptions } from "./controlled-kind.ts";

type Connection = Pick<KindOptions, "client" | "clock" | "onProblem">;

/** What a cache follows and keeps, before anybody needs it. */
export interface CacheDefinition<T extends KubeObject = KubeObject> extends Omit<
  CacheOptions<T>,
  keyof Connection
> {
  /** Its kind ignores what is beyond the selection, so it may share what another kind follows without one. */
  readonly mayBeWider?: boolean;
}

/** The definitions that a record of caches is made from, by the same names. */
export type CacheDefinitionsOf<Caches extends object> = {
  readonly [Name in keyof Caches]: Caches[Name] extends Cache<infer T> ? CacheDefinition<T> : never;
};

/** What observing needs of caches: they themselves, or plain lists of a preview. */
export type ReadersOf<Caches extends object> = {
  readonly [Name in keyof Caches]: Caches[Name] extends Cache<infer T> ? Reader<T> : never;
};

interface MadeCache {
  readonly definition: CacheDefinition;
  readonly cache: Cache;
}

/**
 * A cache starts with its first user and stops with the last; one that nobody reads is never made. Kinds that follow
 * the same objects in the same form share a cache, each with indexes of its own.
 */
export class SharedCaches {
  readonly #connection: Connection;
  readonly #made: MadeCache[] = [];

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

  #cacheOf(definition: CacheDefinition): Cache {
    const made = this.#sharedBy(definition);
    if (made !== undefined) {
      made.cache.addIndexes(definition.indexes ?? {});
      return made.cache;
    }
    const { mayBeWider: _mayBeWider, ...options } = definition;
    const cache = new Cache({ ...this.#connection, ...options });
    this.#made.push({ definition, cache });
    return cache;
  }

  /** To follow the same pods twice costs as much as everything that is decided about them. */
  #sharedBy(definition: CacheDefinition): MadeCache | undefined {
    const like = (wanted: CacheDefinition): MadeCache | undefined =>
      this.#made.find((each) => isSameView(each.definition, wanted));
    const isWide = definition.mayBeWider === true;
    return like(definition) ?? (isWide ? like({ ...definition, selection: {} }) : undefined);
  }
}

/** Whether both follow the same objects and keep the same of them. */
function isSameView(a: CacheDefinition, b: CacheDefinition): boolean {
  const { indexes: _ofA, mayBeWider: _wideA, selection: selectionA = {}, ...restA } = a;
  const { indexes: _ofB, mayBeWider: _wideB, selection: selectionB = {}, ...restB } = b;
  const names = new Set([...Object.keys(restA), ...Object.keys(restB)]) as Set<keyof typeof restA>;
  return (
    isSameJson(selectionA, selectionB) && [...names].every((name) => restA[name] === restB[name])
  );
}
