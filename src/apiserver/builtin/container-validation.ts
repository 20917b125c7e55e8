/** Value rules of containers. */
import { dns1123LabelProblems } from "../../api/dns-name.ts";
import { duplicate, forbidden, invalid, notSupported, required } from "../../api/field-error.ts";
import type { FieldError } from "../../api/field-error.ts";
import { portNameProblems, portProblems } from "../../api/value-format.ts";
import { validateEnv, validateEnvFrom } from "./env-validation.ts";
import {
  validateVolumeDevices,
  validateVolumeMounts,
  type KnownVolumes,
} from "./mount-validation.ts";
import type { Container, ContainerPort, PodSpec } from "./pod-types.ts";
import { validateHooks } from "./probe-validation.ts";
import { validateResources } from "./resource-validation.ts";
import { validateSecurityContext } from "./security-validation.ts";
import { repeatedKeys } from "./repeated.ts";

const pullPolicies = ["Always", "IfNotPresent", "Never"];
const messagePolicies = ["File", "FallbackToLogsOnError"];
const protocols = ["SCTP", "TCP", "UDP"];
const restartPolicies = ["Always", "Never", "OnFailure"];
const resizeResources = ["cpu", "memory"];
const resizePolicies = ["NotRequired", "RestartContainer"];
const hookFields = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;

export interface PodContext {
  readonly spec: PodSpec;
  readonly volumes: KnownVolumes;
  readonly claimNames: ReadonlySet<string>;
}

export function validateContainers(pod: PodContext, path: string): FieldError[] {
  const containers = pod.spec.containers ?? [];
  if (containers.length === 0) return [required(path)];
  const isRepeated = repeatedKeys();
  const errors = containers.flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const repeated = isRepeated(container.name);
    return [
      ...validateContainer(container, at, pod),
      ...(repeated ? [duplicate(`${at}.name`, container.name)] : []),
      ...validateHooks(container, at, pod.spec.terminationGracePeriodSeconds),
      ...validateRestartPolicy(container, at),
    ];
  });
  return [...errors, ...validateHostPorts(containers, path)];
}

export function validateInitContainers(pod: PodContext, path: string): FieldError[] {
  const taken = new Set((pod.spec.containers ?? []).map((container) => container.name));
  return (pod.spec.initContainers ?? []).flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const errors = [
      ...validateContainer(container, at, pod),
      ...validateRestartPolicy(container, at),
    ];
    if (taken.has(container.name)) errors.push(duplicate(`${at}.name`, container.name));
    taken.add(container.name);
    errors.push(...validateHostPorts([container], path));
    if (container.restartPolicy === "Always") {
      return [...errors, ...validateHooks(container, at, pod.spec.terminationGracePeriodSeconds)];
    }
    const detail = "may not be set for init containers without restartPolicy=Always";
    for (const field of hookFields) {
      if (container[field] !== undefined) errors.push(forbidden(`${at}.${field}`, detail));
    }
    return errors;
  });
}

function validateContainer(container: Container, path: string, pod: PodContext): FieldError[] {
  return [
    ...validateIdentity(container, path),
    ...validatePorts(container.ports ?? [], `${path}.ports`),
    ...validateEnv(container.env ?? [], `${path}.env`),
    ...validateEnvFrom(container.envFrom ?? [], `${path}.envFrom`),
    ...validateVolumeMounts(container, `${path}.volumeMounts`, pod.volumes),
    ...validateVolumeDevices(container, `${path}.volumeDevices`, pod.volumes),
    ...(pullPolicies.includes(container.imagePullPolicy ?? "")
      ? []
      : [notSupported(`${path}.imagePullPolicy`, container.imagePullPolicy ?? "", pullPolicies)]),
    ...validateResources(container.resources, `${path}.resources`, pod.claimNames),
    ...validateResizePolicy(container, `${path}.resizePolicy`, pod.spec.restartPolicy),
    ...validateSecurityContext(container.securityContext, `${path}.securityContext`),
  ];
}

function validateIdentity(container: Container, path: string): FieldError[] {
  const { name, image = "", terminationMessagePolicy = "" } = container;
  const errors =
    name === ""
      ? [required(`${path}.name`)]
      : dns1123LabelProblems(name).map((problem) => invalid(`${path}.name`, name, problem));
  if (image === "") errors.push(required(`${path}.image`));
  if (!messagePolicies.includes(terminationMessagePolicy)) {
    const at = `${path}.terminationMessagePolicy`;
    errors.push(notSupported(at, terminationMessagePolicy, messagePolicies));
  }
  return errors;
}

function validatePorts(ports: readonly ContainerPort[], path: string): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `${path}[${index}]`;
    const errors = validatePortName(port.name ?? "", at, names);
    if (port.containerPort === 0) errors.push(required(`${at}.containerPort`));
    else {
      for (const problem of portProblems(port.containerPort)) {
        errors.push(invalid(`${at}.containerPort`, port.containerPort, problem));
      }
    }
    const hostPort = port.hostPort ?? 0;
    for (const problem of hostPort === 0 ? [] : portProblems(hostPort)) {
      errors.push(invalid(`${at}.hostPort`, hostPort, problem));
    }
    const protocol = port.protocol ?? "";
    if (!protocols.includes(protocol)) {
      errors.push(notSupported(`${at}.protocol`, protocol, protocols));
    }
    return errors;
  });
}

function validatePortName(name: string, path: string, taken: Set<string>): FieldError[] {
  if (name === "") return [];
  const problems = portNameProblems(name);
  if (problems.length > 0) return problems.map((problem) => invalid(`${path}.name`, name, problem));
  if (taken.has(name)) return [duplicate(`${path}.name`, name)];
  taken.add(name);
  return [];
}

function validateHostPorts(containers: readonly Container[], path: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    (container.ports ?? []).flatMap((port, portIndex) => {
      if ((port.hostPort ?? 0) === 0) return [];
      const key = `${port.protocol}/${port.hostIP ?? ""}/${port.hostPort}`;
      const at = `${path}[${index}].ports[${portIndex}].hostPort`;
      if (taken.has(key)) return [duplicate(at, key)];
      taken.add(key);
      return [];
    }),
  );
}

function validateResizePolicy(
  container: Container,
  path: string,
  podRestartPolicy: string | undefined,
): FieldError[] {
  const policies = container.resizePolicy ?? [];
  const names = policies.map((policy) => policy.resourceName);
  return policies.flatMap((policy, index) => {
    const { resourceName, restartPolicy } = policy;
    const errors: FieldError[] = [];
    if (names.indexOf(resourceName) < index) {
      errors.push(duplicate(`${path}[${index}]`, resourceName));
    }
    if (!resizeResources.includes(resourceName)) {
      errors.push(notSupported(path, resourceName, resizeResources));
    }
    if (!resizePolicies.includes(restartPolicy)) {
      errors.push(notSupported(path, restartPolicy, resizePolicies));
    }
    if (podRestartPolicy === "Never" && restartPolicy !== "NotRequired") {
      const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      errors.push(invalid(path, restartPolicy, detail));
    }
    return errors;
  });
}

function validateRestartPolicy(container: Container, path: string): FieldError[] {
  const { restartPolicy, restartPolicyRules = [] } = container;
  const at = `${path}.restartPolicy`;
  if (restartPolicy === undefined) {
    if (restartPolicyRules.length === 0) return [];
    return [required(at, "must specify restartPolicy when restart rules are used")];
  }
  if (restartPolicies.includes(restartPolicy)) return [];
  return [notSupported(at, restartPolicy, restartPolicies)];
}
