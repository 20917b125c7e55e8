/** Value rules of tolerations and topology spread. */
import { duplicate, invalid, notSupported, required } from "../../api/field-error.ts";
import type { FieldError } from "../../api/field-error.ts";
import { validateLabelSelector, type LabelSelector } from "../../api/label-selector.ts";
import { labelValueProblems, validateLabelKey } from "../../api/label-syntax.ts";
import { validatePositive } from "./number-rules.ts";
import type { SpreadConstraint, Toleration } from "./pod-types.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const actions = ["DoNotSchedule", "ScheduleAnyway"];
const inclusions = ["Honor", "Ignore"];

export function validateTolerations(
  tolerations: readonly Toleration[],
  path: string,
): FieldError[] {
  return tolerations.flatMap((toleration, index) =>
    validateToleration(toleration, `${path}[${index}]`),
  );
}

function validateToleration(toleration: Toleration, path: string): FieldError[] {
  const { key = "", operator = "", effect = "" } = toleration;
  const errors = key === "" ? [] : validateLabelKey(key, `${path}.key`);
  if (key === "" && operator !== "Exists") {
    const detail =
      'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(`${path}.operator`, operator, detail));
  }
  if (toleration.tolerationSeconds !== undefined && effect !== "NoExecute") {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalid(`${path}.effect`, effect, detail));
  }
  errors.push(...validateTolerationValue(toleration, path));
  return effect === "" ? errors : [...errors, ...validateTaintEffect(effect, `${path}.effect`)];
}

function validateTolerationValue(toleration: Toleration, path: string): FieldError[] {
  const { operator = "", value = "" } = toleration;
  const at = `${path}.operator`;
  switch (operator) {
    case "":
    case "Equal": {
      const problems = labelValueProblems(value);
      return problems.length === 0 ? [] : [invalid(at, value, problems.join(";"))];
    }
    case "Exists":
      if (value === "") return [];
      return [invalid(at, value, "value must be empty when `operator` is 'Exists'")];
    case "Lt":
    case "Gt":
      return [notSupported(at, operator, ["Equal", "Exists", "Lt", "Gt"])];
    default:
      return [notSupported(at, operator, ["Equal", "Exists"])];
  }
}

export function validateTaintEffect(effect: string, path: string): FieldError[] {
  return effects.includes(effect) ? [] : [notSupported(path, effect, effects)];
}

export function validateSpreadConstraints(
  constraints: readonly SpreadConstraint[],
  path: string,
): FieldError[] {
  const pairOf = (one: SpreadConstraint): string =>
    `{${one.topologyKey}, ${one.whenUnsatisfiable}}`;
  const lasts = new Map(constraints.map((constraint, index) => [pairOf(constraint), index]));
  return constraints.flatMap((constraint, index) => {
    const at = `${path}[${index}]`;
    const { topologyKey, whenUnsatisfiable, labelSelector } = constraint;
    const errors = validatePositive(constraint.maxSkew, `${at}.maxSkew`);
    if (topologyKey === "") errors.push(required(`${at}.topologyKey`, "can not be empty"));
    if (!actions.includes(whenUnsatisfiable)) {
      errors.push(notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, actions));
    }
    const pair = pairOf(constraint);
    if (lasts.get(pair) !== index) {
      errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, pair));
    }
    return [
      ...errors,
      ...validateMinDomains(constraint, `${at}.minDomains`),
      ...validateInclusion(constraint.nodeAffinityPolicy, `${at}.nodeAffinityPolicy`),
      ...validateInclusion(constraint.nodeTaintsPolicy, `${at}.nodeTaintsPolicy`),
      ...validateLabelKeys(constraint.matchLabelKeys, labelSelector, `${at}.matchLabelKeys`),
      ...validateLabelSelector(labelSelector, `${at}.labelSelector`),
    ];
  });
}

/** Keys whose values are taken from the pod's own labels need a selector to join. */
export function validateLabelKeys(
  keys: readonly string[] | undefined,
  selector: LabelSelector | undefined,
  path: string,
): FieldError[] {
  if (keys === undefined || keys.length === 0) return [];
  if (selector === undefined) {
    const detail = "must not be specified when labelSelector is not set";
    return [{ type: "Forbidden", field: path, detail }];
  }
  return keys.flatMap((key, index) => validateLabelKey(key, `${path}[${index}]`));
}

function validateMinDomains(constraint: SpreadConstraint, path: string): FieldError[] {
  const { minDomains, whenUnsatisfiable } = constraint;
  if (minDomains === undefined) return [];
  const errors = validatePositive(minDomains, path);
  if (whenUnsatisfiable === "DoNotSchedule") return errors;
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
  return [...errors, invalid(path, minDomains, detail)];
}

function validateInclusion(policy: string | undefined, path: string): FieldError[] {
  if (policy === undefined || inclusions.includes(policy)) return [];
  return [notSupported(path, policy, inclusions)];
}
