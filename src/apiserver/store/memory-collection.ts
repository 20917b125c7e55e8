/** One collection in memory: an ordered map, indexes by field, and the log of recent changes. */
import type { KubeObject } from "../../api/object.ts";
import type { HistoryBudget } from "./change-log.ts";
import { ChangeLog } from "./change-log.ts";
import { deepFreeze, sizeInMemory } from "./frozen-size.ts";
import { LabelIndex } from "./label-index.ts";
import { OrderedMap } from "./ordered-map.ts";
import type {
  Change,
  Collection,
  Extent,
  Indexes,
  Page,
  PageRequest,
  Subscription,
} from "./store.ts";
import { Subscribers } from "./subscribers.ts";

interface CollectionOptions {
  readonly name: string;
  readonly indexes: Indexes;
  readonly history: number;
  readonly budget: HistoryBudget;
  readonly sequence: { version: number };
  readonly announce: (change: Change) => void;
}

export class MemoryCollection implements Collection {
  readonly name: string;
  readonly #options: CollectionOptions;
  readonly #objects = new OrderedMap<KubeObject>();
  readonly #byField = new Map<string, Map<string, OrderedMap<KubeObject>>>();
  readonly #labels = new LabelIndex();
  readonly #log: ChangeLog;
  readonly #subscribers: Subscribers;

  constructor(options: CollectionOptions) {
    this.name = options.name;
    this.#options = options;
    this.#log = new ChangeLog(options.history, options.sequence.version);
    options.budget.add(this.#log);
    this.#subscribers = new Subscribers(options.indexes);
    for (const field of Object.keys(options.indexes)) this.#byField.set(field, new Map());
  }

  get oldestVersion(): number {
    return this.#log.oldestVersion;
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key);
  }

  list(extent: Extent): readonly KubeObject[] {
    return this.#source(extent)?.values(prefixOf(extent)) ?? [];
  }

  page(request: PageRequest): Page {
    const { limit = Infinity, matches = () => true } = request;
    const objects: KubeObject[] = [];
    for (const [key, object] of this.#entries(request)) {
      if (!matches(object)) continue;
      if (objects.length >= limit) return { objects, next: key };
      objects.push(object);
    }
    return { objects, next: undefined };
  }

  countFrom(request: PageRequest): number {
    if (this.#isPresent(request)) {
      const prefix = prefixOf(request.extent);
      return this.#source(request.extent)?.countFrom(request.from ?? prefix, prefix) ?? 0;
    }
    let count = 0;
    for (const _entry of this.#entries(request)) count++;
    return count;
  }

  put(key: string, draft: KubeObject): KubeObject {
    const version = ++this.#options.sequence.version;
    draft.metadata.resourceVersion = String(version);
    const bytes = deepFreeze(draft);
    const object = draft;
    const previous = this.#objects.get(key);
    this.#reindex(key, previous, object);
    this.#objects.set(key, object);
    const type = previous === undefined ? "ADDED" : "MODIFIED";
    this.#publish({ collection: this.name, key, type, version, object, previous }, bytes);
    return object;
  }

  delete(key: string): KubeObject | undefined {
    const previous = this.#objects.get(key);
    if (previous === undefined) return undefined;
    const version = ++this.#options.sequence.version;
    const metadata = { ...previous.metadata, resourceVersion: String(version) };
    const object = { ...previous, metadata };
    deepFreeze(object);
    this.#reindex(key, previous, undefined);
    this.#objects.delete(key);
    const change: Change = {
      collection: this.name,
      key,
      type: "DELETED",
      version,
      object,
      previous,
    };
    // From now on only the history holds what was deleted.
    this.#publish(change, sizeInMemory(previous));
    return object;
  }

  compact(version: number): void {
    this.#log.compact(version);
  }

  changesSince(version: number): readonly Change[] {
    return this.#log.since(version);
  }

  subscribe(extent: Extent, onChange: (change: Change) => void): Subscription {
    return this.#subscribers.add(extent, onChange);
  }

  #publish(change: Change, bytes: number): void {
    this.#log.append(change, bytes);
    this.#options.budget.enforce();
    this.#subscribers.announce(change);
    this.#options.announce(change);
  }

  #source({ index }: Extent): OrderedMap<KubeObject> | undefined {
    return index === undefined ? this.#objects : this.#byField.get(index.field)?.get(index.value);
  }

  *#entries(request: PageRequest): Generator<[string, KubeObject]> {
    const { extent, version = 0 } = request;
    const prefix = prefixOf(extent);
    const start = request.from ?? prefix;
    if (this.#isPresent(request)) {
      const source = this.#source(extent);
      const labelled = this.#keysWith(request);
      const keys =
        labelled === undefined
          ? (source?.keysFrom(start, prefix) ?? [])
          : labelled.filter((key) => key >= start && key.startsWith(prefix)).toSorted(byCodeUnit);
      for (const key of keys) {
        const object = source?.get(key);
        if (object !== undefined) yield [key, object];
      }
      return;
    }
    yield* this.#entriesAt(version, start, prefix);
  }

  /** Where labels narrow it down: all that can match, in no order. */
  #keysWith({ labels = [] }: PageRequest): readonly string[] | undefined {
    if (labels.length === 0 || this.#objects.size < leastForLabels) return undefined;
    const found = this.#labels.keysWith(labels, () => this.#entries({ extent: {} }));
    return found && [...found];
  }

  #isPresent({ version = Infinity }: PageRequest): boolean {
    return version >= this.#options.sequence.version;
  }

  /** The entries at `version`: the current ones with every later change undone. */
  *#entriesAt(version: number, start: string, prefix: string): Generator<[string, KubeObject]> {
    const then = this.#log.undoneTo(version);
    const gone = [...then.keys()]
      .filter((key) => key >= start && key.startsWith(prefix) && !this.#objects.get(key))
      .toSorted(byCodeUnit);
    const stateOf = (key: string): KubeObject | undefined =>
      then.has(key) ? then.get(key) : this.#objects.get(key);
    for (const key of merged([...this.#objects.keysFrom(start, prefix)], gone)) {
      const object = stateOf(key);
      if (object !== undefined) yield [key, object];
    }
  }

  #reindex(key: string, before: KubeObject | undefined, after: KubeObject | undefined): void {
    this.#labels.change(key, before, after);
    for (const [field, valueOf] of Object.entries(this.#options.indexes)) {
      const entries = this.#byField.get(field);
      const old = before === undefined ? undefined : valueOf(before);
      const now = after === undefined ? undefined : valueOf(after);
      if (entries === undefined) continue;
      if (old !== undefined && old !== now) {
        entries.get(old)?.delete(key);
        if (entries.get(old)?.size === 0) entries.delete(old);
      }
      if (now === undefined || after === undefined) continue;
      const bucket = entries.get(now) ?? new OrderedMap<KubeObject>();
      bucket.set(key, after);
      entries.set(now, bucket);
    }
  }
}

/** A smaller collection is searched faster than an index of it is kept. */
const leastForLabels = 64;

function prefixOf({ namespace }: Extent): string {
  return namespace === undefined ? "" : `${namespace}/`;
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function merged(some: readonly string[], more: readonly string[]): readonly string[] {
  return more.length === 0 ? some : [...some, ...more].toSorted(byCodeUnit);
}
