/** Value rules of environment variables and of references to fields of the pod itself. */
import { dns1123SubdomainProblems } from "../../api/dns-name.ts";
import { invalid, notSupported, required, type FieldError } from "../../api/field-error.ts";
import { qualifiedNameProblems } from "../../api/label-syntax.ts";
import { configKeyProblems, environmentNameProblems } from "../../api/value-format.ts";
import type { EnvFrom, EnvVar, FieldRef, KeyRef, ResourceFieldRef } from "./pod-types.ts";

const envFieldPaths = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
export const volumeFieldPaths = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];
const knownFieldPaths = new Set([
  ...envFieldPaths,
  ...volumeFieldPaths,
  "spec.restartPolicy",
  "spec.schedulerName",
  "spec.host",
  "status.phase",
]);
const resourceFields = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

export function validateEnv(variables: readonly EnvVar[], path: string): FieldError[] {
  return variables.flatMap((variable, index) => {
    const at = `${path}[${index}]`;
    const named =
      variable.name === ""
        ? [required(`${at}.name`)]
        : environmentNameProblems(variable.name).map((problem) =>
            invalid(`${at}.name`, variable.name, problem),
          );
    return [...named, ...validateValueFrom(variable, `${at}.valueFrom`)];
  });
}

export function validateEnvFrom(sources: readonly EnvFrom[], path: string): FieldError[] {
  return sources.flatMap((source, index) => {
    const at = `${path}[${index}]`;
    const prefix = source.prefix ?? "";
    const errors =
      prefix === ""
        ? []
        : environmentNameProblems(prefix).map((problem) =>
            invalid(`${at}.prefix`, prefix, problem),
          );
    for (const field of ["configMapRef", "secretRef"] as const) {
      const reference = source[field];
      if (reference !== undefined) errors.push(...validateName(reference.name, `${at}.${field}`));
    }
    const given = [source.configMapRef, source.secretRef].filter((ref) => ref !== undefined).length;
    if (given === 0) {
      errors.push(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"));
    } else if (given > 1) {
      errors.push(invalid(path, "", "may not have more than one field specified at a time"));
    }
    return errors;
  });
}

export function validateFieldRef(
  reference: FieldRef,
  allowed: readonly string[],
  path: string,
): FieldError[] {
  const { fieldPath, apiVersion = "" } = reference;
  if (fieldPath === "") return [required(`${path}.fieldPath`)];
  const refused = (problem: string): FieldError[] => [
    invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${problem}`),
  ];
  if (apiVersion !== "v1") return refused(`unsupported pod version: ${apiVersion}`);
  const subscript = /^(.+)\['(.*)'\]$/.exec(fieldPath);
  if (subscript !== null) {
    const [, base = "", key = ""] = subscript;
    if (base !== "metadata.annotations" && base !== "metadata.labels") {
      return refused(`field label does not support subscript: ${fieldPath}`);
    }
    const checked = base === "metadata.annotations" ? key.toLowerCase() : key;
    return qualifiedNameProblems(checked).map((problem) => invalid(path, checked, problem));
  }
  if (!knownFieldPaths.has(fieldPath)) return refused(`field label not supported: ${fieldPath}`);
  if (allowed.includes(fieldPath)) return [];
  return [notSupported(`${path}.fieldPath`, fieldPath, allowed)];
}

export function validateResourceFieldRef(
  reference: ResourceFieldRef,
  path: string,
  needsContainer: boolean,
): FieldError[] {
  const { resource, containerName = "" } = reference;
  if (needsContainer && containerName === "") return [required(`${path}.containerName`)];
  if (resource === "") return [required(`${path}.resource`)];
  if (resourceFields.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource)) {
    return [];
  }
  return [notSupported(`${path}.resource`, resource, resourceFields)];
}

function validateValueFrom(variable: EnvVar, path: string): FieldError[] {
  const from = variable.valueFrom;
  if (from === undefined) return [];
  const errors: FieldError[] = [];
  if (from.fieldRef !== undefined) {
    errors.push(...validateFieldRef(from.fieldRef, envFieldPaths, `${path}.fieldRef`));
  }
  if (from.resourceFieldRef !== undefined) {
    const at = `${path}.resourceFieldRef`;
    errors.push(...validateResourceFieldRef(from.resourceFieldRef, at, false));
  }
  for (const field of ["configMapKeyRef", "secretKeyRef"] as const) {
    const reference = from[field];
    if (reference !== undefined) errors.push(...validateKeyRef(reference, `${path}.${field}`));
  }
  const given = Object.values(from).filter((source) => source !== undefined).length;
  return [...errors, ...validateSourceCount(given, variable.value ?? "", path)];
}

function validateSourceCount(given: number, value: string, path: string): FieldError[] {
  if (given === 0) {
    const detail =
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, " +
      "`secretKeyRef` or `fileKeyRef`";
    return [invalid(path, "", detail)];
  }
  if (value !== "") return [invalid(path, "", "may not be specified when `value` is not empty")];
  if (given === 1) return [];
  return [invalid(path, "", "may not have more than one field specified at a time")];
}

function validateKeyRef(reference: KeyRef, path: string): FieldError[] {
  const key = reference.key ?? "";
  const keyErrors =
    key === ""
      ? [required(`${path}.key`)]
      : configKeyProblems(key).map((problem) => invalid(`${path}.key`, key, problem));
  const name = reference.name ?? "";
  const nameErrors = dns1123SubdomainProblems(name).map((problem) =>
    invalid(`${path}.name`, name, problem),
  );
  return [...nameErrors, ...keyErrors];
}

function validateName(name = "", path: string): FieldError[] {
  if (name === "") return [required(`${path}.name`)];
  return dns1123SubdomainProblems(name).map((problem) => invalid(`${path}.name`, name, problem));
}
