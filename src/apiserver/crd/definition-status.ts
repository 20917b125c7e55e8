/** The status of a definition: its accepted names, and whether its objects are served. */
import type {
  CustomResourceDefinition,
  DefinitionCondition,
  DefinitionNames,
  DefinitionStatus,
} from "./definition.ts";
import { conditionOf } from "./definition.ts";

/** The names that other definitions of the group have taken. */
export interface TakenNames {
  /** Plurals, singulars and short names: everything that appears in a URL or on a command line. */
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export function definitionStatus(
  definition: CustomResourceDefinition,
  taken: TakenNames,
  now: string,
): DefinitionStatus {
  const { accepted, conflict } = acceptNames(definition.spec.names, taken, definition.status);
  const old = conditionOf(definition, "Established");
  const isEstablished = conflict === undefined || old?.status === "True";
  const wanted: DefinitionCondition[] = [
    conflict ?? condition("NamesAccepted", "True", "NoConflicts", "no conflicts found"),
    isEstablished
      ? condition(
          "Established",
          "True",
          "InitialNamesAccepted",
          "the initial names have been accepted",
        )
      : condition("Established", "False", "NotAccepted", "not all names are accepted"),
  ];
  if (definition.metadata.deletionTimestamp !== undefined) wanted.push(terminating);
  return {
    conditions: wanted.map((next) => stamped(next, conditionOf(definition, next.type), now)),
    acceptedNames: accepted,
    storedVersions: definition.status?.storedVersions ?? [],
  };
}

const terminating: DefinitionCondition = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionInProgress",
  message: "CustomResource deletion is in progress",
};

function condition(
  type: string,
  status: "True" | "False",
  reason: string,
  message: string,
): DefinitionCondition {
  return { type, status, reason, message };
}

/** The time of the last change of status, not of the last write. */
function stamped(
  next: DefinitionCondition,
  old: DefinitionCondition | undefined,
  now: string,
): DefinitionCondition {
  const lastTransitionTime = old?.status === next.status ? (old.lastTransitionTime ?? now) : now;
  const { type, status, reason, message } = next;
  return { type, status, lastTransitionTime, reason, message };
}

interface Acceptance {
  readonly accepted: Partial<DefinitionNames>;
  readonly conflict?: DefinitionCondition;
}

interface Claim {
  readonly field: "plural" | "singular" | "shortNames" | "kind" | "listKind";
  readonly reason: string;
  readonly names: readonly string[];
  readonly taken: ReadonlySet<string>;
}

/** Accepts each name that is free; of several conflicts the last one is reported. */
function acceptNames(
  names: DefinitionNames,
  { resources, kinds }: TakenNames,
  status: DefinitionStatus | undefined,
): Acceptance {
  const { plural, singular = "", kind, listKind = "", shortNames = [], categories = [] } = names;
  const claims: Claim[] = [
    { field: "plural", reason: "PluralConflict", names: [plural], taken: resources },
    { field: "singular", reason: "SingularConflict", names: [singular], taken: resources },
    { field: "shortNames", reason: "ShortNamesConflict", names: shortNames, taken: resources },
    { field: "kind", reason: "KindConflict", names: [kind], taken: kinds },
    { field: "listKind", reason: "ListKindConflict", names: [listKind], taken: kinds },
  ];
  const accepted: Record<string, unknown> = { plural: "", kind: "", ...status?.acceptedNames };
  let conflict: DefinitionCondition | undefined;
  for (const claim of claims) {
    const nameInUse = claim.names.find((name) => claim.taken.has(name));
    if (nameInUse === undefined) Object.assign(accepted, acceptedField(claim));
    else
      conflict = condition(
        "NamesAccepted",
        "False",
        claim.reason,
        `"${nameInUse}" is already in use`,
      );
  }
  if (categories.length > 0) accepted["categories"] = [...categories];
  return conflict === undefined ? { accepted } : { accepted, conflict };
}

function acceptedField({ field, names }: Claim): Record<string, unknown> {
  if (field !== "shortNames") return { [field]: names[0] };
  return names.length === 0 ? {} : { shortNames: [...names] };
}
