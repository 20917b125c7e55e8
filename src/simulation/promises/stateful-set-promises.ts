/** What holds in every scenario of StatefulSets after every event, with limits read from the live sets. */
import type { StatefulSet } from "../../api/apps.ts";
import { statefulSetResource } from "../../api/apps.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import { readOverrides } from "../../controllers/statefulset/annotations.ts";
import {
  parsePodName,
  podIndexLabel,
  podNameLabel,
} from "../../controllers/statefulset/identity.ts";
import { resolveStatefulSetBudget } from "../../planner/index.ts";
import type { EventType } from "../follow.ts";
import { follow } from "../follow.ts";
import { Recent } from "./recent.ts";
import type { KindPromises, Watched } from "../scenario-kind.ts";
import { hostnameOf, isServing, isTerminating } from "../scenario-kind.ts";

/** A pod is one of its set by its controller, not by its name. */
const setOf = ({ metadata }: Pod): string | undefined =>
  metadata.ownerReferences?.find(({ controller, kind }) => controller && kind === "StatefulSet")
    ?.name;

export class StatefulSetPromises implements KindPromises {
  readonly #watched: Watched;
  readonly #startMs: number;
  readonly #sets = new Map<string, Recent<StatefulSet>>();
  readonly #pods: ReadonlyMap<string, Pod>;
  readonly #requested = new Set<string>();
  /** Pods that the operator deleted while they served; they count until a successor serves. */
  readonly #missing = new Set<string>();
  /** Since when pods serve. */
  readonly #servingMs = new Map<string, number>();

  constructor(watched: Watched) {
    const { client, clock } = watched;
    this.#watched = watched;
    this.#startMs = clock.now();
    follow<StatefulSet>({ client, resource: statefulSetResource }, (_type, set) => {
      const { name = "" } = set.metadata;
      const recent = this.#sets.get(name) ?? new Recent<StatefulSet>(() => clock.now());
      this.#sets.set(name, recent);
      recent.set(set);
    });
    this.#pods = follow<Pod>({ client, resource: podResource }, (type, pod, before) =>
      this.#seePod(type, pod, before),
    );
  }

  deleteRequested(plural: string, name: string): void {
    if (plural === "pods") this.#requested.add(name);
  }

  deleteRefused(plural: string, name: string): void {
    if (plural === "pods") this.#requested.delete(name);
  }

  #seePod(type: EventType, pod: Pod, before: Pod | undefined): void {
    const { name = "" } = pod.metadata;
    const set = setOf(pod);
    if (type === "ADDED" && set !== undefined) this.#checkIdentity(pod, set);
    const isLeaving = isTerminating(pod) || type === "DELETED";
    const isNews = isLeaving && before !== undefined && !isTerminating(before);
    const isTaken = isNews && set !== undefined && this.#requested.has(name);
    if (isTaken && isServing(before) && this.#isAvailable(name, set)) {
      this.#missing.add(name);
      this.#checkBudget(name, set);
    }
    if (type === "DELETED") this.#requested.delete(name);
    this.#seeServing(name, !isLeaving && isServing(pod));
  }

  #seeServing(name: string, serves: boolean): void {
    if (!serves) {
      this.#servingMs.delete(name);
      return;
    }
    this.#missing.delete(name);
    if (!this.#servingMs.has(name)) this.#servingMs.set(name, this.#watched.clock.now());
  }

  /** A pod counts once it has been ready for `minReadySeconds`; times of conditions are whole seconds. */
  #isAvailable(name: string, set: string): boolean {
    const sinceMs = this.#servingMs.get(name) ?? Number.POSITIVE_INFINITY;
    return this.#recent(set).every(({ spec: { minReadySeconds = 0 } }) => {
      const neededMs = minReadySeconds === 0 ? 0 : (minReadySeconds + 1) * 1000;
      return this.#watched.clock.now() - sinceMs >= neededMs;
    });
  }

  #checkIdentity(pod: Pod, set: string): void {
    const { name = "", labels = {}, ownerReferences = [] } = pod.metadata;
    const { parent, ordinal } = parsePodName(name) ?? {};
    // Somebody else gave it this name.
    if (parent !== set) return;
    const serviceNames = this.#recent(set).map(({ spec }) => spec.serviceName ?? "");
    const facts = {
      "pod-name label": labels[podNameLabel] === name,
      "pod-index label": labels[podIndexLabel] === String(ordinal),
      hostname: hostnameOf(pod) === name,
      subdomain: serviceNames.includes(pod.spec.subdomain ?? ""),
      owner: ownerReferences.length === 1,
    };
    for (const [what, isRight] of Object.entries(facts)) {
      if (!isRight) this.#report(`${name} has a wrong ${what}`);
    }
  }

  /** Broken only if no set that was current a moment ago would have allowed it. */
  #checkBudget(name: string, set: string): void {
    const isAllowed = this.#recent(set).some((each) => {
      // What follows looks at every pod; large sets rarely need it.
      if (this.#missing.size <= maxUnavailableOf(each) || !isInside(each, name)) return true;
      const inside = (names: Iterable<string>): string[] =>
        [...names].filter((other) => isInside(each, other));
      const serving = inside(this.#pods.keys()).filter((other) => this.#serves(other)).length;
      const missing = inside(this.#missing).length;
      return Math.min((each.spec.replicas ?? 1) - serving, missing) <= maxUnavailableOf(each);
    });
    if (isAllowed) return;
    const missing = [...this.#missing].join(", ");
    this.#report(`more of ${set} was taken out of service than its budget allows: ${missing}`);
  }

  #serves(name: string): boolean {
    const pod = this.#pods.get(name);
    return pod !== undefined && isServing(pod);
  }

  #recent(set: string): readonly StatefulSet[] {
    return this.#sets.get(set)?.all() ?? [];
  }

  #report(violation: string): void {
    const { clock, report } = this.#watched;
    report(`${((clock.now() - this.#startMs) / 1000).toFixed(1)}s: ${violation}`);
  }
}

/** Whether a pod of this name is one that the set wants; sizes may be absurd, so none is written out. */
function isInside({ metadata, spec }: StatefulSet, pod: string): boolean {
  const { parent, ordinal = Number.NaN } = parsePodName(pod) ?? {};
  const start = spec.ordinals?.start ?? 0;
  return parent === metadata.name && ordinal >= start && ordinal < start + (spec.replicas ?? 1);
}

function maxUnavailableOf(set: StatefulSet): number {
  const { replicas = 1, updateStrategy } = set.spec;
  const given = updateStrategy?.rollingUpdate?.maxUnavailable;
  const amount = readOverrides(set).maxUnavailable ?? given;
  return resolveStatefulSetBudget(amount, replicas).maxUnavailable;
}
