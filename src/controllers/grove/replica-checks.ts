/** Fresh reads before a replica is torn down or starts: is it still down, are pods of other revisions left in it. */
import { labelKeys, managedLabels, selectorText } from "../../api/grove/labels.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import { podCliqueResource } from "../../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../../api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../api/grove/scaling-group.ts";
import type { Pod } from "../../api/pod.ts";
import { isReady, podResource } from "../../api/pod.ts";
import type { LiveRead, LiveReader } from "../engine/write.ts";
import { deletesOf } from "../engine/write.ts";
import { isOfPodClique, isOrphanedPod } from "./orphans.ts";
import type { SetRevision } from "./set-revisions.ts";
import { revisionAnnotation } from "./set-revisions.ts";
import { templateHash } from "./clique-state.ts";
import { isTerminating } from "../../api/object.ts";

interface OldRevisionPodCheck {
  readonly place: ReplicaPlace;
  readonly revision: SetRevision;
  /** Whether new pods may start beside these. */
  mayStartBeside(left: readonly Pod[]): boolean;
  /** Whether a good answer stays good as long as the same question is asked. */
  readonly isLasting: boolean;
}

/**
 * Keeps the promise of ReplicaRecreate. Pods that nobody controls are deleted: no clique can take over a pod of another
 * revision, so it would be in the way for ever.
 */
export function oldRevisionPodCheck(check: OldRevisionPodCheck): LiveRead {
  const { place, revision, isLasting } = check;
  return {
    question: `are pods of revisions other than ${revision.name} left in ${place.set}-${place.index}`,
    read: async (live) => {
      const left = await podsOfOtherRevisions(live, place, revision);
      const isOpen = left !== undefined && check.mayStartBeside(left);
      const writes = deletesOf(podResource, left?.filter(isOrphanedPod) ?? []);
      return { isOpen, writes, ...(isOpen && isLasting ? { holdsForMs: Infinity } : {}) };
    },
  };
}

interface ReplicaPlace {
  readonly namespace: string | undefined;
  readonly set: string;
  readonly index: number;
  /** Only groups that there can be are asked for. */
  readonly hasGroups: boolean;
}

/**
 * The pods of other revisions in a replica, as the server has them; undefined while more may come. The order of the
 * lists matters. Once all groups report that they create members of this revision, a list of cliques is complete. Once
 * no clique of another revision is left, a list of pods is complete: its finalizer keeps a clique until its controller
 * has seen the deletion and creates no more pods for it.
 */
async function podsOfOtherRevisions(
  live: LiveReader,
  { namespace, set, index, hasGroups }: ReplicaPlace,
  revision: SetRevision,
): Promise<readonly Pod[] | undefined> {
  const labels = { ...managedLabels(set), [labelKeys.setReplicaIndex]: String(index) };
  const options = { namespace, labelSelector: selectorText(labels) };
  if (hasGroups) {
    const groups = await live.list<PodCliqueScalingGroup>(scalingGroupResource, options);
    if (!groups.items.every((group) => isAgreed(group, revision))) return undefined;
  }
  const cliques = await live.list<PodClique>(podCliqueResource, options);
  if (holdsAnotherRevision(cliques.items, revision)) return undefined;
  const pods = await live.list<Pod>(podResource, options);
  return pods.items.filter((pod) => isOfClique(pod) && holdsAnotherRevision([pod], revision));
}

/** Copies of pods that have the same labels do not count. */
const isOfClique = (pod: Pod): boolean => isOfPodClique(pod) || isOrphanedPod(pod);

const isAgreed = ({ metadata, status }: PodCliqueScalingGroup, { name }: SetRevision): boolean =>
  metadata.deletionTimestamp === undefined &&
  metadata.annotations?.[revisionAnnotation] === name &&
  status?.observedRevision === name;

/** Whether any of these, terminating or not, was created from the template of another revision. */
export function holdsAnotherRevision(
  objects: readonly (PodClique | Pod)[],
  revision: SetRevision,
): boolean {
  const hashes = new Set(Object.values(revision.cliqueHashes));
  return objects.some((object) => !hashes.has(templateHash(object)));
}

interface StillDown {
  /** For the question: `chat-1`. */
  readonly name: string;
  readonly namespace: string | undefined;
  /** Of its pods. */
  readonly labels: Readonly<Record<string, string>>;
  /** Its pods, as the cache shows them. */
  readonly seen: readonly Pod[];
}

/**
 * The deletion of a pod that looks broken carries its version; that of a clique cannot, since its pods are other
 * objects. So the server is asked whether one of them has become ready that the cache does not show as ready.
 */
export function stillDownCheck({ name, namespace, labels, seen }: StillDown): LiveRead {
  const ready = new Set(seen.filter(isReady).map(({ metadata }) => metadata.uid));
  const isAsSeen = (pod: Pod): boolean =>
    !isReady(pod) || isTerminating(pod) || ready.has(pod.metadata.uid);
  return {
    question: `is ${name} still down`,
    read: async (live) => {
      const options = { namespace, labelSelector: selectorText(labels) };
      const { items } = await live.list<Pod>(podResource, options);
      return { isOpen: items.every(isAsSeen) };
    },
  };
}
