/** What holds in every scenario of StatefulSets after every event, with limits read from the live sets. */
import type { StatefulSet } from "../../api/apps.ts";
import { statefulSetResource } from "../../api/apps.ts";
import type { Pod } from "../../api/pod.ts";
import { podIndexLabel, podNameLabel, podResource } from "../../api/pod.ts";
import { readOverrides } from "../../controllers/statefulset/annotations.ts";
import { parsePodName } from "../../controllers/statefulset/identity.ts";
import { resolveStatefulSetBudget } from "../../planner/index.ts";
import type { EventType } from "../follow.ts";
import { follow } from "../follow.ts";
import type { PodLimits } from "./pod-budget.ts";
import { PodBudget } from "./pod-budget.ts";
import { Recent } from "./recent.ts";
import type { KindPromises, Watched } from "../scenario-kind.ts";
import { hostnameOf } from "../scenario-kind.ts";

/** A pod is one of its set by its controller, not by its name. */
const setOf = ({ metadata }: Pod): string | undefined =>
  metadata.ownerReferences?.find(({ controller, kind }) => controller && kind === "StatefulSet")
    ?.name;

export class StatefulSetPromises implements KindPromises {
  readonly #watched: Watched;
  readonly #startMs: number;
  readonly #sets = new Map<string, Recent<StatefulSet>>();
  readonly #budget: PodBudget;

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
    const pods = follow<Pod>({ client, resource: podResource }, (type, pod, before) =>
      this.#seePod(type, pod, before),
    );
    this.#budget = new PodBudget({
      pods,
      now: () => clock.now(),
      limitsOf: (set) => this.#recent(set).map(limitsOf),
      report: (violation) => this.#report(violation),
    });
  }

  deleteRequested(plural: string, name: string): void {
    if (plural === "pods") this.#budget.deleteRequested(name);
  }

  deleteRefused(plural: string, name: string): void {
    if (plural === "pods") this.#budget.deleteRefused(name);
  }

  #seePod(type: EventType, pod: Pod, before: Pod | undefined): void {
    const set = setOf(pod);
    if (type === "ADDED" && set !== undefined) this.#checkIdentity(pod, set);
    this.#budget.see(set, type, pod, before);
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

  #recent(set: string): readonly StatefulSet[] {
    return this.#sets.get(set)?.all() ?? [];
  }

  #report(violation: string): void {
    const { clock, report } = this.#watched;
    report(`${((clock.now() - this.#startMs) / 1000).toFixed(1)}s: ${violation}`);
  }
}

const limitsOf = (set: StatefulSet): PodLimits => ({
  workload: set.metadata.name ?? "",
  start: set.spec.ordinals?.start ?? 0,
  replicas: set.spec.replicas ?? 1,
  minReadySeconds: set.spec.minReadySeconds ?? 0,
  maxUnavailable: maxUnavailableOf(set),
});

function maxUnavailableOf(set: StatefulSet): number {
  const { replicas = 1, updateStrategy } = set.spec;
  const given = updateStrategy?.rollingUpdate?.maxUnavailable;
  const amount = readOverrides(set).maxUnavailable ?? given;
  return resolveStatefulSetBudget(amount, replicas).maxUnavailable;
}
