/** Pods that have no node yet: in line by priority, or asleep until something changes that could help them. */
import type { Pod } from "../../api/pod.ts";
import { keyOf } from "../../runtime/object-store.ts";
import type { Blocker, Diagnosis } from "./reasons.ts";

/** Pods that the scheduler cannot tell apart: what one of them was told holds for all. */
interface PodClass {
  readonly id: string;
  readonly asleep: Map<string, WaitingPod>;
  /** How many pods wait, awake or asleep. */
  members: number;
  /** Why the class waits; undefined while it is worth trying. */
  diagnosis: Diagnosis | undefined;
}

export interface WaitingPod {
  readonly key: string;
  readonly podClass: PodClass;
  pod: Pod;
  /** Its gang can do without it: of its priority it comes last. */
  isSurplus: boolean;
}

type Line = Map<number, Map<string, WaitingPod>>;

export class WaitingPods {
  readonly #byKey = new Map<string, WaitingPod>();
  /** By priority, each first come first served. */
  readonly #line: Line = new Map();
  readonly #surplusLine: Line = new Map();
  readonly #classes = new Map<string, PodClass>();
  readonly #byBlocker = new Map<Blocker, Set<PodClass>>();
  readonly #classOf: (pod: Pod) => string;

  constructor(classOf: (pod: Pod) => string) {
    this.#classOf = classOf;
  }

  /** Puts a new pod in line, or keeps the place of one whose change does not matter. */
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
    this.#queue(waiting);
  }

  /** Takes in a pod that is known to wait, without a try. */
  putAsleep(pod: Pod, diagnosis: Diagnosis): void {
    this.put(pod);
    const waiting = this.#byKey.get(keyOf(pod));
    if (waiting === undefined) return;
    this.#leaveLine(waiting);
    this.sleep(waiting, diagnosis);
  }

  remove(key: string): void {
    const known = this.#byKey.get(key);
    if (known === undefined) return;
    this.#byKey.delete(key);
    this.#leaveLine(known);
    known.podClass.asleep.delete(key);
    known.podClass.members--;
    if (known.podClass.members === 0) this.#forget(known.podClass);
    // It may have been the one that was woken to try for the others.
    else if (known.podClass.diagnosis === undefined) this.#wakeNext(known.podClass);
  }

  /** The pod to try next, with what is already known about its kind. */
  take(): { readonly waiting: WaitingPod; readonly diagnosis: Diagnosis | undefined } | undefined {
    const lines = [this.#line, this.#surplusLine];
    const priorities = [...new Set(lines.flatMap((line) => [...line.keys()]))];
    for (const priority of priorities.toSorted((a, b) => b - a)) {
      for (const line of lines) {
        const waiting = firstOf(line, priority);
        if (waiting !== undefined) return { waiting, diagnosis: waiting.podClass.diagnosis };
      }
    }
    return undefined;
  }

  /** The gang of the pod has its minimum: others are tried before it. */
  defer(waiting: WaitingPod): void {
    if (this.#byKey.get(waiting.key) !== waiting) return;
    waiting.isSurplus = true;
    this.#queue(waiting);
  }

  /** The pod found no node: it sleeps, and its whole kind with it. */
  sleep(waiting: WaitingPod, diagnosis: Diagnosis): void {
    if (this.#byKey.get(waiting.key) !== waiting) return;
    const { podClass } = waiting;
    podClass.asleep.set(waiting.key, waiting);
    podClass.diagnosis = diagnosis;
    for (const blocker of diagnosis.blockers) {
      const classes = this.#byBlocker.get(blocker) ?? new Set();
      this.#byBlocker.set(blocker, classes.add(podClass));
    }
  }

  /** The pod found a node: the next of its kind may too. */
  placed(key: string): void {
    const podClass = this.#byKey.get(key)?.podClass;
    if (podClass !== undefined) this.#clearDiagnosis(podClass);
    this.remove(key);
  }

  /** One pod of every kind that waits for this gets another try; the others follow if it succeeds. */
  wake(blocker: Blocker): void {
    const classes = this.#byBlocker.get(blocker);
    if (classes === undefined) return;
    for (const podClass of [...classes].toSorted((a, b) => (a.id < b.id ? -1 : 1)))
      this.#wakeNext(podClass);
  }

  wakeAll(): void {
    for (const blocker of [...this.#byBlocker.keys()].toSorted()) this.wake(blocker);
  }

  /** Sorts all pods into kinds again. */
  regroup(): void {
    const all = [...this.#byKey.values()];
    this.#byKey.clear();
    this.#line.clear();
    this.#surplusLine.clear();
    this.#classes.clear();
    this.#byBlocker.clear();
    for (const { pod } of all) this.put(pod);
  }

  #wakeNext(podClass: PodClass): void {
    this.#clearDiagnosis(podClass);
    const next = podClass.asleep.values().next();
    if (next.done === true) return;
    podClass.asleep.delete(next.value.key);
    // It may be needed by now.
    next.value.isSurplus = false;
    this.#queue(next.value);
  }

  #forget(podClass: PodClass): void {
    this.#clearDiagnosis(podClass);
    this.#classes.delete(podClass.id);
  }

  #clearDiagnosis(podClass: PodClass): void {
    for (const blocker of podClass.diagnosis?.blockers ?? [])
      this.#byBlocker.get(blocker)?.delete(podClass);
    podClass.diagnosis = undefined;
  }

  #queue(waiting: WaitingPod): void {
    const priority = priorityOf(waiting);
    const line = waiting.isSurplus ? this.#surplusLine : this.#line;
    const bucket = line.get(priority) ?? new Map<string, WaitingPod>();
    line.set(priority, bucket.set(waiting.key, waiting));
  }

  #leaveLine(waiting: WaitingPod): void {
    const line = waiting.isSurplus ? this.#surplusLine : this.#line;
    line.get(priorityOf(waiting))?.delete(waiting.key);
  }
}

/** Takes the first of a priority out of line. */
function firstOf(line: Line, priority: number): WaitingPod | undefined {
  const bucket = line.get(priority);
  const first = bucket?.values().next();
  if (bucket === undefined || first === undefined || first.done === true) {
    line.delete(priority);
    return undefined;
  }
  bucket.delete(first.value.key);
  return first.value;
}

function newClass(id: string): PodClass {
  return { id, asleep: new Map(), members: 0, diagnosis: undefined };
}

function priorityOf({ pod }: WaitingPod): number {
  return pod.spec.priority ?? 0;
}
