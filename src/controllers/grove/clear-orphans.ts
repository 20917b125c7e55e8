/**
 * Deletes pods that nobody controls and that are of another revision than their replica starts with: under
 * ReplicaRecreate no clique can take them over, so they would be in its way for ever.
 */
import { isTerminating } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import type { Client } from "../../runtime/client.ts";
import { deleteChild } from "../engine/child-writes.ts";
import { isOrphanedPod } from "./orphans.ts";

export async function clearOrphans(client: Client, pods: readonly Pod[]): Promise<void> {
  for (const pod of pods) {
    if (isOrphanedPod(pod) && !isTerminating(pod)) await deleteChild(client, podResource, pod);
  }
}
