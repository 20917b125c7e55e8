/** Turns `matchLabelKeys`, whose values come from the pod itself, into plain requirements on create. */
import type { LabelSelector } from "../../api/label-selector.ts";
import type { Affinity, Pod, PodAffinityTerm } from "./pod-types.ts";

interface KeyedSelector {
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
}

export function applyLabelKeys(pod: Pod): void {
  const labels = pod.metadata.labels ?? {};
  for (const term of affinityTerms(pod.spec.affinity)) joinKeys(term, labels);
  for (const constraint of pod.spec.topologySpreadConstraints ?? []) joinKeys(constraint, labels);
}

function affinityTerms(affinity: Affinity | undefined): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((part) => [
    ...(part?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(part?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      (weighted) => weighted.podAffinityTerm,
    ),
  ]);
}

function joinKeys(term: KeyedSelector, labels: Readonly<Record<string, string>>): void {
  const selector = term.labelSelector;
  const added = [
    ...requirements(term.matchLabelKeys ?? [], "In", labels),
    ...requirements(term.mismatchLabelKeys ?? [], "NotIn", labels),
  ];
  if (selector === undefined || added.length === 0) return;
  const matchExpressions = [...(selector.matchExpressions ?? []), ...added];
  term.labelSelector = { ...selector, matchExpressions };
}

function requirements(
  keys: readonly string[],
  operator: "In" | "NotIn",
  labels: Readonly<Record<string, string>>,
): { key: string; operator: string; values: string[] }[] {
  return keys.flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
}
