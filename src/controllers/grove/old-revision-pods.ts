/** The pods of other revisions in a replica, as the server has them: caches may be late. */
import { labelKeys, managedLabels, selectorText } from "../../api/grove/labels.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import { podCliqueResource } from "../../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../../api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../api/grove/scaling-group.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import type { Client } from "../../runtime/client.ts";
import { isOfPodClique, isOrphanedPod } from "./orphans.ts";
import { holdsAnotherRevision } from "./replica-revision.ts";
import type { SetRevision } from "./set-revisions.ts";
import { revisionAnnotation } from "./set-revisions.ts";

export interface ReplicaPlace {
  readonly namespace: string | undefined;
  readonly set: string;
  readonly index: number;
  /** Only groups that there can be are asked for. */
  readonly hasGroups: boolean;
}

/**
 * The pods of other revisions in a replica, as the server has them; undefined while more may come. Caches may not show
 * yet what another controller did a moment ago. The order matters. Once all groups have said that they make members of
 * this revision, a list of cliques is complete; and once the others among these are gone, which their finalizers put
 * off until nobody makes pods for them, so is a list of pods.
 */
export async function podsOfOtherRevisions(
  client: Client,
  { namespace, set, index, hasGroups }: ReplicaPlace,
  revision: SetRevision,
): Promise<readonly Pod[] | undefined> {
  const labels = { ...managedLabels(set), [labelKeys.setReplicaIndex]: String(index) };
  const options = { namespace, labelSelector: selectorText(labels) };
  if (hasGroups) {
    const groups = await client.list<PodCliqueScalingGroup>(scalingGroupResource, options);
    if (!groups.items.every((group) => isAgreed(group, revision))) return undefined;
  }
  const cliques = await client.list<PodClique>(podCliqueResource, options);
  if (holdsAnotherRevision(cliques.items, revision)) return undefined;
  const pods = await client.list<Pod>(podResource, options);
  return pods.items.filter((pod) => isOfClique(pod) && holdsAnotherRevision([pod], revision));
}

/** Copies of pods that bear their labels are nobody's. */
const isOfClique = (pod: Pod): boolean => isOfPodClique(pod) || isOrphanedPod(pod);

const isAgreed = ({ metadata, status }: PodCliqueScalingGroup, { name }: SetRevision): boolean =>
  metadata.deletionTimestamp === undefined &&
  metadata.annotations?.[revisionAnnotation] === name &&
  status?.observedRevision === name;
