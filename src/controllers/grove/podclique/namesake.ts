/** What becomes of a pod that already has the name of one to be made, though no cache shows it. */
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import type { ObjectKey } from "../../../api/object.ts";
import { isTerminating } from "../../../api/object.ts";
import type { Pod } from "../../../api/pod.ts";
import { podResource } from "../../../api/pod.ts";
import type { Client } from "../../../runtime/client.ts";
import { controllerReferenceTo } from "../../engine/child-writes.ts";
import { isStillThere, lookUp } from "../../engine/live-reads.ts";
import { adoptionPatch, controllerOf } from "../../engine/ownership.ts";
import { isOfPodClique } from "../orphans.ts";

/**
 * Ours after all, where only the answer was lost; or an earlier clique's, which the collector takes. Both are waited
 * for. One that lost its owner is taken over. A stranger has to be told of: it would be in the way for ever.
 */
export async function meetNamesake(
  client: Client,
  clique: PodClique,
  key: ObjectKey,
): Promise<void> {
  const pod = await lookUp<Pod>(client, podResource, key);
  if (pod === undefined || isOfPodClique(pod)) return;
  if (isTerminating(pod)) return;
  if (!isOrphanOf(pod, clique)) throw new Error(strangerText(key));
  // A clique that is gone would take the pod along.
  if (!(await isStillThere(client, podCliqueResource, clique))) return;
  const body = adoptionPatch(pod, controllerReferenceTo(podCliqueResource, clique));
  await client.patch(podResource, key, { type: "strategic", body });
}

const isOrphanOf = (pod: Pod, { metadata }: PodClique): boolean =>
  controllerOf(pod) === undefined && pod.metadata.labels?.[labelKeys.podClique] === metadata.name;

const strangerText = ({ namespace, name }: ObjectKey): string =>
  `pod ${namespace}/${name} exists already and is of no PodClique: delete it, or give the set another name`;
