/** The rules of pods. */
import { forbidden, type FieldError } from "../../api/field-error.ts";
import type { KubeObject } from "../../api/object.ts";
import type { KindRules } from "../served-resource.ts";
import { validateFinalizerNames } from "./builtin-meta.ts";
import { hasSameSpec } from "./kind-rules.ts";
import { defaultPodOnly, defaultPodSpec } from "./pod-defaults.ts";
import { applyLabelKeys } from "./pod-label-keys.ts";
import { podQosClass } from "./pod-qos.ts";
import { validatePodStatusUpdate } from "./pod-status.ts";
import type { Pod, PodStatus, Toleration } from "./pod-types.ts";
import { isGated, validatePodSpecUpdate } from "./pod-update.ts";
import { validateImagesOfPod, validatePodAnnotations, validatePodSpec } from "./pod-validation.ts";
import { podWarnings } from "./pod-warnings.ts";

export const podRules: KindRules = {
  tracksGeneration: true,
  sharesUnchanged: true,
  applyDefaults(draft, old) {
    draft["spec"] ??= {};
    draft["status"] ??= {};
    if (hasSameSpec(draft, old)) return;
    const pod = asPod(draft);
    defaultPodSpec(pod.spec);
    defaultPodOnly(pod.spec);
  },
  prepareForCreate(draft) {
    const pod = asPod(draft);
    tolerateNodeFailure(pod);
    pod.status = initialStatus(pod);
    applyLabelKeys(pod);
  },
  prepareForUpdate(draft, old, subresource) {
    const pod = asPod(draft);
    const before = asPod(old);
    if (subresource === "status") prepareStatus(pod, before);
    if (subresource !== undefined) return;
    pod.status = before.status;
    if (hasSameSpec(pod, before)) return;
    tolerateNodeFailure(pod);
    // Fixed at creation: a client that omits them does not mean to change them.
    pod.spec.priority ??= before.spec.priority;
    pod.spec.preemptionPolicy ??= before.spec.preemptionPolicy;
  },
  validateCreate: (draft) => validateCreate(asPod(draft)),
  validateUpdate(draft, old, subresource) {
    const pod = asPod(draft);
    const before = asPod(old);
    if (subresource === "status") {
      return [...validateFinalizerNames(pod), ...validatePodStatusUpdate(pod, before)];
    }
    return [
      ...validateFinalizerNames(pod),
      ...validatePodAnnotations(pod.metadata.annotations, pod.spec, "metadata.annotations"),
      ...validatePodSpec(pod.spec, "spec", true),
      ...validateImagesOfPod(pod.spec, "spec"),
      ...validatePodSpecUpdate(pod, before),
    ];
  },
  // People write pods only once; later writers are controllers, which do not read warnings.
  warnings: (draft, old) => (old === undefined ? podWarnings(asPod(draft).spec) : []),
};

function validateCreate(pod: Pod): FieldError[] {
  const errors = [
    ...validateFinalizerNames(pod),
    ...validatePodAnnotations(pod.metadata.annotations, pod.spec, "metadata.annotations"),
    ...validatePodSpec(pod.spec, "spec", true),
    ...validateImagesOfPod(pod.spec, "spec"),
  ];
  if ((pod.spec.ephemeralContainers ?? []).length > 0) {
    errors.push(forbidden("spec.ephemeralContainers", "cannot be set on create"));
  }
  if ((pod.spec.nodeName ?? "") !== "" && isGated(pod.spec)) {
    const detail = "cannot be set until all schedulingGates have been cleared";
    errors.push(forbidden("spec.nodeName", detail));
  }
  return errors;
}

function initialStatus(pod: Pod): PodStatus {
  const status: PodStatus = { phase: "Pending", qosClass: podQosClass(pod.spec) };
  if (!isGated(pod.spec)) return status;
  const blocked = {
    type: "PodScheduled",
    status: "False",
    lastProbeTime: null,
    lastTransitionTime: pod.metadata.creationTimestamp ?? null,
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
  return { ...status, conditions: [blocked] };
}

/** Pods tolerate a failed node for five minutes unless they say otherwise. */
function tolerateNodeFailure(pod: Pod): void {
  const given = pod.spec.tolerations ?? [];
  const added = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]
    .filter((key) => !given.some((toleration) => coversNoExecute(toleration, key)))
    .map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }));
  if (added.length > 0) pod.spec.tolerations = [...given, ...added];
}

function coversNoExecute({ key = "", effect = "" }: Toleration, taint: string): boolean {
  return (key === taint || key === "") && (effect === "NoExecute" || effect === "");
}

function prepareStatus(pod: Pod, old: Pod): void {
  pod.spec = old.spec;
  pod.metadata.ownerReferences = old.metadata.ownerReferences;
  if (old.metadata.ownerReferences === undefined) delete pod.metadata.ownerReferences;
  const status = (pod.status ??= {});
  if ((status.qosClass ?? "") === "" && old.status?.qosClass !== undefined) {
    status.qosClass = old.status.qosClass;
  }
  for (const condition of status.conditions ?? []) {
    condition.lastProbeTime ??= null;
    condition.lastTransitionTime ??= null;
  }
  mirrorAddress(status, "podIP", "podIPs");
  mirrorAddress(status, "hostIP", "hostIPs");
}

/** The single address and the first one of the list are two names of the same value. */
function mirrorAddress(
  status: PodStatus,
  single: "podIP" | "hostIP",
  list: "podIPs" | "hostIPs",
): void {
  const ip = status[single] ?? "";
  const first = status[list]?.[0]?.ip;
  if (single === "podIP" && first !== undefined && ip === "") status[single] = first;
  if (single === "podIP" && ip !== "" && first !== ip) status[list] = [{ ip }];
}

function asPod(object: KubeObject): Pod {
  return object as Pod;
}
