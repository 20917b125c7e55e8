/** Value rules of security contexts. */
import { invalid, notSupported, required, type FieldError } from "../../api/field-error.ts";
import { idProblems } from "../../api/value-format.ts";
import { validateDescendingPath } from "./mount-validation.ts";
import type { PodSecurityContext, PodSpec, SeccompProfile, SecurityContext } from "./pod-types.ts";

const seccompTypes = ["Localhost", "RuntimeDefault", "Unconfined"];
const groupChangePolicies = ["Always", "OnRootMismatch"];
const supplementalPolicies = ["Merge", "Strict"];
const sysctlPattern = /^[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;

export function validateSecurityContext(
  context: SecurityContext | undefined,
  path: string,
): FieldError[] {
  if (context === undefined) return [];
  const errors = [
    ...validateId(context.runAsUser, `${path}.runAsUser`),
    ...validateId(context.runAsGroup, `${path}.runAsGroup`),
    ...validateSeccomp(context.seccompProfile, `${path}.seccompProfile`),
  ];
  if (context.allowPrivilegeEscalation !== false) return errors;
  if (context.privileged === true) {
    const detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
    errors.push(invalid(path, context, detail));
  }
  if (context.capabilities?.add?.includes("CAP_SYS_ADMIN") === true) {
    const detail =
      "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
    errors.push(invalid(path, context, detail));
  }
  return errors;
}

export function validatePodSecurityContext(spec: PodSpec, path: string): FieldError[] {
  const context = spec.securityContext ?? {};
  const errors = [
    ...validateId(context.fsGroup, `${path}.fsGroup`),
    ...validateId(context.runAsUser, `${path}.runAsUser`),
    ...validateId(context.runAsGroup, `${path}.runAsGroup`),
    ...(context.supplementalGroups ?? []).flatMap((group, index) =>
      validateId(group, `${path}.supplementalGroups[${index}]`),
    ),
  ];
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const detail = "ShareProcessNamespace and HostPID cannot both be enabled";
    errors.push(invalid(`${path}.shareProcessNamespace`, true, detail));
  }
  return [...errors, ...validateSysctls(context, path), ...validatePolicies(context, path)];
}

function validateSysctls(context: PodSecurityContext, path: string): FieldError[] {
  const names = (context.sysctls ?? []).map((sysctl) => sysctl.name);
  return names.flatMap((name, index): FieldError[] => {
    const at = `${path}.sysctls[${index}].name`;
    if (name === "") return [required(at)];
    if (name.length > 253 || !sysctlPattern.test(name)) {
      const detail = `must have at most 253 characters and match regex ${sysctlPattern.source}`;
      return [invalid(at, name, detail)];
    }
    return names.indexOf(name) < index ? [{ type: "Duplicate", field: at, value: name }] : [];
  });
}

function validatePolicies(context: PodSecurityContext, path: string): FieldError[] {
  const { fsGroupChangePolicy, supplementalGroupsPolicy } = context;
  const errors: FieldError[] = [];
  if (fsGroupChangePolicy !== undefined && !groupChangePolicies.includes(fsGroupChangePolicy)) {
    const at = `${path}.fsGroupChangePolicy`;
    errors.push(notSupported(at, fsGroupChangePolicy, groupChangePolicies));
  }
  errors.push(...validateSeccomp(context.seccompProfile, `${path}.seccompProfile`));
  if (
    supplementalGroupsPolicy !== undefined &&
    !supplementalPolicies.includes(supplementalGroupsPolicy)
  ) {
    const at = `${path}.supplementalGroupsPolicy`;
    errors.push(notSupported(at, supplementalGroupsPolicy, supplementalPolicies));
  }
  return errors;
}

function validateSeccomp(profile: SeccompProfile | undefined, path: string): FieldError[] {
  if (profile === undefined) return [];
  const errors: FieldError[] = [];
  if (profile.type === "") {
    errors.push(required(`${path}.type`, "type is required when seccompProfile is set"));
  } else if (!seccompTypes.includes(profile.type)) {
    errors.push(notSupported(`${path}.type`, profile.type, seccompTypes));
  }
  const at = `${path}.localhostProfile`;
  const localhost = profile.localhostProfile;
  if (profile.type === "Localhost") {
    return localhost === undefined
      ? [...errors, required(at, "must be set when seccomp type is Localhost")]
      : [...errors, ...validateDescendingPath(localhost, at)];
  }
  if (localhost === undefined) return errors;
  return [...errors, invalid(at, profile, "can only be set when seccomp type is Localhost")];
}

function validateId(id: number | undefined, path: string): FieldError[] {
  return id === undefined ? [] : idProblems(id).map((problem) => invalid(path, id, problem));
}
