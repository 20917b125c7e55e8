/** Marks the objects that a cache keeps only in part: written back whole, they would erase what was left out. */
import type { KubeObject } from "../api/object.ts";

/** A symbol is copied by a spread and ignored by JSON: copies of a partial object are partial too. */
const partial = Symbol("partial");

/** Marks an object that nobody else has yet: a marked copy would have a hidden class of its own, each of them. */
export function markPartial<T extends KubeObject>(object: T & { [partial]?: true }): T {
  object[partial] = true;
  return object;
}

/** The object itself, which may be written as it is; throws where it is only a part. */
export function requireWhole<T extends KubeObject>(object: T): T {
  if (!Object.hasOwn(object, partial)) return object;
  const { namespace, name } = object.metadata;
  throw new Error(
    `${object.kind} ${namespace}/${name} is only a part of the object, kept by a cache: patch it instead`,
  );
}
