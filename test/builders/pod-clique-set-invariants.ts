/** Invariants over the pods of PodCliqueSets, for scenarios that know more than the specs say. */
import { labelKeys } from "../../src/api/grove/labels.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady } from "../../src/api/pod.ts";
import { must } from "./must.ts";
import type { Invariant } from "../../src/simulation/scenario-kind.ts";
import { hostnameOf, imageOf } from "../../src/simulation/scenario-kind.ts";

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
export type LiveInvariant = (pods: readonly LivePod[], at: string) => void;

/** By hostname. */
export const livePodsOf = (pods: readonly Pod[]): LivePod[] =>
  pods.map(livePod).toSorted((a, b) => (a.hostname < b.hostname ? -1 : 1));

function livePod(pod: Pod): LivePod {
  const { labels = {}, deletionTimestamp } = pod.metadata;
  const group = labels[labelKeys.scalingGroupReplicaIndex];
  return {
    clique: labels[labelKeys.podClique] ?? "",
    setReplica: Number(labels[labelKeys.setReplicaIndex]),
    groupReplica: group === undefined ? undefined : Number(group),
    hostname: hostnameOf(pod),
    image: imageOf(pod),
    isReady: isReady(pod),
    isTerminating: deletionTimestamp !== undefined,
  };
}

/** Terminating ones included: they answer to their name until they are gone. */
export const hostnamesAreUnique: Invariant = (pods, at) => {
  const hosts = pods.map(hostnameOf).filter((hostname) => hostname !== "");
  must(new Set(hosts).size === hosts.length, `${at}: two pods with one hostname`, () => hosts);
};

/** At least so many replicas of the set have all these cliques ready. */
export const setReplicasServing =
  (atLeast: number, needed: Readonly<Record<string, number>>): LiveInvariant =>
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
  (clique: string, atLeast: number): LiveInvariant =>
  (pods, at) => {
    const ready = pods.filter((pod) => pod.clique.endsWith(`-${clique}`) && serves(pod)).length;
    must(ready >= atLeast, `${at}: ${ready} pods of ${clique} ready, want ${atLeast}`, () => pods);
  };

/** At least so many replicas of scaling groups have all their pods ready, all replicas of the set together. */
export const groupReplicasReady =
  (atLeast: number, podsEach: number): LiveInvariant =>
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
  (podsEach: number, isNew: (pod: LivePod) => boolean): LiveInvariant =>
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
  (versionOf: (image: string) => string): LiveInvariant =>
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
