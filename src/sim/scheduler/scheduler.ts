/** Finds a node for every unscheduled pod, one at a time by priority, and retries only after changes that can help. */
import type { Node } from "../../api/node.ts";
import type { Pod } from "../../api/pod.ts";
import { isFinished } from "../../api/pod.ts";
import { selectorMatches } from "../../api/label-selector.ts";
import type { Cache, Change } from "../../runtime/cache.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import { sleep } from "../../runtime/clock.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import { controllerUid, keyOf } from "../../runtime/object-store.ts";
import { podRequests } from "../../api/pod-requests.ts";
import { ClusterState } from "./cluster-state.ts";
import type { Gang, GangSource } from "./gang.ts";
import { noGangs } from "./gang.ts";
import type { Place } from "./place-gang.ts";
import { placeGang, placeSurplus } from "./place-gang.ts";
import { choosePlace } from "./place.ts";
import type { Blocker, Diagnosis } from "./reasons.ts";
import { SchedulerWrites } from "./scheduler-writes.ts";
import type { WaitingPod } from "./waiting-pods.ts";
import { podClassOf, WaitingPods } from "./waiting-pods.ts";

export interface SchedulerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly pods: Cache<Pod>;
  readonly nodes: Cache<Node>;
  readonly namespaces: Cache;
  readonly events: EventRecorder;
  /** The gangs whose pods are placed all at once or not at all. */
  readonly gangs?: GangSource;
  /** Reports that a pod does not fit only after a moment: most gangs are complete by then. */
  readonly reportsLate?: boolean;
  /** Also places pods that ask for another scheduler, in whose place it stands. */
  readonly placesAll?: boolean;
  readonly onProblem?: (problem: unknown) => void;
}

export const schedulerName = "default-scheduler";
const bindRetryMs = 1_000;
const reportAfterMs = 200;

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #gangs: GangSource;
  readonly #cluster: ClusterState;
  readonly #waiting: WaitingPods;
  readonly #writes: SchedulerWrites;
  /** Gated pods whose gang has been placed: their places stay reserved. */
  readonly #reserved = new Set<string>();
  /** Pods with a bind request in flight; the cache may still show them without a node. */
  readonly #binding = new Set<string>();
  /** Pods whose report is due in a moment. */
  readonly #toReport = new Set<string>();
  readonly #stopping = new AbortController();
  #unsubscribe: (() => void)[] = [];
  #knownLabelKeys = 0;
  #work: Promise<void> = Promise.resolve();
  #isBusy = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#gangs = options.gangs ?? noGangs;
    this.#writes = new SchedulerWrites(options);
    this.#cluster = new ClusterState((selector) =>
      options.namespaces
        .list()
        .filter((namespace) => selectorMatches(selector, namespace.metadata.labels))
        .map((namespace) => namespace.metadata.name ?? "")
        .toSorted(),
    );
    const matters = (key: string): boolean => this.#cluster.isLabelKnown(key);
    this.#waiting = new WaitingPods((pod) => {
      const gang = this.#gangs.keyOf(pod);
      // No gang lists a copy of a pod that has the same labels, and real members must not wait behind it.
      const owner = gang === "" ? "" : controllerUid(pod).join("");
      return `${gang} ${owner} ${podClassOf(pod, matters)}`;
    });
  }

  async start(): Promise<void> {
    const { pods, nodes, namespaces } = this.#options;
    await Promise.all([pods, nodes, namespaces].map((cache) => cache.whenSynced()));
    this.#unsubscribe = [
      nodes.onChange((change) => this.#nodeChanged(change)),
      pods.onChange((change) => this.#podChanged(change)),
      this.#gangs.onChange(() => this.#activate("gang")),
    ];
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#work;
  }

  #nodeChanged(change: Change<Node>): void {
    if (change.type === "deleted") this.#cluster.removeNode(change.object.metadata.name ?? "");
    else this.#cluster.putNode(change.object);
    if (change.type === "updated" && isSchedulingUnchanged(change.old, change.object)) return;
    this.#waiting.activateAll();
    this.#startWork();
  }

  #podChanged(change: Change<Pod>): void {
    const pod = change.object;
    const key = keyOf(pod);
    if (change.type === "deleted" || isFinished(pod)) return this.#podGone(key);
    const { nodeName } = pod.spec;
    if (nodeName !== undefined && nodeName !== "") return this.#placed(pod, nodeName);
    if (this.#binding.has(key)) return;
    if (pod.metadata.deletionTimestamp !== undefined) return this.#podGone(key);
    if (!this.#isMine(pod)) return;
    this.#activateGangOf(change);
    if (gateCount(pod) > 0) {
      this.#waiting.remove(key);
      this.#writes.reportGates(pod);
      return;
    }
    const reserved = this.#reserved.delete(key) ? this.#cluster.placementOf(key) : undefined;
    if (reserved !== undefined) return this.#bindReserved(pod, reserved.node);
    this.#waiting.put(pod);
    this.#startWork();
  }

  #isMine({ spec }: Pod): boolean {
    const { placesAll = false } = this.#options;
    return placesAll || (spec.schedulerName ?? schedulerName) === schedulerName;
  }

  /** A gang lists pods before they are created, so members that waited for this pod are tried again. */
  #activateGangOf(change: Change<Pod>): void {
    const gang = this.#gangs.keyOf(change.object);
    const gatesBefore = change.type === "updated" ? gateCount(change.old) : undefined;
    const hasChanged = gatesBefore !== gateCount(change.object);
    if (gang !== "" && hasChanged) this.#activate(`members of ${gang}`);
  }

  /** Binds a pod that was placed with its gang while it was still gated. */
  #bindReserved(pod: Pod, node: string): void {
    this.#binding.add(keyOf(pod));
    this.#bind(pod, node).catch((problem: unknown) => this.#options.onProblem?.(problem));
  }

  #placed(pod: Pod, node: string): void {
    const key = keyOf(pod);
    const before = this.#cluster.placementOf(key);
    this.#binding.delete(key);
    this.#reserved.delete(key);
    this.#waiting.remove(key);
    this.#cluster.place(pod, node);
    const isTerminating = pod.metadata.deletionTimestamp !== undefined;
    if (before === undefined) this.#activate("affinity", "spread");
    else if (isTerminating && before.pod.metadata.deletionTimestamp === undefined)
      this.#activate("spread");
  }

  #podGone(key: string): void {
    this.#binding.delete(key);
    this.#reserved.delete(key);
    this.#waiting.remove(key);
    this.#freed(this.#cluster.remove(key));
  }

  #freed(pod: Pod | undefined): void {
    if (pod === undefined) return;
    const amounts = [...podRequests(pod).keys()].map((name): Blocker => `resource ${name}`);
    this.#activate("pods", "ports", "anti-affinity", "spread", "gang", ...amounts);
  }

  #activate(...blockers: readonly Blocker[]): void {
    for (const blocker of blockers) this.#waiting.activate(blocker);
    this.#startWork();
  }

  #startWork(): void {
    if (this.#isBusy || this.#stopping.signal.aborted) return;
    this.#isBusy = true;
    this.#work = this.#run().catch((problem: unknown) => {
      this.#isBusy = false;
      this.#options.onProblem?.(problem);
    });
  }

  async #run(): Promise<void> {
    // Changes of the same instant are handled together, so that a waiting gang sees all nodes that were added at once.
    await sleep(this.#options.clock, 0, this.#stopping.signal);
    for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) {
      if (this.#stopping.signal.aborted) break;
      if (next.diagnosis === undefined) await this.#try(next.waiting);
      else await this.#markUnschedulable(next.waiting, next.diagnosis);
    }
    this.#isBusy = false;
  }

  async #try(waiting: WaitingPod): Promise<void> {
    const { pod } = waiting;
    const membership = this.#gangs.membershipOf(pod);
    if (membership.kind === "member") return this.#tryGang(waiting, membership);
    if (membership.kind === "absent") {
      return this.#markUnschedulable(waiting, {
        message: membership.message,
        blockers: new Set(["gang"]),
      });
    }
    const placement = choosePlace(pod, this.#cluster);
    this.#regroupIfNeeded();
    if (placement.kind === "waits") return this.#markUnschedulable(waiting, placement.diagnosis);
    this.#cluster.place(pod, placement.node);
    this.#waiting.placed(waiting.key);
    await this.#bind(pod, placement.node);
  }

  async #tryGang(
    waiting: WaitingPod,
    { gang, bundle }: { readonly gang: Gang; readonly bundle: string },
  ): Promise<void> {
    const placement = placeGang(gang, bundle, this.#cluster);
    this.#regroupIfNeeded();
    if (placement.kind === "waits") return this.#markUnschedulable(waiting, placement.diagnosis);
    const { places } = placement;
    if (includes(places, waiting)) return this.#bindAll(places);
    if (!waiting.isSurplus) {
      this.#waiting.defer(waiting);
      return this.#bindAll(places);
    }
    const surplus = placeSurplus(gang, bundle, this.#cluster);
    const all = [...places, ...surplus.places];
    if (!includes(all, waiting)) await this.#markUnschedulable(waiting, surplus.left);
    return this.#bindAll(all);
  }

  async #bindAll(places: readonly Place[]): Promise<void> {
    // All pods leave the queue before the first bind request is awaited, because gates may be lifted meanwhile.
    const ungated = places.filter(({ pod }) => this.#leaveQueue(pod));
    for (const { pod, node } of ungated) await this.#bind(pod, node);
  }

  /** Takes a placed pod out of the queue; returns false if it cannot be bound yet because it is gated. */
  #leaveQueue(pod: Pod): boolean {
    const key = keyOf(pod);
    this.#waiting.placed(key);
    // The gate may have been lifted since the pod was placed, and no further event would report that.
    const isGated = gateCount(this.#options.pods.get(key) ?? pod) > 0;
    (isGated ? this.#reserved : this.#binding).add(key);
    return !isGated;
  }

  /** A label key that a selector uses for the first time can split a class of pods. */
  #regroupIfNeeded(): void {
    if (this.#cluster.knownLabelKeys === this.#knownLabelKeys) return;
    this.#knownLabelKeys = this.#cluster.knownLabelKeys;
    this.#waiting.regroup();
  }

  async #markUnschedulable(waiting: WaitingPod, diagnosis: Diagnosis): Promise<void> {
    this.#waiting.markUnschedulable(waiting, diagnosis);
    if (this.#options.reportsLate === true) return this.#reportLater(waiting.key);
    await this.#writes.reportUnschedulable(waiting.pod, diagnosis.message);
  }

  #reportLater(key: string): void {
    if (this.#toReport.has(key)) return;
    this.#toReport.add(key);
    this.#options.clock.after(reportAfterMs, () => {
      this.#toReport.delete(key);
      const left = this.#waiting.unschedulable(key);
      if (left === undefined || this.#stopping.signal.aborted) return;
      void this.#writes.reportUnschedulable(left.pod, left.message);
    });
  }

  async #bind(pod: Pod, node: string): Promise<void> {
    const key = keyOf(pod);
    this.#binding.add(key);
    this.#activate("affinity", "spread");
    if (await this.#writes.bind(pod, node)) return;
    this.#binding.delete(key);
    this.#freed(this.#cluster.remove(key));
    this.#options.clock.after(bindRetryMs, () => this.#requeue(key));
  }

  #requeue(key: string): void {
    const pod = this.#options.pods.get(key);
    if (pod !== undefined) this.#podChanged({ type: "added", object: pod });
  }
}

const gateCount = ({ spec }: Pod): number => spec.schedulingGates?.length ?? 0;

const includes = (places: readonly Place[], { key }: WaitingPod): boolean =>
  places.some(({ pod }) => keyOf(pod) === key);

/** Heartbeats and similar changes do not let more pods fit on a node. */
function isSchedulingUnchanged(before: Node, after: Node): boolean {
  const relevant = ({ metadata, spec, status }: Node): string =>
    JSON.stringify([metadata.labels, spec?.taints, spec?.unschedulable, status?.allocatable]);
  return relevant(before) === relevant(after);
}
