/** The scheduling queue: pods to try by priority, and unschedulable pods until a change could help them. */
import type { Pod } from "../../api/pod.ts";
import { keyOf } from "../../runtime/object-store.ts";
import { podRequests } from "../../api/pod-requests.ts";
import { hostPorts } from "./host-ports.ts";
import type { Blocker, Diagnosis } from "./reasons.ts";

/** Pods that are equal to the scheduler: the result for one of them holds for all. */
interface PodClass {
  readonly id: string;
  readonly unschedulable: Map<string, WaitingPod>;
  /** How many pods wait, queued or unschedulable. */
  members: number;
  /** Why the pods of the class do not fit; undefined while one of them may be tried. */
  diagnosis: Diagnosis | undefined;
}

export interface WaitingPod {
  readonly key: string;
  readonly podClass: PodClass;
  pod: Pod;
  /** Its gang has its minimum without this pod, so it comes last among pods of its priority. */
  isSurplus: boolean;
}

type PriorityQueue = Map<number, Map<string, WaitingPod>>;

export class WaitingPods {
  readonly #byKey = new Map<string, WaitingPod>();
  /** By priority; pods of equal priority in order of arrival. */
  readonly #queue: PriorityQueue = new Map();
  readonly #surplusQueue: PriorityQueue = new Map();
  readonly #classes = new Map<string, PodClass>();
  readonly #byBlocker = new Map<Blocker, Set<PodClass>>();
  readonly #classOf: (pod: Pod) => string;

  constructor(classOf: (pod: Pod) => string) {
    this.#classOf = classOf;
  }

  /** Queues a new pod; a known pod keeps its position unless it has changed its class. */
  put(pod: Pod): void {
    const key = keyOf(pod);
    const known = this.#byKey.get(key);
    const id = this.#classOf(pod);
    if (known?.podClass.id === id && known.pod.metadata.uid === pod.metadata.uid) {
      known.pod = pod;
      return;
    }
    this.remove(key);
    const podClass = this.#classes.get(id) ?? newClass(id);
    this.#classes.set(id, podClass);
    podClass.members++;
    const waiting = { key, podClass, pod, isSurplus: false };
    this.#byKey.set(key, waiting);
    this.#enqueue(waiting);
  }

  remove(key: string): void {
    const known = this.#byKey.get(key);
    if (known === undefined) return;
    this.#byKey.delete(key);
    this.#dequeue(known);
    known.podClass.unschedulable.delete(key);
    known.podClass.members--;
    if (known.podClass.members === 0) this.#dropClass(known.podClass);
    // The removed pod may have been the one that was to be tried for its whole class.
    else if (known.podClass.diagnosis === undefined) this.#activateNext(known.podClass);
  }

  /** The pod to try next, with the diagnosis of its class if there is one. */
  take(): { readonly waiting: WaitingPod; readonly diagnosis: Diagnosis | undefined } | undefined {
    const queues = [this.#queue, this.#surplusQueue];
    const priorities = [...new Set(queues.flatMap((queue) => [...queue.keys()]))];
    for (const priority of priorities.toSorted((a, b) => b - a)) {
      for (const queue of queues) {
        const waiting = firstOf(queue, priority);
        if (waiting !== undefined) return { waiting, diagnosis: waiting.podClass.diagnosis };
      }
    }
    return undefined;
  }

  /** The gang of the pod has its minimum: other pods of the same priority are tried first. */
  defer(waiting: WaitingPod): void {
    if (this.#byKey.get(waiting.key) !== waiting) return;
    waiting.isSurplus = true;
    this.#enqueue(waiting);
  }

  /** No node fits the pod, and therefore none fits its class. */
  markUnschedulable(waiting: WaitingPod, diagnosis: Diagnosis): void {
    if (this.#byKey.get(waiting.key) !== waiting) return;
    const { podClass } = waiting;
    podClass.unschedulable.set(waiting.key, waiting);
    podClass.diagnosis = diagnosis;
    for (const blocker of diagnosis.blockers) {
      const classes = this.#byBlocker.get(blocker) ?? new Set();
      this.#byBlocker.set(blocker, classes.add(podClass));
    }
  }

  /** A pod that was tried and does not fit, and why; undefined for all others. */
  unschedulable(key: string): { readonly pod: Pod; readonly message: string } | undefined {
    const known = this.#byKey.get(key);
    const { diagnosis } = known?.podClass ?? {};
    return known === undefined || diagnosis === undefined
      ? undefined
      : { pod: known.pod, message: diagnosis.message };
  }

  /** The pod has a node, so the next one of its class may get one too. */
  placed(key: string): void {
    const podClass = this.#byKey.get(key)?.podClass;
    if (podClass !== undefined) this.#clearDiagnosis(podClass);
    this.remove(key);
  }

  /** Queues one pod of every class that this blocker holds back; the others follow if it fits. */
  activate(blocker: Blocker): void {
    const classes = this.#byBlocker.get(blocker);
    if (classes === undefined) return;
    for (const podClass of [...classes].toSorted((a, b) => (a.id < b.id ? -1 : 1)))
      this.#activateNext(podClass);
  }

  activateAll(): void {
    for (const blocker of [...this.#byBlocker.keys()].toSorted()) this.activate(blocker);
  }

  /** Assigns all pods to classes again. */
  regroup(): void {
    const all = [...this.#byKey.values()];
    this.#byKey.clear();
    this.#queue.clear();
    this.#surplusQueue.clear();
    this.#classes.clear();
    this.#byBlocker.clear();
    for (const { pod } of all) this.put(pod);
  }

  #activateNext(podClass: PodClass): void {
    this.#clearDiagnosis(podClass);
    const next = podClass.unschedulable.values().next();
    if (next.done === true) return;
    podClass.unschedulable.delete(next.value.key);
    // The gang may need this pod by now.
    next.value.isSurplus = false;
    this.#enqueue(next.value);
  }

  #dropClass(podClass: PodClass): void {
    this.#clearDiagnosis(podClass);
    this.#classes.delete(podClass.id);
  }

  #clearDiagnosis(podClass: PodClass): void {
    for (const blocker of podClass.diagnosis?.blockers ?? [])
      this.#byBlocker.get(blocker)?.delete(podClass);
    podClass.diagnosis = undefined;
  }

  #enqueue(waiting: WaitingPod): void {
    const priority = priorityOf(waiting);
    const queue = waiting.isSurplus ? this.#surplusQueue : this.#queue;
    const bucket = queue.get(priority) ?? new Map<string, WaitingPod>();
    queue.set(priority, bucket.set(waiting.key, waiting));
  }

  #dequeue(waiting: WaitingPod): void {
    const queue = waiting.isSurplus ? this.#surplusQueue : this.#queue;
    queue.get(priorityOf(waiting))?.delete(waiting.key);
  }
}

/** Removes and returns the first pod of a priority. */
function firstOf(queue: PriorityQueue, priority: number): WaitingPod | undefined {
  const bucket = queue.get(priority);
  const first = bucket?.values().next();
  if (bucket === undefined || first === undefined || first.done === true) {
    queue.delete(priority);
    return undefined;
  }
  bucket.delete(first.value.key);
  return first.value;
}

function newClass(id: string): PodClass {
  return { id, unschedulable: new Map(), members: 0, diagnosis: undefined };
}

function priorityOf({ pod }: WaitingPod): number {
  return pod.spec.priority ?? 0;
}

/** The class of a pod that belongs to no gang; `mattersLabel` says whether any selector uses a label key. */
export function podClassOf(pod: Pod, mattersLabel: (key: string) => boolean): string {
  const { nodeSelector, affinity, tolerations, topologySpreadConstraints, priority } = pod.spec;
  const labels = Object.entries(pod.metadata.labels ?? {})
    .filter(([key]) => mattersLabel(key))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  // A pod's own selectors may use labels that no other selector uses yet.
  const own = affinity === undefined && topologySpreadConstraints === undefined;
  return JSON.stringify([
    pod.metadata.namespace,
    own ? labels : (pod.metadata.labels ?? {}),
    nodeSelector ?? {},
    affinity ?? {},
    tolerations ?? [],
    topologySpreadConstraints ?? [],
    priority ?? 0,
    [...podRequests(pod)].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    hostPorts(pod),
  ]);
}
