/** The rules of Deployments and ReplicaSets. */
import { forbidden, invalid, notSupported, type FieldError } from "../../api/field-error.ts";
import {
  isZero,
  validateAtMost100Percent,
  validatePositiveIntOrPercent,
  type IntOrPercent,
} from "../../api/int-or-percent.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { immutableProblem } from "../../api/problem-text.ts";
import { kindRules } from "./kind-rules.ts";
import { validateNonNegative } from "./number-rules.ts";
import { defaultPodTemplate } from "./pod-defaults.ts";
import {
  templateWarnings,
  validateCollisionCount,
  validateCounts,
  validateParts,
  validateSelector,
  validateTemplate,
  type Workload,
  type WorkloadSpec,
} from "./workload-rules.ts";

interface DeploymentSpec extends WorkloadSpec {
  strategy?: {
    type?: string;
    rollingUpdate?: { maxUnavailable?: IntOrPercent; maxSurge?: IntOrPercent };
  };
  progressDeadlineSeconds?: number;
}

export const deploymentRules = kindRules<Workload<DeploymentSpec>>({
  tracksGeneration: true,
  defaultsSpecOnly: true,
  initialStatus: () => ({}),
  applyDefaults(draft) {
    draft.spec ??= {};
    draft["status"] ??= {};
    defaultDeployment(draft.spec);
  },
  validate: ({ spec }) => [
    ...validateNonNegative(spec.replicas, "spec.replicas"),
    ...validateSelector(spec.selector, "spec.selector", "deployment"),
    ...validateTemplate(spec, "spec.template", "ReplicaSet"),
    ...validateStrategy(spec.strategy ?? {}),
    ...validateNonNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...validateNonNegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit"),
    ...validateDeadline(spec),
  ],
  validateChange: (draft, old) => validateSameSelector(draft.spec, old.spec),
  validateStatus: ({ status = {} }, old) => [
    ...validateCounts(status, [
      "observedGeneration",
      "replicas",
      "updatedReplicas",
      "readyReplicas",
      "availableReplicas",
      "unavailableReplicas",
      "terminatingReplicas",
      "collisionCount",
    ]),
    ...validateParts(
      status,
      ["updatedReplicas", "readyReplicas", "availableReplicas"],
      "readyReplicas",
    ),
    ...validateCollisionCount(status, old.status ?? {}),
  ],
  warnings: templateWarnings,
});

export const replicaSetRules = kindRules<Workload<WorkloadSpec>>({
  tracksGeneration: true,
  defaultsSpecOnly: true,
  initialStatus: () => ({ replicas: 0 }),
  applyDefaults(draft) {
    draft.spec ??= {};
    draft["status"] ??= {};
    draft.spec.replicas ??= 1;
    draft.spec.template ??= {};
    defaultPodTemplate(draft.spec.template);
  },
  validate: ({ spec }) => [
    ...validateNonNegative(spec.replicas, "spec.replicas"),
    ...validateNonNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...validateSelector(spec.selector, "spec.selector", "deployment"),
    ...validateTemplate(spec, "spec.template", "ReplicaSet"),
  ],
  validateChange: (draft, old) => validateSameSelector(draft.spec, old.spec),
  validateStatus: ({ status = {} }) => [
    ...validateCounts(status, [
      "replicas",
      "fullyLabeledReplicas",
      "readyReplicas",
      "availableReplicas",
      "observedGeneration",
      "terminatingReplicas",
    ]),
    ...validateParts(
      status,
      ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
      "readyReplicas",
    ),
  ],
  warnings: templateWarnings,
});

function defaultDeployment(spec: DeploymentSpec): void {
  spec.replicas ??= 1;
  const strategy = (spec.strategy ??= {});
  strategy.type ||= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= "25%";
    strategy.rollingUpdate.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  spec.template ??= {};
  defaultPodTemplate(spec.template);
}

function validateStrategy(strategy: NonNullable<DeploymentSpec["strategy"]>): FieldError[] {
  const path = "spec.strategy";
  const { type, rollingUpdate } = strategy;
  if (type === "Recreate") {
    if (rollingUpdate === undefined) return [];
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return [forbidden(`${path}.rollingUpdate`, detail)];
  }
  if (type !== "RollingUpdate") {
    const shown = { Type: type ?? "", RollingUpdate: null };
    return [notSupported(path, shown, ["Recreate", "RollingUpdate"])];
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const at = `${path}.rollingUpdate.maxUnavailable`;
  return [
    ...validatePositiveIntOrPercent(maxUnavailable, at),
    ...validatePositiveIntOrPercent(maxSurge, `${path}.rollingUpdate.maxSurge`),
    ...(isZero(maxUnavailable) && isZero(maxSurge)
      ? [invalid(at, maxUnavailable, "may not be 0 when `maxSurge` is 0")]
      : []),
    ...validateAtMost100Percent(maxUnavailable, at),
  ];
}

function validateDeadline(spec: DeploymentSpec): FieldError[] {
  const path = "spec.progressDeadlineSeconds";
  const seconds = spec.progressDeadlineSeconds;
  const errors = validateNonNegative(seconds, path);
  if (seconds === undefined || seconds > (spec.minReadySeconds ?? 0)) return errors;
  return [...errors, invalid(path, seconds, "must be greater than minReadySeconds")];
}

function validateSameSelector(spec: WorkloadSpec, old: WorkloadSpec): FieldError[] {
  if (semanticallyEqual(spec.selector, old.selector)) return [];
  return [invalid("spec.selector", spec.selector, immutableProblem)];
}
