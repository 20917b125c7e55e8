/** Defaults and value rules of a volume claim spec, in claims and in claim templates. */
import { dns1123LabelProblems, dns1123SubdomainProblems } from "../../api/dns-name.ts";
import { forbidden, invalid, notSupported, required } from "../../api/field-error.ts";
import type { FieldError } from "../../api/field-error.ts";
import { validateLabelSelector } from "../../api/label-selector.ts";
import { quantity } from "../../api/quantity.ts";
import { positiveProblem } from "../../api/problem-text.ts";
import type { ClaimSpec, DataSource } from "./pod-types.ts";
import { defaultResources } from "./resource-defaults.ts";

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const volumeModes = ["Block", "Filesystem"];

export function defaultClaimSpec(spec: ClaimSpec): void {
  spec.volumeMode ??= "Filesystem";
  spec.resources ??= {};
  // Without a group the field is shown as null instead of being omitted.
  for (const source of [spec.dataSource, spec.dataSourceRef]) {
    if (source !== undefined) source.apiGroup ??= null;
  }
  defaultResources(spec.resources);
}

export function validateClaimSpec(spec: ClaimSpec, path: string): FieldError[] {
  return [
    ...validateAccessModes(spec.accessModes ?? [], `${path}.accessModes`),
    ...validateLabelSelector(spec.selector, `${path}.selector`),
    ...validateStorage(spec.resources?.requests?.["storage"], `${path}.resources[storage]`),
    ...validateClassName(spec.storageClassName, `${path}.storageClassName`),
    ...(spec.volumeMode === undefined || volumeModes.includes(spec.volumeMode)
      ? []
      : [notSupported(`${path}.volumeMode`, spec.volumeMode, volumeModes)]),
    ...validateDataSource(spec.dataSource, `${path}.dataSource`),
    ...validateDataSource(spec.dataSourceRef, `${path}.dataSourceRef`),
    ...validateClassName(spec.volumeAttributesClassName, `${path}.volumeAttributesClassName`),
  ];
}

function validateAccessModes(modes: readonly string[], path: string): FieldError[] {
  if (modes.length === 0) return [required(path, "at least 1 access mode is required")];
  const errors = modes
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => notSupported(path, mode, accessModes));
  const known = modes.filter((mode) => accessModes.includes(mode));
  const exclusive = known.filter((mode) => mode === "ReadWriteOncePod");
  if (exclusive.length > 0 && exclusive.length < known.length) {
    errors.push(forbidden(path, "may not use ReadWriteOncePod with other access modes"));
  }
  return errors;
}

function validateStorage(amount: string | undefined, path: string): FieldError[] {
  if (amount === undefined) return [required(path)];
  return quantity(amount).nanos > 0n ? [] : [invalid(path, amount, positiveProblem)];
}

function validateClassName(name: string | undefined, path: string): FieldError[] {
  if (name === undefined || name === "") return [];
  return dns1123SubdomainProblems(name).map((problem) => invalid(path, name, problem));
}

function validateDataSource(source: DataSource | undefined, path: string): FieldError[] {
  if (source === undefined) return [];
  const errors: FieldError[] = [];
  const group = source.apiGroup ?? "";
  if (source.name === "") errors.push(required(`${path}.name`));
  if (source.kind === "") errors.push(required(`${path}.kind`));
  if (group === "" && source.kind !== "PersistentVolumeClaim") {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    errors.push(invalid(path, source.kind, detail));
  }
  if (group !== "") {
    for (const problem of dns1123SubdomainProblems(group)) {
      errors.push(invalid(`${path}.apiGroup`, group, problem));
    }
  }
  const namespace = source.namespace ?? "";
  if (namespace === "") return errors;
  const problems = dns1123LabelProblems(namespace);
  return [
    ...errors,
    ...problems.map((problem) => invalid(`${path}.namespace`, namespace, problem)),
  ];
}
