/** The pod selectors of affinity terms and topology spread constraints, comparable by their id. */
import type { LabelSelector } from "../../api/label-selector.ts";
import { selectorMatches } from "../../api/label-selector.ts";
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from "../../api/pod.ts";

export interface PodMatcher {
  /** Equal for matchers that match the same pods. */
  readonly id: string;
  readonly selector: LabelSelector | undefined;
  /** Undefined stands for all namespaces. */
  readonly namespaces: ReadonlySet<string> | undefined;
  /** Terminating pods do not count in topology spread, but do in affinity. */
  readonly ignoresTerminating: boolean;
  /** A label that every matching pod has, `key=value`; empty if there is none. */
  readonly bucket: string;
}

/** Names of the namespaces that a selector selects. */
export type NamespacesBySelector = (selector: LabelSelector) => readonly string[];

export function affinityMatcher(
  pod: Pod,
  term: PodAffinityTerm,
  namespacesBySelector: NamespacesBySelector,
): PodMatcher {
  const { namespaceSelector, namespaces = [], matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const own = pod.metadata.labels ?? {};
  const selector = withKeys(
    withKeys(term.labelSelector, own, { keys: matchLabelKeys, operator: "In" }),
    own,
    { keys: mismatchLabelKeys, operator: "NotIn" },
  );
  if (namespaceSelector !== undefined && isEverything(namespaceSelector))
    return matcher(selector, undefined, false);
  const selected = namespaceSelector === undefined ? [] : namespacesBySelector(namespaceSelector);
  const named = [...namespaces, ...selected];
  const isOwnOnly = namespaces.length === 0 && namespaceSelector === undefined;
  return matcher(selector, isOwnOnly ? [pod.metadata.namespace ?? ""] : named, false);
}

export function spreadMatcher(pod: Pod, constraint: TopologySpreadConstraint): PodMatcher {
  const { labelSelector, matchLabelKeys = [] } = constraint;
  const own = pod.metadata.labels ?? {};
  const selector = withKeys(labelSelector, own, { keys: matchLabelKeys, operator: "In" });
  return matcher(selector, [pod.metadata.namespace ?? ""], true);
}

export function matchesPod(matcher: PodMatcher, pod: Pod): boolean {
  const { namespaces, ignoresTerminating, selector } = matcher;
  if (namespaces?.has(pod.metadata.namespace ?? "") === false) return false;
  if (ignoresTerminating && pod.metadata.deletionTimestamp !== undefined) return false;
  return selectorMatches(selector, pod.metadata.labels);
}

/** The label keys that a matcher uses. */
export function labelKeys({ selector }: PodMatcher): readonly string[] {
  const expressions = selector?.matchExpressions ?? [];
  return [...Object.keys(selector?.matchLabels ?? {}), ...expressions.map(({ key }) => key)];
}

/** The buckets that can hold matchers for this pod. */
export function bucketsOf(pod: Pod): readonly string[] {
  const labels = Object.entries(pod.metadata.labels ?? {});
  return ["", ...labels.map(([key, value]) => `${key}=${value}`)];
}

function matcher(
  selector: LabelSelector | undefined,
  names: readonly string[] | undefined,
  ignoresTerminating: boolean,
): PodMatcher {
  const sorted = names?.toSorted();
  return {
    id: JSON.stringify([selector ?? null, sorted ?? null, ignoresTerminating]),
    selector,
    namespaces: sorted === undefined ? undefined : new Set(sorted),
    ignoresTerminating,
    bucket: bucketOf(selector),
  };
}

function bucketOf(selector: LabelSelector | undefined): string {
  const [pair] = Object.entries(selector?.matchLabels ?? {});
  if (pair !== undefined) return `${pair[0]}=${pair[1]}`;
  const single = selector?.matchExpressions?.find(
    ({ operator, values = [] }) => operator === "In" && values.length === 1,
  );
  return single === undefined ? "" : `${single.key}=${single.values?.[0]}`;
}

function withKeys(
  selector: LabelSelector | undefined,
  own: Readonly<Record<string, string>>,
  extra: { readonly keys: readonly string[]; readonly operator: "In" | "NotIn" },
): LabelSelector | undefined {
  if (selector === undefined || extra.keys.length === 0) return selector;
  const added = extra.keys.flatMap((key) => {
    const value = own[key];
    return value === undefined ? [] : [{ key, operator: extra.operator, values: [value] }];
  });
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...added] };
}

function isEverything(selector: LabelSelector): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}
