/** Reads the caches into one view of a set and everything that is part of it. */
import type { DefaultedSetSpec } from "../../api/grove/defaults.ts";
import { withDefaults } from "../../api/grove/defaults.ts";
import { labelKeys } from "../../api/grove/labels.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import type { PodCliqueSet } from "../../api/grove/podcliqueset.ts";
import type { PodGang } from "../../api/grove/podgang.ts";
import type { PodCliqueScalingGroup } from "../../api/grove/scaling-group.ts";
import type { ClusterTopologyBinding } from "../../api/grove/cluster-topology.ts";
import type { KubeObject, ObjectKey } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { GroveCaches } from "../grove-caches.ts";
import { controllerOf } from "../ownership.ts";
import { groupedBy, numberLabel, setIndex } from "../set-members.ts";
import type { SetRevision } from "../set-revisions.ts";
import { sortRevisions } from "../set-revisions.ts";

/** Objects of one kind by the replica of the set they belong to. */
export type ByReplica<T> = ReadonlyMap<number, readonly T[]>;

export interface Observed {
  readonly nowMs: number;
  readonly set: PodCliqueSet;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly spec: DefaultedSetSpec;
  readonly groups: ByReplica<PodCliqueScalingGroup>;
  /** Standalone ones and members alike. */
  readonly cliques: ByReplica<PodClique>;
  readonly pods: ByReplica<Pod>;
  readonly gangs: readonly PodGang[];
  readonly services: readonly KubeObject[];
  readonly autoscalers: readonly KubeObject[];
  /** Oldest first. */
  readonly revisions: readonly SetRevision[];
  topology(name: string): ClusterTopologyBinding | undefined;
}

export function observe(caches: GroveCaches, key: ObjectKey, nowMs: number): Observed | undefined {
  const set = caches.sets.get(key);
  if (set === undefined) return undefined;
  const { uid, name = "", namespace } = set.metadata;
  const indexKey = `${namespace ?? ""}/${name}`;
  const isOurs = (object: KubeObject): boolean => controllerOf(object)?.uid === uid;
  const all = <T extends KubeObject>(cache: Cache<T>): readonly T[] =>
    cache.byIndex(setIndex, indexKey).toSorted(byName);
  const groups = all(caches.groups).filter(isOurs);
  const groupUids = new Set(groups.map(({ metadata }) => metadata.uid));
  // A member whose group is gone is garbage already; the collector takes it.
  const cliques = all(caches.cliques).filter(
    (clique) => isOurs(clique) || groupUids.has(controllerOf(clique)?.uid ?? ""),
  );
  return {
    nowMs,
    set,
    name,
    namespace,
    spec: withDefaults(set.spec),
    groups: byReplica(groups),
    cliques: byReplica(cliques),
    pods: byReplica(all(caches.pods)),
    gangs: all(caches.gangs).filter(isOurs),
    services: all(caches.services).filter(isOurs),
    autoscalers: all(caches.autoscalers).filter(isOurs),
    revisions: sortRevisions(all(caches.revisions).filter(isOurs)),
    topology: (topology) => caches.topologies.get({ name: topology }),
  };
}

const byName = (a: KubeObject, b: KubeObject): number =>
  (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;

function byReplica<T extends KubeObject>(objects: readonly T[]): ByReplica<T> {
  const indexed = objects.filter(
    (object) => numberLabel(object, labelKeys.setReplicaIndex) !== undefined,
  );
  return groupedBy(indexed, (object) => numberLabel(object, labelKeys.setReplicaIndex) ?? 0);
}
