/** Sorts what belongs to a set by replica, and keeps what did not change since the last reconcile. */
import { autoscalerResource } from "../../../api/autoscaler.ts";
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
import type { Orphan } from "../../engine/ownership.ts";
import { controllerOf } from "../../engine/ownership.ts";
import { isOfPodClique, orphansAmong } from "../orphans.ts";
import { isSameList } from "../../engine/memoize.ts";
import { inNameOrder, podCliqueSetReplicaIndex } from "../set-members.ts";

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

type Lists = Pick<ReplicaObjects, (typeof kinds)[number]>;

interface Known {
  readonly key: string;
  readonly lists: Lists;
  readonly objects: ReplicaObjects;
}

/** The replicas of one incarnation of a set. */
export class ReplicaReader {
  readonly #set: KubeObject["metadata"];
  readonly #setKey: string;
  #known: ReadonlyMap<number, Known> = new Map();
  #read: Replicas = new Map();
  readonly #indices: (readers: GroveReaders) => readonly number[];

  constructor(set: KubeObject) {
    this.#set = set.metadata;
    this.#setKey = `${set.metadata.namespace ?? ""}/${set.metadata.name}`;
    this.#indices = replicaIndices(this.#setKey);
  }

  /** The very same map until something in it changes. */
  read(readers: GroveReaders): Replicas {
    let isSame = true;
    const known = new Map<number, Known>();
    for (const index of this.#indices(readers)) {
      const before = this.#known.get(index);
      const now = this.#readOne(readers, index, before);
      isSame &&= now === before;
      known.set(index, now);
    }
    if (isSame && known.size === this.#known.size) return this.#read;
    this.#known = known;
    this.#read = new Map([...known].map(([index, { objects }]) => [index, objects]));
    return this.#read;
  }

  #readOne(readers: GroveReaders, index: number, known: Known | undefined): Known {
    const key = known?.key ?? `${this.#setKey}/${index}`;
    if (known !== undefined && isUnchanged(readers, known)) return known;
    const lists = listsOf(readers, key);
    const raw = { set: this.#set.name ?? "", index, ...lists };
    return { key, lists, objects: { ...owned(raw, this.#set.uid), orphans: orphansIn(raw) } };
  }
}

function isUnchanged(readers: GroveReaders, { key, lists }: Known): boolean {
  for (const kind of kinds) {
    if (readers[kind].byIndex(podCliqueSetReplicaIndex, key) !== lists[kind]) return false;
  }
  return true;
}

const listsOf = (readers: GroveReaders, replicaKey: string): Lists => ({
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
  const groups = inNameOrder(raw.groups).filter(isOurs);
  const groupUids = new Set(groups.map(({ metadata }) => metadata.uid));
  // A member whose group is gone is garbage already; the collector takes it.
  const isPart = (clique: PodClique): boolean =>
    isOurs(clique) || groupUids.has(controllerOf(clique)?.uid ?? "");
  return {
    ...raw,
    groups,
    cliques: inNameOrder(raw.cliques).filter(isPart),
    pods: inNameOrder(raw.pods).filter(isOfPodClique),
    gangs: inNameOrder(raw.gangs).filter(isOurs),
    services: inNameOrder(raw.services).filter(isOurs),
    autoscalers: inNameOrder(raw.autoscalers).filter(isOurs),
  };
}

const orphansIn = ({ groups, cliques, gangs, services, autoscalers }: Raw): readonly Orphan[] => [
  ...orphansAmong(serviceResource, inNameOrder(services)),
  ...orphansAmong(autoscalerResource, inNameOrder(autoscalers)),
  ...orphansAmong(podGangResource, inNameOrder(gangs)),
  ...orphansAmong(scalingGroupResource, inNameOrder(groups)),
  ...orphansAmong(podCliqueResource, inNameOrder(cliques)),
];

/** The indices of everything that there is of a set, in order: the very same list until a replica comes or goes. */
function replicaIndices(setKey: string): (readers: GroveReaders) => readonly number[] {
  let last: {
    readonly values: readonly (readonly string[])[];
    readonly indices: readonly number[];
  };
  return (readers) => {
    const values = kinds.map((kind) => readers[kind].valuesUnder(podCliqueSetReplicaIndex, setKey));
    if (last !== undefined && isSameList(last.values, values)) return last.indices;
    const numbers = values.flat().map((value) => Number(value.slice(setKey.length + 1)));
    last = { values, indices: [...new Set(numbers)].toSorted((a, b) => a - b) };
    return last.indices;
  };
}
