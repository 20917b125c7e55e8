/** Follows every pod, clique and gang of a scenario: a line per change, and promises checked after each event. */
import { labelKeys } from "../../src/api/grove/labels.ts";
import type { PodClique } from "../../src/api/grove/podclique.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import { podGangResource } from "../../src/api/grove/podgang.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import type { Resource } from "../../src/api/resource.ts";
import type { Client, WatchOptions } from "../../src/runtime/client.ts";
import type { Line } from "./moments.ts";
import { storyOf } from "./moments.ts";
import { must } from "./must.ts";

export interface LivePod {
  readonly clique: string;
  readonly setReplica: number;
  readonly groupReplica: number | undefined;
  readonly hostname: string;
  readonly image: string;
  readonly isReady: boolean;
  readonly isTerminating: boolean;
}

/** Throws where it is broken. */
type Invariant = (pods: readonly LivePod[], at: string) => void;

export class CliqueWatcher {
  readonly #now: () => number;
  readonly #startMs: number;
  readonly #selection: WatchOptions;
  readonly #pods = new Map<string, Pod>();
  readonly #promises: Invariant[] = [];
  readonly #lines: Line[] = [];
  readonly violations: string[] = [];

  constructor(
    client: Client,
    clock: { now(): number },
    selection: Pick<WatchOptions, "namespace" | "labelSelector" | "signal"> = {},
  ) {
    this.#selection = selection;
    this.#now = () => clock.now();
    this.#startMs = clock.now();
    this.#follow<Pod>(client, podResource, (type, pod, before) => this.#seePod(type, pod, before));
    this.#follow<PodClique>(client, podCliqueResource, (type, clique) => {
      if (type === "ADDED") this.#line(`+clique ${clique.metadata.name}`);
      if (type === "DELETED") this.#line(`-clique ${clique.metadata.name}`);
    });
    this.#follow(client, podGangResource, (type, gang) => {
      if (type === "ADDED") this.#line(`+gang ${gang.metadata.name}`);
      if (type === "DELETED") this.#line(`-gang ${gang.metadata.name}`);
    });
    this.always(hostnamesAreUnique);
  }

  /** Judged after every event from now on; the first break of a promise is kept for the end. */
  always(promise: Invariant): void {
    this.#promises.push(promise);
  }

  /** Lines since the last call. */
  take(): string[] {
    return this.#lines.splice(0).map(({ atMs, text }) => `${this.#at(atMs)} ${text}`);
  }

  /** Since the last `take`. */
  story(): string {
    return storyOf(this.#lines);
  }

  pods(): LivePod[] {
    return [...this.#pods.values()]
      .map(livePod)
      .toSorted((a, b) => (a.hostname < b.hostname ? -1 : 1));
  }

  /** `chat-0-frontend-0 frontend:v1`, `!` where it is not ready. */
  drawing(): string[] {
    return this.pods()
      .filter(({ isTerminating }) => !isTerminating)
      .map(({ hostname, image, isReady: ready }) => `${hostname} ${image}${ready ? "" : "!"}`);
  }

  #follow<T extends KubeObject>(
    client: Client,
    resource: Resource,
    see: (type: string, object: T, before: T | undefined) => void,
  ): void {
    const known = new Map<string, T>();
    void client.watch<T>(resource, { ...this.#selection, resourceVersion: "0" }, (event) => {
      if (event.type === "ERROR" || event.type === "BOOKMARK") return;
      const name = event.object.metadata.name ?? "";
      see(event.type, event.object, known.get(name));
      if (event.type === "DELETED") known.delete(name);
      else known.set(name, event.object);
    });
  }

  #seePod(type: string, pod: Pod, before: Pod | undefined): void {
    const name = pod.metadata.name ?? "";
    const { hostname, image, isReady: ready, isTerminating } = livePod(pod);
    const gang = pod.metadata.labels?.[labelKeys.podGang] ?? "no gang";
    if (type === "ADDED") this.#line(`+${hostname} ${image} in ${gang}`);
    const wasGoing = before?.metadata.deletionTimestamp !== undefined;
    if (isTerminating && !wasGoing) this.#line(`-${hostname} ${image}`);
    if (ready && !isTerminating && before !== undefined && !isReady(before))
      this.#line(`${hostname} up`);
    if (type === "DELETED") this.#pods.delete(name);
    else this.#pods.set(name, pod);
    this.#judge();
  }

  #judge(): void {
    const pods = this.pods();
    for (const promise of this.#promises) {
      try {
        promise(pods, this.#at());
      } catch (error) {
        this.violations.push(error instanceof Error ? error.message : String(error));
      }
    }
  }

  #at(atMs = this.#now()): string {
    return `${((atMs - this.#startMs) / 1000).toFixed(0)}s`;
  }

  #line(text: string): void {
    this.#lines.push({ atMs: this.#now(), text });
  }
}

function livePod(pod: Pod): LivePod {
  const { labels = {}, deletionTimestamp } = pod.metadata;
  const group = labels[labelKeys.scalingGroupReplicaIndex];
  return {
    clique: labels[labelKeys.podClique] ?? "",
    setReplica: Number(labels[labelKeys.setReplicaIndex]),
    groupReplica: group === undefined ? undefined : Number(group),
    hostname: pod.spec.hostname ?? "",
    image: pod.spec.containers[0]?.image ?? "",
    isReady: isReady(pod),
    isTerminating: deletionTimestamp !== undefined,
  };
}

/** Those on their way out included: they answer to their name until they are gone. */
function hostnamesAreUnique(pods: readonly LivePod[], at: string): void {
  const hosts = pods.map(({ hostname }) => hostname).filter((hostname) => hostname !== "");
  must(new Set(hosts).size === hosts.length, `${at}: two pods with one hostname`, () => hosts);
}

/** At least so many replicas of the set have all these cliques ready. */
export const setReplicasServing =
  (atLeast: number, needed: Readonly<Record<string, number>>): Invariant =>
  (pods, at) => {
    const replicas = new Set(pods.map(({ setReplica }) => setReplica));
    const serving = [...replicas].filter((index) =>
      Object.entries(needed).every(([clique, count]) => {
        const ready = pods.filter(
          (pod) =>
            pod.setReplica === index &&
            pod.clique.endsWith(`-${clique}`) &&
            pod.isReady &&
            !pod.isTerminating,
        );
        return ready.length >= count;
      }),
    );
    must(
      serving.length >= atLeast,
      `${at}: ${serving.length} replicas serve, want ${atLeast}`,
      () => pods,
    );
  };

/** At least so many pods of a clique are ready, all replicas of the set together. */
export const podsReady =
  (clique: string, atLeast: number): Invariant =>
  (pods, at) => {
    const ready = pods.filter((pod) => pod.clique.endsWith(`-${clique}`) && serves(pod)).length;
    must(ready >= atLeast, `${at}: ${ready} pods of ${clique} ready, want ${atLeast}`, () => pods);
  };

/** At least so many replicas of scaling groups have all their pods ready, all replicas of the set together. */
export const groupReplicasReady =
  (atLeast: number, podsEach: number): Invariant =>
  (pods, at) => {
    const counts = new Map<string, number>();
    for (const pod of pods) {
      if (pod.groupReplica === undefined || !serves(pod)) continue;
      const replica = `${pod.setReplica}/${pod.groupReplica}`;
      counts.set(replica, (counts.get(replica) ?? 0) + 1);
    }
    const whole = [...counts.values()].filter((count) => count >= podsEach).length;
    must(whole >= atLeast, `${at}: ${whole} group replicas whole, want ${atLeast}`, () => pods);
  };

const serves = ({ isReady: ready, isTerminating }: LivePod): boolean => ready && !isTerminating;

/** A replica that has begun to change is whole on the new images before another begins. */
export const oneReplicaAfterAnother =
  (podsEach: number, isNew: (pod: LivePod) => boolean): Invariant =>
  (pods, at) => {
    const byReplica = new Map<number, LivePod[]>();
    for (const pod of pods) {
      const known = byReplica.get(pod.setReplica);
      if (known === undefined) byReplica.set(pod.setReplica, [pod]);
      else known.push(pod);
    }
    const between = [...byReplica].filter(([, own]) => {
      const serving = own.filter(serves);
      if (serving.length < podsEach) return true;
      return serving.some(isNew) && !serving.every(isNew);
    });
    const names = between.map(([index]) => index);
    must(between.length <= 1, `${at}: replicas ${names.join(", ")} change at once`, () => pods);
  };

/** ReplicaRecreate: pods of two revisions never live in one replica. */
export const oneRevisionPerReplica =
  (versionOf: (image: string) => string): Invariant =>
  (pods, at) => {
    const seen = new Map<number, string>();
    for (const pod of pods) {
      const version = versionOf(pod.image);
      const other = seen.get(pod.setReplica);
      must(
        other === undefined || other === version,
        `${at}: replica ${pod.setReplica} is torn`,
        () => pods,
      );
      seen.set(pod.setReplica, version);
    }
  };
