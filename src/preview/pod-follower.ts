/** Follows the pods of a workload through a preview: who serves, how many there are, what they take. */
import { labelKeys } from "../api/grove/labels.ts";
import type { KubeObject } from "../api/object.ts";
import { isTerminating } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import { isFinished, isReady, podResource } from "../api/pod.ts";
import type { Amounts } from "../api/pod-requests.ts";
import { podRequests } from "../api/pod-requests.ts";
import { labelKeys as roleLabels } from "../api/rbg/labels.ts";
import type { Component, Components } from "./components.ts";
import type { CurvePoint, Follower, SeenChange } from "./follower.ts";
import type { PlannedComponent } from "./plan.ts";
import type { RecordedWrite } from "./recorder.ts";

interface Counted {
  readonly part: Part;
  readonly unit: string;
  readonly isReady: boolean;
  readonly isLive: boolean;
  readonly scope: string;
  readonly revision: string;
  readonly requests: Amounts;
}

class Part {
  readonly component: Component;
  readonly curve: CurvePoint[] = [];
  readonly #ready = new Map<string, number>();
  readonly #live = new Map<string, number>();
  available = 0;
  /** Before anything changed. */
  first = 0;
  firstLive = 0;
  lowest = Infinity;
  peak = 0;

  constructor(component: Component) {
    this.component = component;
  }

  count({ unit, isReady, isLive }: Counted, sign: 1 | -1): void {
    if (isLive) change(this.#live, unit, sign);
    if (!isReady) return;
    const before = this.#serves(unit);
    change(this.#ready, unit, sign);
    this.available += Number(this.#serves(unit)) - Number(before);
  }

  get live(): number {
    return this.#live.size;
  }

  /** Units beyond these are surge: what is there from before and goes is none. */
  get usual(): number {
    return Math.max(this.component.desired, this.firstLive);
  }

  look(atMs: number): void {
    this.lowest = Math.min(this.lowest, this.available);
    this.peak = Math.max(this.peak, this.#live.size);
    const { available } = this;
    if (this.curve.at(-1)?.available !== available) this.curve.push({ atMs, available });
  }

  /** What came before the change does not count. */
  begin(atMs: number): void {
    this.lowest = Infinity;
    this.peak = 0;
    this.curve.length = 0;
    this.first = this.available;
    this.firstLive = this.live;
    this.look(atMs);
  }

  #serves(unit: string): boolean {
    return (this.#ready.get(unit) ?? 0) >= this.component.podsPerUnit;
  }
}

export class PodFollower implements Follower {
  readonly resource = podResource;
  readonly #components: Components;
  readonly #parts: readonly Part[];
  readonly #partOf: ReadonlyMap<string, Part>;
  readonly #pods = new Map<string, Counted>();
  readonly #taken = new Map<string, number>();
  #atFirst = new Map<string, number>();
  #most = new Map<string, number>();
  #writes: RecordedWrite[] = [];
  /** Parts that something happened to since the last look. */
  readonly #changed = new Set<Part>();
  /** The moment that is being seen. */
  #atMs = 0;
  #beganMs = 0;
  /** Uids of pods that were seen to go. */
  readonly #leaving = new Set<string>();
  /** Ready pods by scope and revision: two revisions of one scope talk to each other. */
  readonly #revisions = new Map<string, Map<string, number>>();
  hasMixedVersions = false;
  lastChangeMs = 0;

  constructor(components: Components) {
    this.#components = components;
    this.#parts = components.all.map((component) => new Part(component));
    this.#partOf = new Map(this.#parts.map((part) => [part.component.name, part]));
  }

  begin(atMs: number): void {
    for (const part of this.#parts) part.begin(atMs);
    this.#changed.clear();
    this.#atMs = atMs;
    this.#beganMs = atMs;
    this.#atFirst = new Map(this.#taken);
    this.#most = new Map(this.#taken);
    this.hasMixedVersions = false;
    this.lastChangeMs = atMs;
  }

  /** Forgets which pods came and went so far and returns it. */
  take(): readonly RecordedWrite[] {
    const writes = this.#writes;
    this.#writes = [];
    return writes;
  }

  see(type: SeenChange, object: KubeObject, atMs: number): void {
    const pod = object as Pod;
    if (atMs !== this.#atMs) this.look();
    this.#atMs = atMs;
    const key = pod.metadata.uid ?? "";
    const before = this.#pods.get(key);
    const after = type === "DELETED" ? undefined : this.#counted(pod);
    if (before === undefined && after === undefined) return;
    this.#record(type, pod, atMs);
    if (before !== undefined) this.#count(before, -1);
    if (after === undefined) this.#pods.delete(key);
    else {
      this.#pods.set(key, after);
      this.#count(after, 1);
    }
    if (before?.isReady !== after?.isReady || before?.isLive !== after?.isLive) {
      this.lastChangeMs = atMs;
    }
  }

  /** After everything of one moment was seen: a pod that goes and comes within it was never missed. */
  look(): void {
    for (const part of this.#changed) part.look(Math.max(this.#atMs, this.#beganMs));
    this.#changed.clear();
    for (const [name, amount] of this.#taken) {
      this.#most.set(name, Math.max(this.#most.get(name) ?? 0, amount));
    }
  }

  /** Units beyond what is desired are there and do not serve yet. */
  get isSurgeWaiting(): boolean {
    return this.#parts.some(({ live, available, usual }) => live > usual && available < live);
  }

  components(): readonly PlannedComponent[] {
    return this.#parts.map(({ component, first, usual, lowest, peak }) => ({
      name: component.name,
      desired: component.desired,
      lowestAvailable: Number.isFinite(lowest) ? lowest : 0,
      // Nothing can be kept that was not there.
      promisedAvailable: Math.min(component.promised, first),
      peakSurge: Math.max(0, peak - usual),
    }));
  }

  curves(): ReadonlyMap<string, readonly CurvePoint[]> {
    return new Map(this.#parts.map(({ component, curve }) => [component.name, curve]));
  }

  /** Devices beyond what the workload had before, at the worst moment. */
  peakExtra(): Readonly<Record<string, number>> {
    const entries = [...this.#most]
      .filter(([name]) => name.includes("/"))
      .map(([name, most]) => [name, most - (this.#atFirst.get(name) ?? 0)] as const)
      .filter(([, extra]) => extra > 0);
    return Object.fromEntries(entries);
  }

  #record(type: SeenChange, pod: Pod, atMs: number): void {
    const { uid = "", namespace, name = "" } = pod.metadata;
    const isKnown = this.#pods.has(uid);
    const hasLeft = type === "DELETED" || isTerminating(pod);
    const write = { atMs, resource: "pods", ...(namespace && { namespace }), name };
    if (!isKnown && type === "ADDED") this.#writes.push({ ...write, verb: "create" });
    if (!hasLeft || !isKnown || this.#leaving.has(uid)) return;
    this.#leaving.add(uid);
    this.#writes.push({ ...write, verb: "delete" });
  }

  #counted(pod: Pod): Counted | undefined {
    const place = this.#components.placeOf(pod);
    const part = this.#partOf.get(place?.component ?? "");
    if (place === undefined || part === undefined) return undefined;
    const { unit } = place;
    const labels = pod.metadata.labels ?? {};
    const isLive = !isTerminating(pod) && !isFinished(pod);
    return {
      part,
      unit,
      isLive,
      isReady: isLive && isReady(pod),
      scope: scopeOf(part.component, unit, labels[labelKeys.podClique]),
      revision: revisionOf(labels),
      requests: podRequests(pod),
    };
  }

  #count(counted: Counted, sign: 1 | -1): void {
    counted.part.count(counted, sign);
    this.#changed.add(counted.part);
    for (const [name, amount] of counted.requests) {
      this.#taken.set(name, (this.#taken.get(name) ?? 0) + sign * amount);
    }
    if (!counted.isReady) return;
    const revisions = this.#revisions.get(counted.scope) ?? new Map<string, number>();
    change(revisions, counted.revision, sign);
    this.#revisions.set(counted.scope, revisions);
    this.hasMixedVersions ||= revisions.size > 1;
  }
}

/** What a role is made from comes first: revisions of its StatefulSet also count what pods do not show. */
const revisionOf = (labels: Readonly<Record<string, string>>): string =>
  labels[roleLabels.roleRevision] ??
  labels["controller-revision-hash"] ??
  labels[labelKeys.podTemplateHash] ??
  "";

/** Pods of one clique, or of the same clique in several replicas of a group, serve the same requests. */
const scopeOf = ({ name, unitsAreApart }: Component, unit: string, clique = ""): string =>
  unitsAreApart === true
    ? `${name}/${unit}/${clique}`
    : `${name}/${clique.replace(`${name}-${unit}-`, "")}`;

function change(counts: Map<string, number>, key: string, by: number): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}
