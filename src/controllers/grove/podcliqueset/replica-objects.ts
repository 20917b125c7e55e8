/** Sorts what belongs to a set by replica, and keeps what did not change since the last reconcile. */
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
import type { GroveReaders } from "../caches.ts";
import type { Orphan } from "../../engine/adopt.ts";
import { orphansAmong } from "../orphans.ts";
import { controllerOf } from "../../engine/ownership.ts";
import { isOfPodClique } from "../orphans.ts";
import { isSameList, memoizeByIdentity } from "../../engine/memoize.ts";
import { numberLabel, podCliqueSetIndex, podCliqueSetReplicaIndex } from "../set-members.ts";

/**
 * Everything of one replica, in name order: the very same object until something in it changes. The writes of a replica
 * are memoized by it, so they may depend on nothing else but the inputs that are listed there.
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

  read(readers: GroveReaders): Replicas {
    const setKey = `${this.#set.namespace ?? ""}/${this.#set.name}`;
    const indices = new Set(
      kinds.flatMap((kind) => replicaIndices(readers[kind].byIndex(podCliqueSetIndex, setKey))),
    );
    const read = [...indices]
      .toSorted((a, b) => a - b)
      .map((index): [number, Known] => [index, this.#readOne(readers, setKey, index)]);
    this.#known = new Map(read);
    return new Map(read.map(([index, { objects }]) => [index, objects]));
  }

  #readOne(readers: GroveReaders, setKey: string, index: number): Known {
    const raw = { set: this.#set.name ?? "", index, ...listsOf(readers, `${setKey}/${index}`) };
    const lists = Object.values(raw);
    const known = this.#known.get(index);
    if (known !== undefined && isSameList(known.lists, lists)) return known;
    return { lists, objects: { ...owned(raw, this.#set.uid), orphans: orphansIn(raw) } };
  }
}

const listsOf = (readers: GroveReaders, replicaKey: string) => ({
  groups: readers.groups.byIndex(podCliqueSetReplicaIndex, replicaKey),
  cliques: readers.cliques.byIndex(podCliqueSetReplicaIndex, replicaKey),
  pods: readers.pods.byIndex(podCliqueSetReplicaIndex, replicaKey),
  gangs: readers.gangs.byIndex(podCliqueSetReplicaIndex, replicaKey),
  services: readers.services.byIndex(podCliqueSetReplicaIndex, replicaKey),
  autoscalers: readers.autoscalers.byIndex(podCliqueSetReplicaIndex, replicaKey),
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
