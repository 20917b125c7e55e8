/** One StatefulSet on any cluster, simulated or real: what a script does to it and what it can see of it. */
import type { StatefulSet } from "../../src/api/apps.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import type { Client } from "../../src/runtime/client.ts";
import type { StatefulSetOptions } from "./stateful-set-scenario.ts";
import { gate, statefulSetOf } from "./stateful-set-scenario.ts";

/** A cluster on which Lockstep is the StatefulSet controller, and its way of letting time pass. */
export interface StatefulSetWorld {
  readonly client: Client;
  /** They follow readiness gates, which the stage opens; kwok follows nothing, and its pods are ready at once. */
  readonly hasKubelets: boolean;
  /** A problem of the operator that has to occur where time is virtual, and may elsewhere. */
  expectComplaint(pattern: RegExp): void;
  /** Looks until it is so; fails after a while. */
  until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T>;
  /** Long enough for whatever would happen by itself. */
  pass(): Promise<void>;
}

export interface Guard {
  /** The fewest pods that served at once. */
  fewest: number;
}

const namespace = "default";

export class StatefulSetStage {
  readonly name: string;
  readonly world: StatefulSetWorld;
  /** `+web-0` and `-web-0` in the order the server sent them. */
  readonly log: string[] = [];
  readonly #pods = new Map<string, Pod>();
  readonly #ending = new AbortController();
  #guard: Guard | undefined;

  constructor(world: StatefulSetWorld, name: string) {
    this.world = world;
    this.name = name;
  }

  get key(): { namespace: string; name: string } {
    return { namespace, name: this.name };
  }

  async create(options: Omit<StatefulSetOptions, "name">): Promise<StatefulSet> {
    await this.#watchPods(options.gated === true && this.world.hasKubelets);
    return this.world.client.create(
      statefulSetResource,
      statefulSetOf({ ...options, name: this.name }),
    );
  }

  /** The set is created and its pods serve. */
  async createAndWait(options: Omit<StatefulSetOptions, "name">): Promise<StatefulSet> {
    await this.create(options);
    return this.rolledOut();
  }

  end(): void {
    this.#ending.abort();
  }

  set = (): Promise<StatefulSet> => this.world.client.get(statefulSetResource, this.key);

  patch = (body: unknown): Promise<StatefulSet> =>
    this.world.client.patch(statefulSetResource, this.key, { type: "merge", body });

  scale = (replicas: number): Promise<StatefulSet> => this.patch({ spec: { replicas } });

  /** `broken` never starts: simulated nodes know it by its image, kwok's by a label. */
  setImage(image: string): Promise<StatefulSet> {
    const failing = image.endsWith(":broken") ? "true" : null;
    const labels = { "lockstep.dev/failing": failing };
    const containers = [{ name: "app", image }];
    return this.patch({ spec: { template: { metadata: { labels }, spec: { containers } } } });
  }

  pods = async (): Promise<Pod[]> => {
    const selection = { namespace, labelSelector: `app=${this.name}` };
    return (await this.world.client.list<Pod>(podResource, selection)).items;
  };

  pod = (ordinal: number): Promise<Pod> =>
    this.world.client.get(podResource, { namespace, name: this.podName(ordinal) });

  podName = (ordinal: number): string => `${this.name}-${ordinal}`;

  deletePod = (ordinal: number): Promise<void> =>
    this.world.client.delete(podResource, { namespace, name: this.podName(ordinal) });

  patchPod = (ordinal: number, body: unknown): Promise<Pod> =>
    this.world.client.patch(
      podResource,
      { namespace, name: this.podName(ordinal) },
      { type: "merge", body },
    );

  /**
   * For gated sets. A pod that no longer serves has been seen by the controller when this ends: it hears of pods and
   * of the set on two streams, and what is next asked of the set might come first.
   */
  async setReady(ordinal: number, isOpen: boolean): Promise<void> {
    await this.#setReady(this.podName(ordinal), isOpen);
    if (isOpen) return;
    await this.world.until(`${this.name} has heard of pod ${ordinal}`, async () => {
      const ready = (await this.pods()).filter(isReady).length;
      return ((await this.set()).status?.readyReplicas ?? 0) === ready;
    });
  }

  failPod(ordinal: number, phase: "Failed" | "Succeeded"): Promise<unknown> {
    const patch = { type: "merge", body: { status: { phase, reason: "Evicted" } } } as const;
    const key = { namespace, name: this.podName(ordinal) };
    return this.world.client.patch(podResource, key, patch, { subresource: "status" });
  }

  /** `0:v1 1:v2!`, by ordinal; `!` does not serve. */
  async drawing(): Promise<string> {
    const marks = (await this.pods()).map((pod) => {
      const ordinal = Number(pod.metadata.name?.slice(this.name.length + 1));
      const version = pod.spec.containers[0]?.image?.split(":")[1];
      return [ordinal, `${ordinal}:${version}${serves(pod) ? "" : "!"}`] as const;
    });
    return marks
      .toSorted(([a], [b]) => a - b)
      .map(([, mark]) => mark)
      .join(" ");
  }

  looksLike(want: string): Promise<unknown> {
    return this.world.until(`${this.name} looks like ${want}`, async () =>
      (await this.drawing()) === want ? true : undefined,
    );
  }

  rolledOut(): Promise<StatefulSet> {
    return this.world.until(`${this.name} is rolled out`, async () => {
      const set = await this.set();
      return isRolledOut(set) && set;
    });
  }

  statusIs(what: string, holds: (set: StatefulSet) => boolean): Promise<StatefulSet> {
    return this.world.until(`${this.name}: ${what}`, async () => {
      const set = await this.set();
      return holds(set) && set;
    });
  }

  /** From now on records the fewest pods that served. */
  guard(): Guard {
    this.#guard = { fewest: Number.POSITIVE_INFINITY };
    this.#look();
    return this.#guard;
  }

  async #setReady(name: string, isOpen: boolean): Promise<void> {
    const status = isOpen ? "True" : "False";
    // A kubelet concludes from the gate whether the pod is ready, once it runs; kwok concludes nothing.
    const types = this.world.hasKubelets ? [gate] : [gate, "Ready"];
    const conditions = types.map((type) => ({ type, status }));
    const patch = { type: "strategic", body: { status: { conditions } } } as const;
    const options = { subresource: "status" };
    await this.world.client.patch(podResource, { namespace, name }, patch, options);
  }

  #look(): void {
    if (this.#guard === undefined) return;
    const serving = [...this.#pods.values()].filter(serves).length;
    this.#guard.fewest = Math.min(this.#guard.fewest, serving);
  }

  async #watchPods(opensGates: boolean): Promise<void> {
    const selection = { namespace, labelSelector: `app=${this.name}` };
    const { metadata } = await this.world.client.list<Pod>(podResource, selection);
    const { resourceVersion } = metadata;
    const options = { ...selection, resourceVersion, signal: this.#ending.signal };
    void this.world.client.watch<Pod>(podResource, options, (event) => {
      if (event.type === "ERROR" || event.type === "BOOKMARK") return;
      const { object } = event;
      const name = object.metadata.name ?? "";
      const wasGoing = this.#pods.get(name)?.metadata.deletionTimestamp !== undefined;
      const isGone = event.type === "DELETED";
      if (event.type === "ADDED") this.log.push(`+${name}`);
      if (!wasGoing && (isGone || isTerminating(object))) this.log.push(`-${name}`);
      if (isGone) this.#pods.delete(name);
      else this.#pods.set(name, object);
      if (event.type === "ADDED" && opensGates) void this.#setReady(name, true);
      this.#look();
    });
  }
}

const isTerminating = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined;

const serves = (pod: Pod): boolean => isReady(pod) && !isTerminating(pod);

export const isRolledOut = ({ metadata, spec, status }: StatefulSet): boolean =>
  status?.observedGeneration === metadata.generation &&
  (status?.readyReplicas ?? 0) === spec.replicas &&
  (status?.updatedReplicas ?? 0) === spec.replicas &&
  (status?.replicas ?? 0) === spec.replicas &&
  status?.currentRevision === status?.updateRevision;
