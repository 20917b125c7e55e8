/** The only rule of `metadata` that built-in kinds add to those of every object. */
import { invalid, type FieldError } from "../../api/field-error.ts";
import type { KubeObject } from "../../api/object.ts";

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

export function validateFinalizerNames({ metadata }: KubeObject): FieldError[] {
  return (metadata.finalizers ?? []).flatMap((name, index) => {
    if (name.includes("/") || standardFinalizers.has(name)) return [];
    const detail = "name is neither a standard finalizer name nor is it fully qualified";
    return [invalid(`metadata.finalizers[${index}]`, name, detail)];
  });
}
