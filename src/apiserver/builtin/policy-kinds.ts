/** The rules of disruption budgets, leases and priority classes. */
import { forbidden, invalid, notSupported, type FieldError } from "../../api/field-error.ts";
import {
  validateAtMost100Percent,
  validatePositiveIntOrPercent,
  type IntOrPercent,
} from "../../api/int-or-percent.ts";
import { validateLabelSelector, type LabelSelector } from "../../api/label-selector.ts";
import type { KubeObject } from "../../api/object.ts";
import { immutableProblem } from "../../api/problem-text.ts";
import { kindRules } from "./kind-rules.ts";
import { systemPriorityClasses, type PriorityClass } from "./priority.ts";
import { validateCounts, type WorkloadStatus } from "./workload-rules.ts";

interface DisruptionBudget extends KubeObject {
  spec?: {
    minAvailable?: IntOrPercent;
    maxUnavailable?: IntOrPercent;
    selector?: LabelSelector;
    unhealthyPodEvictionPolicy?: string;
  };
  status?: WorkloadStatus;
}

const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];
const highestUserPriority = 1_000_000_000;
const systemPrefix = "system-";

export const disruptionBudgetRules = kindRules<DisruptionBudget>({
  checksMetadataOnce: true,
  tracksGeneration: true,
  initialStatus: () => ({
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
  }),
  applyDefaults(draft) {
    draft.spec ??= {};
    draft.status ??= {};
  },
  validate: ({ spec = {} }) => [
    ...(spec.minAvailable !== undefined && spec.maxUnavailable !== undefined
      ? [invalid("spec", shownBudget(spec), "minAvailable and maxUnavailable cannot be both set")]
      : []),
    ...validateAmount(spec.minAvailable, "spec.minAvailable"),
    ...validateAmount(spec.maxUnavailable, "spec.maxUnavailable"),
    ...validateLabelSelector(spec.selector, "spec.selector"),
    ...validateEvictionPolicy(spec.unhealthyPodEvictionPolicy),
  ],
  validateStatus: ({ status = {} }) =>
    validateCounts(status, [
      "disruptionsAllowed",
      "currentHealthy",
      "desiredHealthy",
      "expectedPods",
    ]),
});

interface Lease extends KubeObject {
  spec?: {
    leaseDurationSeconds?: number;
    leaseTransitions?: number;
    strategy?: string;
    preferredHolder?: string;
  };
}

export const leaseRules = kindRules<Lease>({
  createsOnUpdate: true,
  applyDefaults(draft) {
    draft.spec ??= {};
  },
  prepare({ spec = {} }) {
    // Coordinated leader election is off, so its fields are silently dropped.
    delete spec.strategy;
    delete spec.preferredHolder;
  },
  validate({ spec = {} }) {
    const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = spec;
    const errors: FieldError[] = [];
    if (seconds !== undefined && seconds <= 0) {
      errors.push(invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0"));
    }
    if (transitions !== undefined && transitions < 0) {
      const detail = "must be greater than or equal to 0";
      errors.push(invalid("spec.leaseTransitions", transitions, detail));
    }
    return errors;
  },
});

export const priorityClassRules = kindRules<PriorityClass>({
  applyDefaults(draft) {
    draft.value ??= 0;
    draft.preemptionPolicy ??= "PreemptLowerPriority";
  },
  prepare(draft, old) {
    // The generation starts at 1 and never advances.
    draft.metadata.generation = old?.metadata.generation ?? 1;
  },
  validate: (draft, old) => [
    ...(old === undefined ? validatePriorityName(draft) : []),
    ...validatePreemption(draft.preemptionPolicy ?? ""),
  ],
  validateChange: (draft, old) => [
    ...(draft.value === old.value ? [] : [forbidden("value", "may not be changed in an update.")]),
    ...(draft.preemptionPolicy === old.preemptionPolicy
      ? []
      : [invalid("preemptionPolicy", draft.preemptionPolicy, immutableProblem)]),
  ],
});

function validatePriorityName({ metadata, value, globalDefault }: PriorityClass): FieldError[] {
  const name = metadata.name ?? "";
  if (!name.startsWith(systemPrefix)) {
    if (value <= highestUserPriority) return [];
    const detail = `maximum allowed value of a user defined priority is ${highestUserPriority}`;
    return [forbidden("value", detail)];
  }
  const problem = systemNameProblem(name, value, globalDefault === true);
  if (problem === undefined) return [];
  const head = `priority class names with '${systemPrefix}' prefix are reserved for system use only`;
  return [forbidden("metadata.name", `${head}. error: ${problem}`)];
}

function systemNameProblem(name: string, value: number, isDefault: boolean): string | undefined {
  const known = systemPriorityClasses.find((candidate) => candidate.metadata.name === name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known.value) {
    return `value of ${name} PriorityClass must be ${known.value}`;
  }
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validatePreemption(policy: string): FieldError[] {
  const supported = ["PreemptLowerPriority", "Never"];
  return supported.includes(policy) ? [] : [notSupported("preemptionPolicy", policy, supported)];
}

function validateAmount(amount: IntOrPercent | undefined, path: string): FieldError[] {
  if (amount === undefined) return [];
  return [...validatePositiveIntOrPercent(amount, path), ...validateAtMost100Percent(amount, path)];
}

function validateEvictionPolicy(policy: string | undefined): FieldError[] {
  if (policy === undefined || evictionPolicies.includes(policy)) return [];
  return [notSupported("spec.unhealthyPodEvictionPolicy", policy, evictionPolicies)];
}

/** The message about two bounds shows the whole spec under the server's own field names. */
function shownBudget(spec: NonNullable<DisruptionBudget["spec"]>): object {
  return {
    MinAvailable: spec.minAvailable ?? null,
    Selector: spec.selector ?? null,
    MaxUnavailable: spec.maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
  };
}
