/** Value rules of affinity to nodes and pods. */
import { dns1123LabelProblems, dns1123SubdomainProblems } from "../../api/dns-name.ts";
import { forbidden, invalid, required, type FieldError } from "../../api/field-error.ts";
import { validateLabelSelector } from "../../api/label-selector.ts";
import { labelValueProblems, validateLabelKey } from "../../api/label-syntax.ts";
import type {
  Affinity,
  NodeAffinity,
  NodeRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from "./pod-types.ts";
import { validateLabelKeys } from "./scheduling-validation.ts";

const hard = "requiredDuringSchedulingIgnoredDuringExecution";
const soft = "preferredDuringSchedulingIgnoredDuringExecution";

export function validateAffinity(affinity: Affinity | undefined, path: string): FieldError[] {
  if (affinity === undefined) return [];
  return [
    ...validateNodeAffinity(affinity.nodeAffinity, `${path}.nodeAffinity`),
    ...validatePodAffinity(affinity.podAffinity, `${path}.podAffinity`),
    ...validatePodAffinity(affinity.podAntiAffinity, `${path}.podAntiAffinity`),
  ];
}

function validateNodeAffinity(affinity: NodeAffinity | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const needed = affinity?.[hard];
  if (needed !== undefined) {
    const at = `${path}.${hard}.nodeSelectorTerms`;
    const terms = needed.nodeSelectorTerms ?? [];
    if (terms.length === 0) errors.push(required(at, "must have at least one node selector term"));
    terms.forEach((term, index) => errors.push(...validateTerm(term, `${at}[${index}]`, true)));
  }
  for (const [index, term] of (affinity?.[soft] ?? []).entries()) {
    const at = `${path}.${soft}[${index}]`;
    errors.push(...validateWeight(term.weight, at));
    errors.push(...validateTerm(term.preference, `${at}.preference`, false));
  }
  return errors;
}

function validateTerm(term: NodeSelectorTerm, path: string, checkValues: boolean): FieldError[] {
  return [
    ...(term.matchExpressions ?? []).flatMap((requirement, index) =>
      validateRequirement(requirement, `${path}.matchExpressions[${index}]`, checkValues),
    ),
    ...(term.matchFields ?? []).flatMap((requirement, index) =>
      validateFieldRequirement(requirement, `${path}.matchFields[${index}]`),
    ),
  ];
}

function validateRequirement(
  requirement: NodeRequirement,
  path: string,
  checkValues: boolean,
): FieldError[] {
  const values = requirement.values ?? [];
  return [
    ...validateOperator(requirement.operator, values.length, path),
    ...validateLabelKey(requirement.key, `${path}.key`),
    ...values.flatMap((value, index) =>
      (checkValues ? labelValueProblems(value) : []).map((problem) =>
        invalid(`${path}.values[${index}]`, value, problem),
      ),
    ),
  ];
}

function validateOperator(operator: string, values: number, path: string): FieldError[] {
  const at = `${path}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      if (values > 0) return [];
      return [required(at, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (values === 0) return [];
      return [forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case "Gt":
    case "Lt":
      if (values === 1) return [];
      return [required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}

/** Of a node's fields only its name can be selected. */
function validateFieldRequirement(requirement: NodeRequirement, path: string): FieldError[] {
  const { key, operator, values = [] } = requirement;
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn") {
    errors.push(invalid(`${path}.operator`, operator, "not a valid selector operator"));
  } else if (values.length !== 1) {
    const detail =
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(`${path}.values`, detail));
  }
  if (key !== "metadata.name") {
    return [...errors, invalid(`${path}.key`, key, "not a valid field selector key")];
  }
  const named = values.flatMap((value, index) =>
    dns1123SubdomainProblems(value).map((problem) =>
      invalid(`${path}.values[${index}]`, value, problem),
    ),
  );
  return [...errors, ...named];
}

function validatePodAffinity(affinity: PodAffinity | undefined, path: string): FieldError[] {
  return [
    ...(affinity?.[hard] ?? []).flatMap((term, index) =>
      validatePodTerm(term, `${path}.${hard}[${index}]`),
    ),
    ...(affinity?.[soft] ?? []).flatMap((term, index) => [
      ...validateWeight(term.weight, `${path}.${soft}[${index}]`),
      ...validatePodTerm(term.podAffinityTerm, `${path}.${soft}[${index}].podAffinityTerm`),
    ]),
  ];
}

function validatePodTerm(term: PodAffinityTerm, path: string): FieldError[] {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term;
  const errors = [
    ...validateLabelSelector(labelSelector, `${path}.labelSelector`),
    ...validateLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`),
    ...(term.namespaces ?? []).flatMap((namespace) =>
      dns1123LabelProblems(namespace).map((problem) =>
        invalid(`${path}.namespace`, namespace, problem),
      ),
    ),
    ...validateLabelKeys(matchLabelKeys, labelSelector, `${path}.matchLabelKeys`),
    ...validateLabelKeys(mismatchLabelKeys, labelSelector, `${path}.mismatchLabelKeys`),
  ];
  matchLabelKeys.forEach((key, index) => {
    if (!mismatchLabelKeys.includes(key)) return;
    const detail = "exists in both matchLabelKeys and mismatchLabelKeys";
    errors.push(invalid(`${path}.matchLabelKeys[${index}]`, key, detail));
  });
  if (term.topologyKey === "") errors.push(required(`${path}.topologyKey`, "can not be empty"));
  return [...errors, ...validateLabelKey(term.topologyKey, `${path}.topologyKey`)];
}

function validateWeight(weight: number, path: string): FieldError[] {
  if (weight > 0 && weight <= 100) return [];
  return [invalid(`${path}.weight`, weight, "must be in the range 1-100")];
}
