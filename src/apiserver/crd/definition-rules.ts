/** The rules of CustomResourceDefinitions, with the messages and paths of the real server. */
import { dns1035LabelProblems, dns1123SubdomainProblems } from "../../api/dns-name.ts";
import type { FieldError } from "../../api/field-error.ts";
import { invalid, notSupported, required } from "../../api/field-error.ts";
import { immutableProblem } from "../../api/problem-text.ts";
import type {
  CustomResourceDefinition,
  DefinitionNames,
  DefinitionSpec,
  DefinitionVersion,
} from "./definition.ts";
import { isTrue } from "./definition.ts";
import { validateVersions } from "./version-rules.ts";

export function validateDefinition(definition: CustomResourceDefinition): FieldError[] {
  const { spec, metadata } = definition;
  const errors: FieldError[] = [];
  if (metadata.name !== `${spec.names.plural}.${spec.group}`) {
    const problem = 'must be spec.names.plural+"."+spec.group';
    errors.push(invalid("metadata.name", metadata.name, problem));
  }
  return [
    ...errors,
    ...validateGroup(spec.group),
    ...validateScope(spec.scope),
    ...validateStorage(definition),
    ...validateNames(spec.names),
    ...validateConversion(spec),
    ...validateVersions(spec),
  ];
}

export function validateDefinitionUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): FieldError[] {
  const errors = validateDefinition(definition).filter(({ field }) => field !== "metadata.name");
  const fixed: [string, string, string][] = [
    ["spec.group", definition.spec.group, old.spec.group],
    ["spec.names.plural", definition.spec.names.plural, old.spec.names.plural],
  ];
  // Names are immutable once objects are served under them; before that they may be corrected.
  if (isTrue(old, "Established")) {
    fixed.push(
      ["spec.scope", definition.spec.scope, old.spec.scope],
      ["spec.names.kind", definition.spec.names.kind, old.spec.names.kind],
    );
  }
  const changes = fixed
    .filter(([, now, before]) => now !== before)
    .map(([field, now]) => invalid(field, now, immutableProblem));
  return [...errors, ...changes];
}

function validateGroup(group: string): FieldError[] {
  if (group === "") return [required("spec.group")];
  const problems = dns1123SubdomainProblems(group);
  if (problems.length > 0) return [invalid("spec.group", group, problems.join(","))];
  return group.includes(".")
    ? []
    : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

function validateScope(scope: string): FieldError[] {
  const scopes = ["Cluster", "Namespaced"];
  if (scope === "") return [required("spec.scope")];
  return scopes.includes(scope) ? [] : [notSupported("spec.scope", scope, scopes)];
}

function validateStorage({ spec, status }: CustomResourceDefinition): FieldError[] {
  const { versions } = spec;
  const names = versions.map(({ name }) => name);
  const errors: FieldError[] = [];
  if (new Set(names).size < names.length) {
    errors.push(
      invalid("spec.versions", versions.map(goVersion), "must contain unique version names"),
    );
  }
  const stored = versions.filter(({ storage }) => storage);
  if (stored.length !== 1) {
    const problem = "must have exactly one version marked as storage version";
    errors.push(invalid("spec.versions", versions.map(goVersion), problem));
  }
  return [...errors, ...validateStoredVersions(spec, status?.storedVersions ?? [])];
}

function validateStoredVersions(spec: DefinitionSpec, stored: readonly string[]): FieldError[] {
  const path = "status.storedVersions";
  const known = spec.versions.map(({ name }) => name);
  const current = spec.versions.findLast(({ storage }) => storage)?.name;
  if (stored.length === 0) {
    return [invalid(path, null, "must have at least one stored version")];
  }
  const missing = stored.flatMap((name, index) => {
    if (known.includes(name)) return [];
    const problem =
      `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions ` +
      `until a storage migration ensures no data remains persisted in ${name} and removes ${name} from ${path}`;
    return [invalid(`${path}[${index}]`, name, problem)];
  });
  if (current === undefined || stored.includes(current)) return missing;
  return [...missing, invalid(path, stored, `must have the storage version ${current}`)];
}

/** A version as Go prints its struct, without the parts that all versions share. */
function goVersion(version: DefinitionVersion): Record<string, unknown> {
  return {
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  };
}

function validateNames(names: DefinitionNames): FieldError[] {
  const { plural, singular = "", kind, listKind = "" } = names;
  const errors = [
    ...label("spec.names.plural", plural),
    ...label("spec.names.singular", singular),
    ...kindName("spec.names.kind", kind),
    ...kindName("spec.names.listKind", listKind),
    ...(names.shortNames ?? []).flatMap((name, index) =>
      label(`spec.names.shortNames[${index}]`, name),
    ),
    ...(names.categories ?? []).flatMap((name, index) =>
      label(`spec.names.categories[${index}]`, name),
    ),
  ];
  if (kind !== "" && kind === listKind) {
    errors.push(invalid("spec.names.listKind", listKind, "kind and listKind may not be the same"));
  }
  return errors;
}

function label(field: string, value: string): FieldError[] {
  if (value === "") return [required(field)];
  const problems = dns1035LabelProblems(value);
  return problems.length === 0 ? [] : [invalid(field, value, problems.join(","))];
}

function kindName(field: string, value: string): FieldError[] {
  if (value === "") return [required(field)];
  const problems = dns1035LabelProblems(value.toLowerCase());
  if (problems.length === 0) return [];
  const problem = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
  return [invalid(field, value, problem)];
}

function validateConversion({ conversion, preserveUnknownFields }: DefinitionSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (preserveUnknownFields === true) {
    const problem =
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    errors.push(invalid("spec.preserveUnknownFields", true, problem));
  }
  const strategy = conversion?.strategy ?? "None";
  if (strategy === "None") return errors;
  if (strategy !== "Webhook") {
    return [...errors, notSupported("spec.conversion.strategy", strategy, ["None", "Webhook"])];
  }
  if (conversion?.webhook !== undefined) return errors;
  const problem = "required when strategy is set to Webhook";
  return [
    ...errors,
    required("spec.conversion.webhookClientConfig", problem),
    required("spec.conversion.conversionReviewVersions"),
  ];
}
