/** Objects by key, with named indexes that answer in constant time. */
import type { KubeObject, ObjectKey } from "../api/object.ts";

/** The values under which an object is indexed; with none it is not in the index. */
type IndexFunction<T extends KubeObject> = (object: T) => readonly string[];
export type Indexes<T extends KubeObject> = Readonly<Record<string, IndexFunction<T>>>;

/** `namespace/name`, or the name alone for cluster-scoped objects. */
export function keyText(key: ObjectKey): string {
  return key.namespace === undefined ? key.name : `${key.namespace}/${key.name}`;
}

export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf("/");
  if (slash < 0) return { name: text };
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

export function keyOf(object: KubeObject): string {
  const { namespace, name = "" } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The objects under one value of an index. */
interface Bucket<T> {
  readonly objects: Map<string, T>;
  /** Built when it is requested, and kept until an object in the bucket changes. */
  listed: readonly T[] | undefined;
}

/** The values of an index that begin alike: `default/chat/0` and `default/chat/1` are under `default/chat`. */
interface Family {
  readonly values: Set<string>;
  /** Built when it is requested, and kept until a value comes or goes. */
  listed: readonly string[] | undefined;
}

const nothing: readonly never[] = Object.freeze([]);

interface NamedIndex<T extends KubeObject> {
  readonly name: string;
  readonly given: IndexFunction<T>;
  /** The same, of objects that may be hostile; a problem is reported where the object is new. */
  readonly values: (object: T, isNew: boolean) => readonly string[];
}

export class ObjectStore<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes: NamedIndex<T>[] = [];
  readonly #buckets = new Map<string, Map<string, Bucket<T>>>();
  readonly #families = new Map<string, Map<string, Family>>();
  readonly #onProblem: (object: T, problem: unknown) => void;
  #listed: readonly T[] | undefined;

  /** Where an index function throws or finds no text, the object is in no bucket of that index, and in all others. */
  constructor(
    indexes: Indexes<T> = {},
    onProblem: (object: T, problem: unknown) => void = () => undefined,
  ) {
    this.#onProblem = onProblem;
    this.addIndexes(indexes);
  }

  /** Also of what is there already; a name that is taken must mean the same. */
  addIndexes(indexes: Indexes<T>): void {
    for (const [name, given] of Object.entries(indexes)) {
      const known = this.#indexes.find((index) => index.name === name);
      if (known !== undefined && known.given !== given) {
        throw new Error(`the cache has another index named ${name}`);
      }
      if (known === undefined) this.#addIndex(name, given);
    }
  }

  #addIndex(name: string, given: IndexFunction<T>): void {
    const values = (object: T, isNew: boolean): readonly string[] => {
      try {
        return requireTexts(name, given(object));
      } catch (problem) {
        if (isNew) this.#onProblem(object, problem);
        return [];
      }
    };
    this.#indexes.push({ name, given, values });
    this.#buckets.set(name, new Map());
    this.#families.set(name, new Map());
    for (const [key, object] of this.#objects) {
      for (const value of values(object, true)) this.#bucket(name, value).objects.set(key, object);
    }
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  /** The same list until something changes. */
  list(): readonly T[] {
    this.#listed ??= Object.freeze([...this.#objects.values()]);
    return this.#listed;
  }

  /** The same list until one of its objects changes, so that readers can compare by identity. */
  byIndex(name: string, value: string): readonly T[] {
    const buckets = this.#buckets.get(name);
    if (buckets === undefined) throw new Error(`the cache has no index named ${name}`);
    const bucket = buckets.get(value);
    if (bucket === undefined) return nothing;
    bucket.listed ??= Object.freeze([...bucket.objects.values()]);
    return bucket.listed;
  }

  /** How many objects are under one value of an index, without listing them. */
  countByIndex(name: string, value: string): number {
    return this.#buckets.get(name)?.get(value)?.objects.size ?? 0;
  }

  /** Which values `prefix/...` of an index have objects. The same list until one of them comes or goes. */
  valuesUnder(name: string, prefix: string): readonly string[] {
    const family = this.#families.get(name)?.get(prefix);
    if (family === undefined) return nothing;
    family.listed ??= Object.freeze([...family.values]);
    return family.listed;
  }

  set(key: string, object: T): void {
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#listed = undefined;
    for (const { name, values } of this.#indexes) {
      const next = values(object, true);
      const before = old === undefined ? nothing : values(old, false);
      // What keeps its place in a bucket is only exchanged there.
      for (const value of before) {
        if (!next.includes(value)) this.#removeFromBucket(name, value, key);
      }
      for (const value of next) {
        const bucket = this.#bucket(name, value);
        bucket.objects.set(key, object);
        bucket.listed = undefined;
      }
    }
  }

  delete(key: string): void {
    const old = this.#objects.get(key);
    if (old === undefined) return;
    for (const { name, values } of this.#indexes) {
      for (const value of values(old, false)) this.#removeFromBucket(name, value, key);
    }
    this.#objects.delete(key);
    this.#listed = undefined;
  }

  #removeFromBucket(name: string, value: string, key: string): void {
    const bucket = this.#buckets.get(name)?.get(value);
    if (bucket === undefined) return;
    bucket.objects.delete(key);
    bucket.listed = undefined;
    if (bucket.objects.size > 0) return;
    this.#buckets.get(name)?.delete(value);
    this.#family(name, value, (family) => family.values.delete(value));
  }

  #bucket(name: string, value: string): Bucket<T> {
    const known = this.#buckets.get(name)?.get(value);
    if (known !== undefined) return known;
    const bucket: Bucket<T> = { objects: new Map<string, T>(), listed: undefined };
    this.#buckets.get(name)?.set(value, bucket);
    this.#family(name, value, (family) => family.values.add(value));
    return bucket;
  }

  #family(name: string, value: string, change: (family: Family) => void): void {
    const end = value.lastIndexOf("/");
    const families = this.#families.get(name);
    if (end < 0 || families === undefined) return;
    const prefix = value.slice(0, end);
    const family = families.get(prefix) ?? { values: new Set(), listed: undefined };
    change(family);
    family.listed = undefined;
    if (family.values.size === 0) families.delete(prefix);
    else families.set(prefix, family);
  }
}

/** An object without the field that an index reads would be found under nothing, and lost there. */
function requireTexts(index: string, values: readonly string[]): readonly string[] {
  for (const value of values) {
    if (typeof value !== "string")
      throw new TypeError(`index ${index}: ${String(value)} is no text`);
  }
  return values;
}

/** Finds objects by the uid of their controlling owner. */
export function controllerUid(object: KubeObject): readonly string[] {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  return owner === undefined ? [] : [owner.uid];
}

export function namespaceOf(object: KubeObject): readonly string[] {
  return object.metadata.namespace === undefined ? [] : [object.metadata.namespace];
}

/** Finds objects by the value of one label. */
export function labelValue(label: string): IndexFunction<KubeObject> {
  return (object) => {
    const value = object.metadata.labels?.[label];
    return value === undefined ? [] : [value];
  };
}
