/** The rules of writes to a pod's status. */
import { dns1123SubdomainProblems } from "../../api/dns-name.ts";
import { forbidden, invalid, type FieldError } from "../../api/field-error.ts";
import { qualifiedNameProblems } from "../../api/label-syntax.ts";
import { immutableProblem } from "../../api/problem-text.ts";
import { validateAddress } from "./pod-network-validation.ts";
import type { ContainerStatus, Pod, PodCondition, PodSpec, PodStatus } from "./pod-types.ts";

const systemConditions = new Set(["PodScheduled", "Ready", "Initialized"]);
const countProblem = "must be a non-negative integer";

export function validatePodStatusUpdate(pod: Pod, old: Pod): FieldError[] {
  const status = pod.status ?? {};
  const before = old.status ?? {};
  return [
    ...validateConditions(status.conditions ?? []),
    ...validateNominatedNode(status, before),
    ...((status.observedGeneration ?? 0) < 0
      ? [invalid("status.observedGeneration", status.observedGeneration, countProblem)]
      : []),
    ...(status.qosClass === before.qosClass
      ? []
      : [invalid("status.qosClass", status.qosClass ?? "", immutableProblem)]),
    ...validateTransitions(status, before, old.spec),
    ...validateAddresses(status),
  ];
}

function validateConditions(conditions: readonly PodCondition[]): FieldError[] {
  return conditions.flatMap((condition, index) => {
    const path = `status.conditions[${index}]`;
    const generation = condition.observedGeneration ?? 0;
    const errors =
      generation < 0 ? [invalid(`${path}.observedGeneration`, generation, countProblem)] : [];
    if (systemConditions.has(condition.type)) return errors;
    const problems = qualifiedNameProblems(condition.type);
    return [
      ...errors,
      ...problems.map((problem) => invalid(`${path}.Type`, condition.type, problem)),
    ];
  });
}

function validateNominatedNode(status: PodStatus, before: PodStatus): FieldError[] {
  const name = status.nominatedNodeName ?? "";
  if (name === "" || name === before.nominatedNodeName) return [];
  return dns1123SubdomainProblems(name).map((problem) =>
    invalid("status.nominatedNodeName", name, problem),
  );
}

/** A container that ended for good cannot be running again. */
function validateTransitions(status: PodStatus, before: PodStatus, spec: PodSpec): FieldError[] {
  const statuses = new Map(
    (status.containerStatuses ?? []).map((container) => [container.name, container]),
  );
  return (before.containerStatuses ?? []).flatMap((container, index) => {
    const now = statuses.get(container.name);
    const ended = container.state?.terminated;
    if (ended === undefined || now === undefined || now.state?.terminated !== undefined) return [];
    if (mayRestart(container, spec, ended.exitCode)) return [];
    const path = `status.containerStatuses[${index}].state`;
    return [forbidden(path, "may not be transitioned to non-terminated state")];
  });
}

function mayRestart(status: ContainerStatus, spec: PodSpec, exitCode: number): boolean {
  const container = spec.containers?.find(({ name }) => name === status.name);
  const policy = container?.restartPolicy ?? spec.restartPolicy ?? "Always";
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

function validateAddresses(status: PodStatus): FieldError[] {
  const errors: FieldError[] = [];
  for (const list of ["podIPs", "hostIPs"] as const) {
    const addresses = status[list] ?? [];
    const first = addresses[0]?.ip;
    if (list === "hostIPs" && first !== undefined && status.hostIP !== first) {
      errors.push(invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`"));
    }
    addresses.forEach(({ ip = "" }, index) => {
      errors.push(...validateAddress(ip, `status.${list}[${index}]`));
    });
    const families = new Set(addresses.map(({ ip = "" }) => ip.includes(":")));
    if (addresses.length > 1 && (families.size < 2 || addresses.length > 2)) {
      const detail = "may specify no more than one IP for each IP family";
      errors.push(invalid(`status.${list}`, addresses, detail));
    }
  }
  return errors;
}
