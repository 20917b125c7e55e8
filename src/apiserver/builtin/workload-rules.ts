/** What StatefulSets, Deployments and ReplicaSets have in common. */
import { forbidden, invalid, notSupported, required } from "../../api/field-error.ts";
import type { FieldError } from "../../api/field-error.ts";
import {
  isEmptySelector,
  selectorMatches,
  validateLabelSelector,
  type LabelSelector,
} from "../../api/label-selector.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import type { KubeObject } from "../../api/object.ts";
import { validateNonNegative } from "./number-rules.ts";
import type { PodTemplate } from "./pod-types.ts";
import { validatePodTemplate } from "./pod-validation.ts";
import { podWarnings } from "./pod-warnings.ts";

export interface WorkloadSpec {
  replicas?: number;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  selector?: LabelSelector;
  template?: PodTemplate;
}

export interface WorkloadStatus {
  replicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  collisionCount?: number;
  [count: string]: unknown;
}

export interface Workload<S extends WorkloadSpec> extends KubeObject {
  spec: S;
  status?: WorkloadStatus;
}

/** `noun` is what the message about an empty selector calls the kind. */
export function validateSelector(
  selector: LabelSelector | undefined,
  path: string,
  noun: string,
): FieldError[] {
  if (selector === undefined) return [required(path)];
  const errors = validateLabelSelector(selector, path);
  if (!isEmptySelector(selector)) return errors;
  return [...errors, invalid(path, selector, `empty selector is invalid for ${noun}`)];
}

/** The selector of a workload must match the pods of its template. */
export function validateTemplateLabels(
  spec: { readonly selector?: LabelSelector; readonly template?: PodTemplate },
  path: string,
): FieldError[] {
  const { selector } = spec;
  const labels = spec.template?.metadata?.labels;
  // No selector selects nothing, an empty one is refused elsewhere.
  const isEmpty = selector !== undefined && isEmptySelector(selector);
  if (isEmpty || selectorMatches(selector, labels)) return [];
  const shown = labels === undefined ? null : sortedByKey(labels);
  return [invalid(`${path}.metadata.labels`, shown, "`selector` does not match template `labels`")];
}

/** Nothing is said about a template whose selector cannot be read. */
export function unreadableSelector(
  selector: LabelSelector | undefined,
  detail?: string,
): readonly FieldError[] {
  if (selector === undefined || validateLabelSelector(selector, "").length === 0) return [];
  return [{ type: "Invalid", field: "spec.selector", value: selector, detail }];
}

export function validateTemplate(spec: WorkloadSpec, path: string, noun: string): FieldError[] {
  const unreadable = unreadableSelector(spec.selector, "invalid label selector");
  if (unreadable.length > 0) return [...unreadable];
  const template = spec.template ?? {};
  return [
    ...validateTemplateLabels(spec, path),
    ...validatePodTemplate(template, path),
    ...validateAlwaysRestarts(template, path, noun),
  ];
}

/** Workloads keep their pods running; pods that end by themselves belong elsewhere. */
export function validateAlwaysRestarts(
  template: PodTemplate,
  path: string,
  noun: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const policy = template.spec?.restartPolicy ?? "";
  if (policy !== "Always") {
    errors.push(notSupported(`${path}.spec.restartPolicy`, policy, ["Always"]));
  }
  if (template.spec?.activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${noun} is not Supported`;
    errors.push(forbidden(`${path}.spec.activeDeadlineSeconds`, detail));
  }
  return errors;
}

export function validateCounts(status: WorkloadStatus, fields: readonly string[]): FieldError[] {
  return fields.flatMap((field) =>
    validateNonNegative(status[field] as number | undefined, `status.${field}`),
  );
}

/** No counter may exceed the total. `ready` is the field name in the message. */
export function validateParts(
  status: WorkloadStatus,
  parts: readonly string[],
  ready: "readyReplicas" | "status.readyReplicas",
): FieldError[] {
  return [
    ...validateAtMost(status, parts, {
      field: "replicas",
      detail: "cannot be greater than status.replicas",
    }),
    ...validateAtMost(status, ["availableReplicas"], {
      field: "readyReplicas",
      detail: `cannot be greater than ${ready}`,
    }),
  ];
}

function validateAtMost(
  status: WorkloadStatus,
  fields: readonly string[],
  limit: { readonly field: string; readonly detail: string },
): FieldError[] {
  const most = (status[limit.field] as number | undefined) ?? 0;
  return fields.flatMap((field) => {
    const count = (status[field] as number | undefined) ?? 0;
    return count > most ? [invalid(`status.${field}`, count, limit.detail)] : [];
  });
}

export function validateCollisionCount(status: WorkloadStatus, old: WorkloadStatus): FieldError[] {
  const count = status.collisionCount ?? 0;
  if (count >= (old.collisionCount ?? 0)) return [];
  return [invalid("status.collisionCount", count, "cannot be decremented")];
}

export function templateWarnings(
  draft: KubeObject & { spec: WorkloadSpec },
  old?: KubeObject & { spec: WorkloadSpec },
): string[] {
  if (old !== undefined && semanticallyEqual(draft.spec, old.spec)) return [];
  return podWarnings(draft.spec.template?.spec ?? {}, "spec.template.spec");
}

function sortedByKey(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
