/** The priority of a pod: from its class, else from the default class, else zero. */
import type { KubeObject } from "../../api/object.ts";
import type { PodSpec } from "./pod-types.ts";

export interface PriorityClass extends KubeObject {
  value: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
}

/** Sets the priority of the pod, or returns why the pod is forbidden. `classes` are all existing classes. */
export function applyPriority(
  spec: PodSpec,
  classes: readonly PriorityClass[],
): string | undefined {
  const name = spec.priorityClassName ?? "";
  const chosen = name === "" ? defaultClass(classes) : classNamed(name, classes);
  if (name !== "" && chosen === undefined) return `no PriorityClass with name ${name} was found`;
  const priority = chosen?.value ?? 0;
  const preemption = chosen?.preemptionPolicy ?? "PreemptLowerPriority";
  if (spec.priority !== undefined && spec.priority !== priority) {
    return (
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; ` +
      `priority admission controller computed ${priority} from the given PriorityClass name`
    );
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemption) {
    return (
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; ` +
      `priority admission controller computed ${preemption} from the given PriorityClass name`
    );
  }
  if (chosen?.metadata.name !== undefined) spec.priorityClassName = chosen.metadata.name;
  spec.priority = priority;
  spec.preemptionPolicy = preemption;
  return undefined;
}

/** The classes every cluster has from the start. */
export const systemPriorityClasses: readonly PriorityClass[] = [
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "system-node-critical" },
    value: 2_000_001_000,
    description: "Used for system critical pods that must not be moved from their current node.",
    preemptionPolicy: "PreemptLowerPriority",
  },
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "system-cluster-critical" },
    value: 2_000_000_000,
    description:
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    preemptionPolicy: "PreemptLowerPriority",
  },
];

function classNamed(name: string, classes: readonly PriorityClass[]): PriorityClass | undefined {
  return classes.find((candidate) => candidate.metadata.name === name);
}

/** Of several default classes the lowest counts, so that a second one cannot raise any pod. */
function defaultClass(classes: readonly PriorityClass[]): PriorityClass | undefined {
  return classes
    .filter((candidate) => candidate.globalDefault === true)
    .toSorted((a, b) => a.value - b.value || nameOrder(a, b))[0];
}

function nameOrder(a: PriorityClass, b: PriorityClass): number {
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
