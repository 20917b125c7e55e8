/** The rules of StatefulSets. */
import { dns1123LabelProblems } from "../../api/dns-name.ts";
import { forbidden, invalid, notSupported, required } from "../../api/field-error.ts";
import type { FieldError } from "../../api/field-error.ts";
import {
  isZero,
  validateAtMost100Percent,
  validatePositiveIntOrPercent,
  type IntOrPercent,
} from "../../api/int-or-percent.ts";
import { validateAnnotations, validateLabels } from "../../api/label-syntax.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { defaultClaimSpec, validateClaimSpec } from "./claim-spec.ts";
import { kindRules } from "./kind-rules.ts";
import { validateNonNegative } from "./number-rules.ts";
import { defaultPodTemplate } from "./pod-defaults.ts";
import type { ClaimSpec, PodTemplate } from "./pod-types.ts";
import { validatePodTemplate } from "./pod-validation.ts";
import {
  templateWarnings,
  validateCollisionCount,
  validateCounts,
  validateAlwaysRestarts,
  validateParts,
  validateSelector,
  unreadableSelector,
  validateTemplateLabels,
  type Workload,
  type WorkloadSpec,
} from "./workload-rules.ts";

interface RollingUpdate {
  partition?: number;
  maxUnavailable?: IntOrPercent;
}

interface ClaimTemplate {
  apiVersion?: string;
  kind?: string;
  metadata?: { name?: string };
  spec?: ClaimSpec;
  status?: { phase?: string };
}

interface StatefulSetSpec extends WorkloadSpec {
  podManagementPolicy?: string;
  serviceName?: string;
  updateStrategy?: { type?: string; rollingUpdate?: RollingUpdate };
  persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
  ordinals?: { start?: number };
  volumeClaimTemplates?: ClaimTemplate[];
}

type StatefulSet = Workload<StatefulSetSpec>;

const mutableFields = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
] as const;
const retentions = ["Retain", "Delete"];
const parts = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];

export const statefulSetRules = kindRules<StatefulSet>({
  tracksGeneration: true,
  defaultsSpecOnly: true,
  checkName: dns1123LabelProblems,
  initialStatus: () => ({ replicas: 0, availableReplicas: 0 }),
  applyDefaults(draft) {
    draft.spec ??= {};
    draft["status"] ??= {};
    defaultSpec(draft.spec);
  },
  validate: (draft, old) => validateSpec(draft.spec, old === undefined),
  validateChange: (draft, old) => validateImmutableFields(draft.spec, old.spec),
  validateStatus: ({ status = {} }, old) => [
    ...validateCounts(status, ["replicas", ...parts, "observedGeneration", "collisionCount"]),
    ...validateParts(status, parts, "status.readyReplicas"),
    ...validateCollisionCount(status, old.status ?? {}),
  ],
  warnings: (draft, old) => [...templateWarnings(draft, old), ...historyWarnings(draft)],
});

function defaultSpec(spec: StatefulSetSpec): void {
  spec.podManagementPolicy ||= "OrderedReady";
  defaultStrategy((spec.updateStrategy ??= {}));
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ||= "Retain";
  retention.whenScaled ||= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  spec.template ??= {};
  defaultPodTemplate(spec.template);
  for (const claim of spec.volumeClaimTemplates ?? []) defaultClaimTemplate(claim);
}

function defaultStrategy(strategy: NonNullable<StatefulSetSpec["updateStrategy"]>): void {
  if ((strategy.type ?? "") === "") {
    strategy.type = "RollingUpdate";
    strategy.rollingUpdate ??= {};
  }
  // An explicit type without a block gets no block: defaults apply only inside an existing one.
  if (strategy.type !== "RollingUpdate" || strategy.rollingUpdate === undefined) return;
  strategy.rollingUpdate.partition ??= 0;
  strategy.rollingUpdate.maxUnavailable ??= 1;
}

function defaultClaimTemplate(claim: ClaimTemplate): void {
  claim.apiVersion = "v1";
  claim.kind = "PersistentVolumeClaim";
  claim.spec ??= {};
  defaultClaimSpec(claim.spec);
  claim.status ??= {};
  claim.status.phase ||= "Pending";
}

function validateSpec(spec: StatefulSetSpec, isNew: boolean): FieldError[] {
  return [
    ...validatePolicy(spec.podManagementPolicy ?? ""),
    ...validateStrategy(spec),
    ...validateRetention(spec),
    ...(isNew ? validateClaimTemplates(spec) : []),
    ...validateNonNegative(spec.replicas, "spec.replicas"),
    ...validateNonNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...validateNonNegative(spec.ordinals?.start, "spec.ordinals.start"),
    ...(isNew ? validateServiceName(spec.serviceName ?? "") : []),
    ...validateSelector(spec.selector, "spec.selector", "statefulset"),
    ...validateSetTemplate(spec, "spec.template"),
  ];
}

function validateSetTemplate(spec: StatefulSetSpec, path: string): readonly FieldError[] {
  const unreadable = unreadableSelector(spec.selector);
  if (unreadable.length > 0) return unreadable;
  const template = spec.template ?? {};
  return [
    ...validateTemplateLabels(spec, path),
    // A StatefulSet checks these itself, before it checks them again with the template.
    ...validateLabels(template.metadata?.labels, `${path}.labels`),
    ...validateAnnotations(template.metadata?.annotations, `${path}.annotations`),
    ...validatePodTemplate(templateWithClaims(spec), path),
    ...validateAlwaysRestarts(template, path, "StatefulSet"),
  ];
}

function validatePolicy(policy: string): FieldError[] {
  const path = "spec.podManagementPolicy";
  if (policy === "") return [required(path)];
  if (policy === "OrderedReady" || policy === "Parallel") return [];
  return [invalid(path, policy, "must be 'OrderedReady' or 'Parallel'")];
}

function validateStrategy({ updateStrategy = {} }: StatefulSetSpec): FieldError[] {
  const path = "spec.updateStrategy";
  const { type, rollingUpdate } = updateStrategy;
  if (type === "RollingUpdate") {
    return rollingUpdate === undefined
      ? []
      : validateRollingUpdate(rollingUpdate, `${path}.rollingUpdate`);
  }
  if (type === "OnDelete") {
    if (rollingUpdate === undefined) return [];
    const shown = {
      Partition: rollingUpdate.partition ?? 0,
      MaxUnavailable: rollingUpdate.maxUnavailable ?? null,
    };
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    return [invalid(`${path}.rollingUpdate`, shown, detail)];
  }
  const shown = { Type: type ?? "", RollingUpdate: null };
  return [invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'")];
}

function validateRollingUpdate(rollingUpdate: RollingUpdate, path: string): FieldError[] {
  const { partition, maxUnavailable } = rollingUpdate;
  const errors = validateNonNegative(partition, `${path}.partition`);
  if (maxUnavailable === undefined) return errors;
  const at = `${path}.maxUnavailable`;
  return [
    ...errors,
    ...validatePositiveIntOrPercent(maxUnavailable, at),
    ...(isZero(maxUnavailable) ? [invalid(at, maxUnavailable, "cannot be 0")] : []),
    ...validateAtMost100Percent(maxUnavailable, at),
  ];
}

function validateRetention(spec: StatefulSetSpec): FieldError[] {
  const policy = spec.persistentVolumeClaimRetentionPolicy ?? {};
  return (["whenDeleted", "whenScaled"] as const).flatMap((field) => {
    const value = policy[field] ?? "";
    const path = `spec.persistentVolumeClaimRetentionPolicy.${field}`;
    return retentions.includes(value) ? [] : [notSupported(path, value, retentions)];
  });
}

function validateClaimTemplates(spec: StatefulSetSpec): FieldError[] {
  return (spec.volumeClaimTemplates ?? []).flatMap((claim, index) =>
    validateClaimSpec(claim.spec ?? {}, `spec.volumeClaimTemplates[${index}].spec`),
  );
}

function validateServiceName(name: string): FieldError[] {
  if (name === "") return [];
  return dns1123LabelProblems(name).map((problem) => invalid("spec.serviceName", name, problem));
}

/** Pods will mount the claims as volumes, and get hostname and subdomain from the set. */
function templateWithClaims({
  template = {},
  volumeClaimTemplates = [],
}: StatefulSetSpec): PodTemplate {
  const { hostname: _hostname, subdomain: _subdomain, ...spec } = template.spec ?? {};
  const names = new Set(volumeClaimTemplates.map((claim) => claim.metadata?.name ?? ""));
  const claims = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = (spec.volumes ?? []).filter((volume) => !names.has(volume.name));
  if (claims.length === 0) return { ...template, spec };
  return { ...template, spec: { ...spec, volumes: [...claims, ...others] } };
}

function validateImmutableFields(spec: StatefulSetSpec, old: StatefulSetSpec): FieldError[] {
  const undone = { ...spec };
  for (const field of mutableFields) Object.assign(undone, { [field]: old[field] });
  if (semanticallyEqual(undone, old)) return [];
  const listed = mutableFields.map((field) => `'${field}'`);
  const named = `${listed.slice(0, -1).join(", ")} and ${listed.at(-1)}`;
  const detail = `updates to statefulset spec for fields other than ${named} are forbidden`;
  return [forbidden("spec", detail)];
}

function historyWarnings({ spec }: StatefulSet): string[] {
  if ((spec.revisionHistoryLimit ?? 0) >= 0) return [];
  return [
    "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
  ];
}
