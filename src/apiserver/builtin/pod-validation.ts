/** Value rules of pods and pod templates, in the order Kubernetes checks and reports them. */
import { duplicate, forbidden, invalid, notSupported, required } from "../../api/field-error.ts";
import type { FieldError } from "../../api/field-error.ts";
import {
  qualifiedNameProblems,
  validateAnnotations,
  validateLabels,
} from "../../api/label-syntax.ts";
import { rangeProblem } from "../../api/problem-text.ts";
import { validateAffinity } from "./affinity-validation.ts";
import { validateContainers, validateInitContainers } from "./container-validation.ts";
import {
  validateDnsConfig,
  validateDnsPolicy,
  validateHostAliases,
  validateHostNetwork,
  validateHostnameOverride,
  validateNames,
} from "./pod-network-validation.ts";
import type { PodSpec, PodTemplate } from "./pod-types.ts";
import { validateResourceList, validateResources } from "./resource-validation.ts";
import { validateSpreadConstraints, validateTolerations } from "./scheduling-validation.ts";
import { validatePodSecurityContext } from "./security-validation.ts";
import { validateVolumes } from "./volume-validation.ts";
import { repeatedKeys } from "./repeated.ts";

const maxInt32 = 2_147_483_647;
const restartPolicies = ["Always", "OnFailure", "Never"];
const preemptionPolicies = ["PreemptLowerPriority", "Never"];
const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const mirror = "kubernetes.io/config.mirror";

/** `isPod` is false inside a template, in which controllers still fill in some fields. */
export function validatePodSpec(spec: PodSpec, path: string, isPod: boolean): FieldError[] {
  const volumes = validateVolumes(spec.volumes ?? [], `${path}.volumes`);
  const claims = spec.resourceClaims ?? [];
  const claimNames = new Set(claims.map((claim) => claim.name));
  const context = { spec, volumes: volumes.known, claimNames };
  return [
    ...volumes.errors,
    ...validateContainers(context, `${path}.containers`),
    ...validateInitContainers(context, `${path}.initContainers`),
    ...validateResources(spec.resources, `${path}.resources`),
    ...validateHostNetwork(spec, path, isPod),
    ...validateChoice(spec.restartPolicy, restartPolicies, `${path}.restartPolicy`),
    ...validateDnsPolicy(spec.dnsPolicy, `${path}.dnsPolicy`),
    ...validateLabels(spec.nodeSelector, `${path}.nodeSelector`),
    ...validatePodSecurityContext(spec, `${path}.securityContext`),
    ...validateAffinity(spec.affinity, `${path}.affinity`),
    ...validateDnsConfig(spec.dnsConfig, spec.dnsPolicy ?? "", `${path}.dnsConfig`),
    ...validateGates(spec, path),
    ...validateSpreadConstraints(
      spec.topologySpreadConstraints ?? [],
      `${path}.topologySpreadConstraints`,
    ),
    ...validateHostUsers(spec, path),
    ...validateHostnameOverride(spec, `${path}.hostnameOverride`),
    ...validateNames(spec, path),
    ...validateActiveDeadline(spec.activeDeadlineSeconds, `${path}.activeDeadlineSeconds`),
    ...validateTolerations(spec.tolerations ?? [], `${path}.tolerations`),
    ...validateHostAliases(spec, `${path}.hostAliases`),
    ...(spec.preemptionPolicy === undefined
      ? []
      : validateChoice(spec.preemptionPolicy, preemptionPolicies, `${path}.preemptionPolicy`)),
    ...validateResourceList(spec.overhead ?? {}, `${path}.overhead`),
    ...(spec.os === undefined ? [] : validateOs(spec.os.name, `${path}.os`)),
  ];
}

export function validatePodTemplate(template: PodTemplate, path: string): FieldError[] {
  const spec = template.spec ?? {};
  const annotations = template.metadata?.annotations;
  const errors = [
    ...validateLabels(template.metadata?.labels, `${path}.labels`),
    ...validateAnnotations(annotations, `${path}.annotations`),
    ...validatePodAnnotations(annotations, spec, `${path}.annotations`),
    ...validatePodSpec(spec, `${path}.spec`, false),
  ];
  if ((spec.ephemeralContainers ?? []).length > 0) {
    const detail = "ephemeral containers not allowed in pod template";
    errors.push(forbidden(`${path}.spec.ephemeralContainers`, detail));
  }
  return errors;
}

export function validatePodAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  spec: PodSpec,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const mirrored = annotations?.[mirror];
  if (mirrored !== undefined && (spec.nodeName ?? "") === "") {
    const detail = "must set spec.nodeName if mirror pod annotation is set";
    errors.push(invalid(`${path}[${mirror}]`, mirrored, detail));
  }
  const cost = annotations?.[deletionCost];
  if (cost !== undefined && !isInt32Text(cost)) {
    errors.push(invalid(`${path}[${deletionCost}]`, cost, "must be a 32bit integer"));
  }
  return errors;
}

/** The rules that hold for pods but not for templates. */
export function validateImagesOfPod(spec: PodSpec, path: string): FieldError[] {
  return (["containers", "initContainers"] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap(({ image = "" }, index) =>
      image.trim() === image
        ? []
        : [
            invalid(
              `${path}.${list}[${index}].image`,
              image,
              "must not have leading or trailing whitespace",
            ),
          ],
    ),
  );
}

function validateGates(spec: PodSpec, path: string): FieldError[] {
  const gates = (spec.schedulingGates ?? []).map((gate) => gate.name);
  const isRepeated = repeatedKeys();
  return [
    ...(spec.readinessGates ?? []).flatMap((gate, index) =>
      qualifiedNameProblems(gate.conditionType).map((problem) =>
        invalid(`${path}.readinessGates[${index}].conditionType`, gate.conditionType, problem),
      ),
    ),
    ...gates.flatMap((name, index) => {
      const at = `${path}.schedulingGates[${index}]`;
      const errors = qualifiedNameProblems(name).map((problem) => invalid(at, name, problem));
      return isRepeated(name) ? [...errors, duplicate(at, name)] : errors;
    }),
  ];
}

function validateHostUsers(spec: PodSpec, path: string): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const detail = "when `hostUsers` is false";
  const errors: FieldError[] = [];
  if (spec.hostNetwork === true) errors.push(forbidden(`${path}.hostNetwork`, detail));
  if (spec.hostPID === true) errors.push(forbidden(`${path}.HostPID`, detail));
  if (spec.hostIPC === true) errors.push(forbidden(`${path}.HostIPC`, detail));
  return errors;
}

function validateActiveDeadline(seconds: number | undefined, path: string): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= maxInt32)) return [];
  return [invalid(path, seconds, rangeProblem(1, maxInt32))];
}

function validateOs(name: string, path: string): FieldError[] {
  if (name === "") return [required(`${path}.name`)];
  const supported = ["linux", "windows"];
  return supported.includes(name) ? [] : [notSupported(path, name, supported)];
}

function validateChoice(
  value: string | undefined,
  supported: readonly string[],
  path: string,
): FieldError[] {
  if (value === undefined || value === "") return [required(path)];
  return supported.includes(value) ? [] : [notSupported(path, value, supported)];
}

function isInt32Text(text: string): boolean {
  if (!/^(0|-?[1-9][0-9]*)$/.test(text)) return false;
  const value = Number(text);
  return value >= -maxInt32 - 1 && value <= maxInt32;
}
