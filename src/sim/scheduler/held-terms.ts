/** The affinity and anti-affinity terms of placed pods by node, which new pods must respect. */
import type { Pod, PodAffinityTerm } from "../../api/pod.ts";
import { keyOf } from "../../runtime/object-store.ts";
import { change } from "./match-counts.ts";
import type { NamespacesBySelector, PodMatcher } from "./pod-matcher.ts";
import { affinityMatcher, bucketsOf, labelKeys, matchesPod } from "./pod-matcher.ts";

export interface HeldTerm {
  readonly matcher: PodMatcher;
  readonly topologyKey: string;
  /** Minus infinity forbids; other weights are preferences. */
  readonly weight: number;
  /** How many pods with this term each node has. */
  readonly byNode: Map<string, number>;
}

/** As upstream, a required affinity of a placed pod also counts as a preference of weight 1. */
const requiredAffinityWeight = 1;

export class HeldTerms {
  readonly #byId = new Map<string, HeldTerm>();
  readonly #buckets = new Map<string, Set<HeldTerm>>();
  /** The terms of each pod as they were added: what its namespace selectors select may have changed since. */
  readonly #byPod = new Map<string, readonly HeldTerm[]>();
  readonly #namespacesBySelector: NamespacesBySelector;
  /** Label keys that any term has used. */
  readonly labelKeys = new Set<string>();

  constructor(namespacesBySelector: NamespacesBySelector) {
    this.#namespacesBySelector = namespacesBySelector;
  }

  add(node: string, pod: Pod): void {
    const terms = termsOf(pod).map(({ term, weight }) =>
      this.#held(affinityMatcher(pod, term, this.#namespacesBySelector), term, weight),
    );
    if (terms.length === 0) return;
    this.#byPod.set(keyOf(pod), terms);
    for (const held of terms) change(held.byNode, node, 1);
  }

  remove(node: string, pod: Pod): void {
    for (const held of this.#byPod.get(keyOf(pod)) ?? []) {
      change(held.byNode, node, -1);
      if (held.byNode.size === 0) this.#drop(held);
    }
    this.#byPod.delete(keyOf(pod));
  }

  /** The terms that match this pod. */
  about(pod: Pod): readonly HeldTerm[] {
    if (this.#byId.size === 0) return [];
    return bucketsOf(pod).flatMap((name) =>
      [...(this.#buckets.get(name) ?? [])].filter(({ matcher }) => matchesPod(matcher, pod)),
    );
  }

  #held(matcher: PodMatcher, { topologyKey }: PodAffinityTerm, weight: number): HeldTerm {
    const id = idOf(matcher, topologyKey, weight);
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const held: HeldTerm = { matcher, topologyKey, weight, byNode: new Map() };
    this.#byId.set(id, held);
    const bucket = this.#buckets.get(matcher.bucket) ?? new Set();
    this.#buckets.set(matcher.bucket, bucket.add(held));
    for (const key of labelKeys(matcher)) this.labelKeys.add(key);
    return held;
  }

  #drop(held: HeldTerm): void {
    this.#byId.delete(idOf(held.matcher, held.topologyKey, held.weight));
    this.#buckets.get(held.matcher.bucket)?.delete(held);
  }
}

function idOf(matcher: PodMatcher, topologyKey: string, weight: number): string {
  return `${topologyKey} ${weight} ${matcher.id}`;
}

interface WeightedTerm {
  readonly term: PodAffinityTerm;
  readonly weight: number;
}

function termsOf(pod: Pod): readonly WeightedTerm[] {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return [];
  const required = (terms: readonly PodAffinityTerm[] = [], weight: number): WeightedTerm[] =>
    terms.map((term) => ({ term, weight }));
  const preferred = (affinity: typeof podAffinity, sign: number): WeightedTerm[] =>
    (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((each) => ({
      term: each.podAffinityTerm,
      weight: sign * each.weight,
    }));
  return [
    ...required(
      podAffinity?.requiredDuringSchedulingIgnoredDuringExecution,
      requiredAffinityWeight,
    ),
    ...required(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution, -Infinity),
    ...preferred(podAffinity, 1),
    ...preferred(podAntiAffinity, -1),
  ];
}
