/** Rules of `metadata` that all built-in kinds share beyond those of every object. */
import { invalid, type FieldError } from "../../api/field-error.ts";
import type { KubeObject } from "../../api/object.ts";
import {
  validateObjectMeta,
  validateObjectMetaUpdate,
  type MetaRules,
} from "../../api/object-meta.ts";

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

export function validateMeta(object: KubeObject, rules: MetaRules): FieldError[] {
  return [...validateObjectMeta(object.metadata, rules), ...validateFinalizerNames(object)];
}

export function validateMetaUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...validateObjectMetaUpdate(object.metadata, old.metadata),
    ...validateFinalizerNames(object),
  ];
}

function validateFinalizerNames({ metadata }: KubeObject): FieldError[] {
  return (metadata.finalizers ?? []).flatMap((name, index) => {
    if (name.includes("/") || standardFinalizers.has(name)) return [];
    const detail = "name is neither a standard finalizer name nor is it fully qualified";
    return [invalid(`metadata.finalizers[${index}]`, name, detail)];
  });
}
