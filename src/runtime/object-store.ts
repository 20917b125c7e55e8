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
  readonly #onProblem: (object: T, problem: unknown) => void;
  #listed: readonly T[] | undefined;

  /** An object that an index function throws on is in no bucket of that index, and in all others as ever. */
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
        return given(object);
      } catch (problem) {
        if (isNew) this.#onProblem(object, problem);
        return [];
      }
    };
    this.#indexes.push({ name, given, values });
    this.#buckets.set(name, new Map());
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

  set(key: string, object: T): void {
    this.#unindex(key);
    this.#objects.set(key, object);
    this.#listed = undefined;
    for (const { name, values } of this.#indexes) {
      for (const value of values(object, true)) {
        const bucket = this.#bucket(name, value);
        bucket.objects.set(key, object);
        bucket.listed = undefined;
      }
    }
  }

  delete(key: string): void {
    this.#unindex(key);
    this.#objects.delete(key);
    this.#listed = undefined;
  }

  #unindex(key: string): void {
    const old = this.#objects.get(key);
    if (old === undefined) return;
    for (const { name, values } of this.#indexes) {
      for (const value of values(old, false)) this.#removeFromBucket(name, value, key);
    }
  }

  #removeFromBucket(name: string, value: string, key: string): void {
    const bucket = this.#bucket(name, value);
    bucket.objects.delete(key);
    bucket.listed = undefined;
    if (bucket.objects.size === 0) this.#buckets.get(name)?.delete(value);
  }

  #bucket(name: string, value: string): Bucket<T> {
    const buckets = this.#buckets.get(name) ?? new Map<string, Bucket<T>>();
    const bucket = buckets.get(value) ?? { objects: new Map<string, T>(), listed: undefined };
    buckets.set(value, bucket);
    return bucket;
  }
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
