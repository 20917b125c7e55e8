/** Value rules of `metadata`, the same for every kind. */
import { asNamePrefix, dns1123LabelProblems, type NameCheck } from "./dns-name.ts";
import { forbidden, invalid, quoted, required, type FieldError } from "./field-error.ts";
import { qualifiedNameProblems, validateAnnotations, validateLabels } from "./label-syntax.ts";
import type { ObjectMeta, OwnerReference } from "./object.ts";
import { immutableProblem, negativeProblem } from "./problem-text.ts";

export interface MetaRules {
  readonly namespaced: boolean;
  readonly checkName: NameCheck;
}

/** Checks `metadata` of an object about to be created; names are already generated. */
export function validateObjectMeta(meta: ObjectMeta, rules: MetaRules): FieldError[] {
  return [
    ...validateNames(meta, rules.checkName),
    ...validateNamespace(meta.namespace ?? "", rules.namespaced),
    ...validateGeneration(meta.generation),
    ...validateLabels(meta.labels, "metadata.labels"),
    ...validateAnnotations(meta.annotations, "metadata.annotations"),
    ...validateOwnerReferences(meta.ownerReferences ?? [], "metadata.ownerReferences"),
    ...validateFinalizers(meta.finalizers ?? [], "metadata.finalizers"),
  ];
}

const frozenFields = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  errors.push(...newFinalizers(meta, old));
  if ((meta.resourceVersion ?? "") === "") {
    errors.push(invalid("metadata.resourceVersion", "", "must be specified for an update"));
  }
  const generation = meta.generation ?? 0;
  if (generation < (old.generation ?? 0)) {
    errors.push(invalid("metadata.generation", generation, "must not be decremented"));
  }
  for (const field of frozenFields) {
    if (meta[field] === old[field]) continue;
    const shown = meta[field] ?? (field.startsWith("deletion") ? null : "");
    errors.push(invalid(`metadata.${field}`, shown, immutableProblem));
  }
  // What is the very same as before was found valid then.
  if (meta.labels !== old.labels) errors.push(...validateLabels(meta.labels, "metadata.labels"));
  if (meta.annotations !== old.annotations) {
    errors.push(...validateAnnotations(meta.annotations, "metadata.annotations"));
  }
  if (meta.ownerReferences !== old.ownerReferences) {
    const references = meta.ownerReferences ?? [];
    errors.push(...validateOwnerReferences(references, "metadata.ownerReferences"));
  }
  return errors;
}

export function validateFinalizers(finalizers: readonly string[], path: string): FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    qualifiedNameProblems(finalizer).map((problem) => invalid(path, finalizer, problem)),
  );
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    const detail = "finalizer orphan and foregroundDeletion cannot be both set";
    errors.push(invalid(path, finalizers, detail));
  }
  return errors;
}

export function validateOwnerReferences(
  references: readonly OwnerReference[],
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  let controller = "";
  for (const reference of references) {
    errors.push(...validateOwnerReference(reference, path));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller !== "") {
      const detail =
        "Only one reference can have Controller set to true. " +
        `Found "true" in references for ${controller} and ${name}`;
      errors.push(invalid(path, references, detail));
    } else {
      controller = name;
    }
  }
  return errors;
}

function validateNames(meta: ObjectMeta, checkName: NameCheck): FieldError[] {
  const prefix = meta.generateName ?? "";
  const name = meta.name ?? "";
  const errors: FieldError[] = [];
  if (prefix !== "") {
    for (const problem of asNamePrefix(checkName)(prefix)) {
      errors.push(invalid("metadata.generateName", prefix, problem));
    }
  }
  if (name === "")
    return [...errors, required("metadata.name", "name or generateName is required")];
  return [...errors, ...checkName(name).map((problem) => invalid("metadata.name", name, problem))];
}

function validateNamespace(namespace: string, namespaced: boolean): FieldError[] {
  if (!namespaced) {
    return namespace === "" ? [] : [forbidden("metadata.namespace", "not allowed on this type")];
  }
  if (namespace === "") return [required("metadata.namespace")];
  return dns1123LabelProblems(namespace).map((problem) =>
    invalid("metadata.namespace", namespace, problem),
  );
}

function validateGeneration(generation = 0): FieldError[] {
  return generation < 0 ? [invalid("metadata.generation", generation, negativeProblem)] : [];
}

function validateOwnerReference(reference: Partial<OwnerReference>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { apiVersion = "", kind = "", name = "", uid = "" } = reference;
  if (apiVersion === "" || apiVersion.endsWith("/")) {
    errors.push(invalid(`${path}.apiVersion`, apiVersion, "version must not be empty"));
  }
  if (kind === "") errors.push(invalid(`${path}.kind`, kind, "must not be empty"));
  if (name === "") errors.push(invalid(`${path}.name`, name, "must not be empty"));
  if (uid === "") errors.push(invalid(`${path}.uid`, uid, "must not be empty"));
  if (apiVersion === "v1" && kind === "Event") {
    const detail = "/v1, Kind=Event is disallowed from being an owner";
    errors.push(invalid(path, reference, detail));
  }
  return errors;
}

/** New finalizers must not keep a terminating object from being deleted. */
export function newFinalizers(meta: ObjectMeta, old: ObjectMeta): FieldError[] {
  if (old.deletionTimestamp === undefined) return [];
  const known = new Set(old.finalizers);
  const added = (meta.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (added.length === 0) return [];
  const listed = [...new Set(added)].toSorted().map(quoted).join(", ");
  const detail =
    "no new finalizers can be added if the object is being deleted, " +
    `found new finalizers []string{${listed}}`;
  return [forbidden("metadata.finalizers", detail)];
}
