/** The constraints between a pod and a single node: name, labels, taints. */
import type { Node, Taint } from "../../api/node.ts";
import { requirementMatches } from "../../api/label-selector.ts";
import type { NodeSelectorRequirement, NodeSelectorTerm, Pod, Toleration } from "../../api/pod.ts";

/** Whether the node has what `nodeSelector` and the required node affinity ask for. */
export function matchesNodeRules(pod: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const wanted = Object.entries(pod.spec.nodeSelector ?? {});
  if (!wanted.every(([key, value]) => labels[key] === value)) return false;
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return true;
  return required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** The sum of the weights of the preferred terms that the node matches. */
export function preferredNodeWeight(pod: Pod, node: Node): number {
  const preferred =
    pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return preferred
    .filter(({ preference }) => matchesTerm(preference, node))
    .reduce((total, { weight }) => total + weight, 0);
}

/** A term without any requirement matches no node. */
export function matchesTerm(term: NodeSelectorTerm, node: Node): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length + matchFields.length === 0) return false;
  const fields = { "metadata.name": node.metadata.name ?? "" };
  return (
    matchExpressions.every((each) => matchesRequirement(each, node.metadata.labels ?? {})) &&
    matchFields.every((each) => matchesRequirement(each, fields))
  );
}

function matchesRequirement(
  { key, operator, values = [] }: NodeSelectorRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? Number(labels[key]) : Number.NaN;
  switch (operator) {
    // Node selectors also compare numbers; a value that is not a number never matches.
    case "Gt":
      return value > Number(values[0]);
    case "Lt":
      return value < Number(values[0]);
    case "In":
    case "NotIn":
    case "Exists":
    case "DoesNotExist":
      return requirementMatches({ key, operator, values }, labels);
  }
}

/** The first taint that keeps the pod away. */
export function untoleratedTaint(pod: Pod, node: Node): Taint | undefined {
  return node.spec?.taints?.find(
    (taint) => taint.effect !== "PreferNoSchedule" && !isTolerated(pod.spec.tolerations, taint),
  );
}

export function unwelcomeTaints(pod: Pod, node: Node): number {
  const soft = node.spec?.taints?.filter(({ effect }) => effect === "PreferNoSchedule") ?? [];
  return soft.filter((taint) => !isTolerated(pod.spec.tolerations, taint)).length;
}

function isTolerated(tolerations: readonly Toleration[] = [], taint: Taint): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint));
}

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = "", operator = "Equal", value = "", effect = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return key !== "" && value === (taint.value ?? "");
}

export const unschedulableTaint: Taint = {
  key: "node.kubernetes.io/unschedulable",
  effect: "NoSchedule",
};
