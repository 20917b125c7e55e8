/** The dependencies that every part of the server shares. */
import { groupResource } from "../api/resource.ts";
import { timeText } from "../api/time-text.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Ids } from "./ids.ts";
import type { Registry } from "./registry.ts";
import type { ServedResource } from "./served-resource.ts";
import type { Collection, Indexes, Store } from "./store/store.ts";

export interface Context {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: Store;
  readonly registry: Registry;
  /** Called with what background work could not do for one object; the others go on. */
  readonly onProblem: (problem: unknown) => void;
}

export function collectionOf({ store }: Context, resource: ServedResource): Collection {
  const known = namesAndIndexes.get(resource) ?? describe(resource);
  return store.collection(known.name, known.indexes);
}

interface NameAndIndexes {
  readonly name: string;
  readonly indexes: Indexes;
}

/** Every request needs its collection, so its name and indexes are computed once per resource. */
const namesAndIndexes = new WeakMap<ServedResource, NameAndIndexes>();

function describe(resource: ServedResource): NameAndIndexes {
  const name = groupResource(resource.storage ?? resource);
  const described = { name, indexes: resource.indexedFields ?? {} };
  namesAndIndexes.set(resource, described);
  return described;
}

/** The time as the API writes it, to the second. */
export function timestamp({ clock }: Pick<Context, "clock">, laterMs = 0): string {
  return timeText(clock.now() + laterMs);
}
