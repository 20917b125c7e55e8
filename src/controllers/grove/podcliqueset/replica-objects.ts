/** Sorts what belongs to a set by replica, and keeps what did not change since the last look. */
import { autoscalerResource } from "../../../api/autoscaler.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import type { PodGang } from "../../../api/grove/podgang.ts";
import { podGangResource } from "../../../api/grove/podgang.ts";
import type { PodCliqueScalingGroup } from "../../../api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import type { KubeObject } from "../../../api/object.ts";
import type { Pod } from "../../../api/pod.ts";
import { serviceResource } from "../../../api/service.ts";
import type { GroveCaches } from "../caches.ts";
import type { Orphan } from "../../engine/adopt.ts";
import { orphansAmong } from "../orphans.ts";
import { controllerOf } from "../../engine/ownership.ts";
import { isOfPodClique } from "../orphans.ts";
import { isSameList, memoizeByIdentity } from "../../engine/memoize.ts";
import { numberLabel, setIndex, setReplicaIndex } from "../set-members.ts";

/**
 * Everything of one replica, in name order: the very same object until something in it changes. What is decided and
 * done for one replica may depend on nothing else that changes, or it would be taken for done too early.
 */
export interface ReplicaObjects {
  /** The name of the set. */
  readonly set: string;
  readonly index: number;
  readonly groups: readonly PodCliqueScalingGroup[];
  /** Standalone ones and members alike. */
  readonly cliques: readonly PodClique[];
  /** Of earlier incarnations too: they hold their places until they are gone. */
  readonly pods: readonly Pod[];
  readonly gangs: readonly PodGang[];
  readonly services: readonly KubeObject[];
  readonly autoscalers: readonly KubeObject[];
  /** Of any of these kinds but pods: labelled as part of the replica, and of no owner. */
  readonly orphans: readonly Orphan[];
}

/** A replica of which there is nothing. */
export const nothingOf = (set: string, index: number): ReplicaObjects => ({
  set,
  index,
  groups: [],
  cliques: [],
  pods: [],
  gangs: [],
  services: [],
  autoscalers: [],
  orphans: [],
});

export type Replicas = ReadonlyMap<number, ReplicaObjects>;

const kinds = ["groups", "cliques", "pods", "gangs", "services", "autoscalers"] as const;

interface Known {
  readonly lists: readonly unknown[];
  readonly objects: ReplicaObjects;
}

/** The replicas of one incarnation of a set. */
export class ReplicaReader {
  readonly #set: KubeObject["metadata"];
  #known: ReadonlyMap<number, Known> = new Map();

  constructor(set: KubeObject) {
    this.#set = set.metadata;
  }

  read(caches: GroveCaches): Replicas {
    const setKey = `${this.#set.namespace ?? ""}/${this.#set.name}`;
    const indices = new Set(
      kinds.flatMap((kind) => replicaIndices(caches[kind].byIndex(setIndex, setKey))),
    );
    const read = [...indices]
      .toSorted((a, b) => a - b)
      .map((index): [number, Known] => [index, this.#readOne(caches, setKey, index)]);
    this.#known = new Map(read);
    return new Map(read.map(([index, { objects }]) => [index, objects]));
  }

  #readOne(caches: GroveCaches, setKey: string, index: number): Known {
    const raw = { set: this.#set.name ?? "", index, ...listsOf(caches, `${setKey}/${index}`) };
    const lists = Object.values(raw);
    const known = this.#known.get(index);
    if (known !== undefined && isSameList(known.lists, lists)) return known;
    return { lists, objects: { ...owned(raw, this.#set.uid), orphans: orphansIn(raw) } };
  }
}

const listsOf = (caches: GroveCaches, replicaKey: string) => ({
  groups: caches.groups.byIndex(setReplicaIndex, replicaKey),
  cliques: caches.cliques.byIndex(setReplicaIndex, replicaKey),
  pods: caches.pods.byIndex(setReplicaIndex, replicaKey),
  gangs: caches.gangs.byIndex(setReplicaIndex, replicaKey),
  services: caches.services.byIndex(setReplicaIndex, replicaKey),
  autoscalers: caches.autoscalers.byIndex(setReplicaIndex, replicaKey),
});

type Raw = Omit<ReplicaObjects, "orphans">;

function owned(raw: Raw, setUid: string | undefined): Raw {
  const isOurs = (object: KubeObject): boolean => controllerOf(object)?.uid === setUid;
  const groups = byName(raw.groups).filter(isOurs);
  const groupUids = new Set(groups.map(({ metadata }) => metadata.uid));
  // A member whose group is gone is garbage already; the collector takes it.
  const isPart = (clique: PodClique): boolean =>
    isOurs(clique) || groupUids.has(controllerOf(clique)?.uid ?? "");
  return {
    ...raw,
    groups,
    cliques: byName(raw.cliques).filter(isPart),
    pods: byName(raw.pods).filter(isOfPodClique),
    gangs: byName(raw.gangs).filter(isOurs),
    services: byName(raw.services).filter(isOurs),
    autoscalers: byName(raw.autoscalers).filter(isOurs),
  };
}

const orphansIn = ({ groups, cliques, gangs, services, autoscalers }: Raw): readonly Orphan[] => [
  ...orphansAmong(serviceResource, byName(services)),
  ...orphansAmong(autoscalerResource, byName(autoscalers)),
  ...orphansAmong(podGangResource, byName(gangs)),
  ...orphansAmong(scalingGroupResource, byName(groups)),
  ...orphansAmong(podCliqueResource, byName(cliques)),
];

const replicaIndices = memoizeByIdentity((objects: readonly KubeObject[]): readonly number[] => [
  ...new Set(objects.flatMap((object) => numberLabel(object, labelKeys.setReplicaIndex) ?? [])),
]);

const byName = <T extends KubeObject>(objects: readonly T[]): readonly T[] =>
  objects.toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
