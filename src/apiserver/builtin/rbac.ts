/** The rules of roles and their bindings. */
import { dns1123SubdomainProblems, pathSegmentProblems } from "../../api/dns-name.ts";
import { invalid, notSupported, required, type FieldError } from "../../api/field-error.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { validateLabelSelector, type LabelSelector } from "../../api/label-selector.ts";
import type { KubeObject } from "../../api/object.ts";
import type { KindRules } from "../served-resource.ts";
import { kindRules } from "./kind-rules.ts";

const rbacGroup = "rbac.authorization.k8s.io";

interface PolicyRule {
  verbs?: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

interface Role extends KubeObject {
  rules?: PolicyRule[] | null;
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
}

interface Subject {
  kind: string;
  name: string;
  apiGroup?: string;
  namespace?: string;
}

interface Binding extends KubeObject {
  subjects?: Subject[];
  roleRef: { apiGroup?: string; kind: string; name: string };
}

export const roleRules = rulesOfRole(true);
export const clusterRoleRules = rulesOfRole(false);
export const roleBindingRules = rulesOfBinding(true);
export const clusterRoleBindingRules = rulesOfBinding(false);

function rulesOfRole(namespaced: boolean): KindRules {
  return kindRules<Role>({
    checkName: pathSegmentProblems,
    createsOnUpdate: true,
    applyDefaults(draft) {
      draft.rules ??= null;
    },
    validate: ({ rules, aggregationRule }) => [
      ...(rules ?? []).flatMap((rule, index) =>
        validatePolicyRule(rule, `rules[${index}]`, namespaced),
      ),
      ...validateAggregation(aggregationRule),
    ],
  });
}

function rulesOfBinding(namespaced: boolean): KindRules {
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  return kindRules<Binding>({
    checkName: pathSegmentProblems,
    createsOnUpdate: true,
    applyDefaults(draft) {
      draft.roleRef ??= { kind: "", name: "" };
      draft.roleRef.apiGroup ||= rbacGroup;
      for (const subject of draft.subjects ?? []) defaultSubject(subject);
    },
    validate: ({ roleRef, subjects = [] }) => [
      ...validateRoleRef(roleRef, kinds),
      ...subjects.flatMap((subject, index) =>
        validateSubject(subject, `subjects[${index}]`, namespaced),
      ),
    ],
    validateChange: (draft, old) => {
      if (semanticallyEqual(draft.roleRef, old.roleRef)) return [];
      const { apiGroup = "", kind, name } = draft.roleRef;
      const shown = { APIGroup: apiGroup, Kind: kind, Name: name };
      return [invalid("roleRef", shown, "cannot change roleRef")];
    },
  });
}

function defaultSubject(subject: Subject): void {
  if ((subject.apiGroup ?? "") !== "") return;
  if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup = rbacGroup;
}

function validatePolicyRule(rule: PolicyRule, path: string, namespaced: boolean): FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], nonResourceURLs: urls = [] } = rule;
  const errors: FieldError[] = [];
  if (verbs.length === 0) {
    errors.push(required(`${path}.verbs`, "verbs must contain at least one value"));
  }
  if (urls.length > 0) {
    const at = `${path}.nonResourceURLs`;
    if (namespaced) {
      errors.push(invalid(at, urls, "namespaced rules cannot apply to non-resource URLs"));
    }
    if (apiGroups.length + resources.length + (rule.resourceNames ?? []).length > 0) {
      const detail = "rules cannot apply to both regular resources and non-resource URLs";
      errors.push(invalid(at, urls, detail));
    }
    return errors;
  }
  if (apiGroups.length === 0) {
    const detail = "resource rules must supply at least one api group";
    errors.push(required(`${path}.apiGroups`, detail));
  }
  if (resources.length === 0) {
    errors.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
  }
  return errors;
}

function validateAggregation(aggregation: Role["aggregationRule"]): FieldError[] {
  if (aggregation === undefined) return [];
  const path = "aggregationRule.clusterRoleSelectors";
  const selectors = aggregation.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    const detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
    return [required(path, detail)];
  }
  return selectors.flatMap((selector, index) =>
    validateLabelSelector(selector, `${path}[${index}]`),
  );
}

function validateRoleRef(reference: Binding["roleRef"], kinds: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  if (reference.apiGroup !== rbacGroup) {
    errors.push(notSupported("roleRef.apiGroup", reference.apiGroup ?? "", [rbacGroup]));
  }
  if (!kinds.includes(reference.kind)) {
    errors.push(notSupported("roleRef.kind", reference.kind, kinds));
  }
  if (reference.name === "") return [...errors, required("roleRef.name")];
  const problems = pathSegmentProblems(reference.name);
  return [
    ...errors,
    ...problems.map((problem) => invalid("roleRef.name", reference.name, problem)),
  ];
}

function validateSubject(subject: Subject, path: string, namespaced: boolean): FieldError[] {
  const { kind, name, apiGroup = "", namespace = "" } = subject;
  const errors = name === "" ? [required(`${path}.name`)] : [];
  if (kind === "ServiceAccount") {
    for (const problem of name === "" ? [] : dns1123SubdomainProblems(name)) {
      errors.push(invalid(`${path}.name`, name, problem));
    }
    if (apiGroup !== "") errors.push(notSupported(`${path}.apiGroup`, apiGroup, [""]));
    if (!namespaced && namespace === "") errors.push(required(`${path}.namespace`));
    return errors;
  }
  if (kind !== "User" && kind !== "Group") {
    return [...errors, notSupported(`${path}.kind`, kind, ["ServiceAccount", "User", "Group"])];
  }
  if (apiGroup === rbacGroup) return errors;
  return [...errors, notSupported(`${path}.apiGroup`, apiGroup, [rbacGroup])];
}
