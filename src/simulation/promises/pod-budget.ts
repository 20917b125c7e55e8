/** The budget of pods in ordinals: what the operator takes out of service is missing until it serves again. */
import type { Pod } from "../../api/pod.ts";
import { parsePodName } from "../../controllers/statefulset/identity.ts";
import type { EventType } from "../follow.ts";
import { isServing, isTerminating } from "../scenario-kind.ts";
import { RecentRequests } from "./recent.ts";

/** What a workload asks for. */
export interface PodLimits {
  readonly workload: string;
  readonly start: number;
  readonly replicas: number;
  readonly minReadySeconds: number;
  readonly maxUnavailable: number;
}

export interface PodBudgetOptions {
  readonly pods: ReadonlyMap<string, Pod>;
  readonly now: () => number;
  /** Those that an operator may be acting on, the current ones last. */
  readonly limitsOf: (workload: string) => readonly PodLimits[];
  readonly report: (violation: string) => void;
}

export class PodBudget {
  readonly #options: PodBudgetOptions;
  readonly #requested: RecentRequests;
  /** Pods that the operator deleted while they served; they count until a successor serves. */
  readonly #missing = new Set<string>();
  /** Since when pods serve. */
  readonly #servingMs = new Map<string, number>();

  constructor(options: PodBudgetOptions) {
    this.#options = options;
    this.#requested = new RecentRequests(options.now);
  }

  deleteRequested(name: string): void {
    this.#requested.add(name);
  }

  deleteRefused(name: string): void {
    this.#requested.delete(name);
  }

  /** `workload` is undefined for a pod that belongs to none. */
  see(workload: string | undefined, type: EventType, pod: Pod, before: Pod | undefined): void {
    const { name = "" } = pod.metadata;
    const isLeaving = isTerminating(pod) || type === "DELETED";
    const isNews = isLeaving && before !== undefined && !isTerminating(before);
    const isTaken = isNews && workload !== undefined && this.#requested.has(name);
    if (isTaken && isServing(before) && this.#isAvailable(name, workload)) {
      this.#missing.add(name);
      this.#check(name, workload);
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
    if (!this.#servingMs.has(name)) this.#servingMs.set(name, this.#options.now());
  }

  /** A pod counts once it has been ready for `minReadySeconds`; times of conditions are whole seconds. */
  #isAvailable(name: string, workload: string): boolean {
    const sinceMs = this.#servingMs.get(name) ?? Number.POSITIVE_INFINITY;
    return this.#options.limitsOf(workload).every(({ minReadySeconds }) => {
      const neededMs = minReadySeconds === 0 ? 0 : (minReadySeconds + 1) * 1000;
      return this.#options.now() - sinceMs >= neededMs;
    });
  }

  /** Broken only if nothing that was asked for a moment ago would have allowed it. */
  #check(name: string, workload: string): void {
    const { limitsOf, pods, report } = this.#options;
    const isAllowed = limitsOf(workload).some((limits) => {
      // What follows looks at every pod; large sets rarely need it.
      if (this.#missing.size <= limits.maxUnavailable || !isOf(limits, name)) return true;
      // What is surplus stands in for others until it goes (RO1, RO9).
      const serving = [...pods.keys()].filter(
        (other) => isOf(limits, other) && this.#serves(other),
      ).length;
      const missing = [...this.#missing].filter((other) => isInside(limits, other)).length;
      return Math.min(limits.replicas - serving, missing) <= limits.maxUnavailable;
    });
    if (isAllowed) return;
    const missing = [...this.#missing].join(", ");
    report(`more of ${workload} was taken out of service than its budget allows: ${missing}`);
  }

  #serves(name: string): boolean {
    const pod = this.#options.pods.get(name);
    return pod !== undefined && isServing(pod);
  }
}

const isOf = ({ workload }: PodLimits, pod: string): boolean =>
  parsePodName(pod)?.parent === workload;

/** Whether a pod of this name is one that is wanted; sizes may be absurd, so none is written out. */
function isInside({ workload, start, replicas }: PodLimits, pod: string): boolean {
  const { parent, ordinal = Number.NaN } = parsePodName(pod) ?? {};
  return parent === workload && ordinal >= start && ordinal < start + replicas;
}
