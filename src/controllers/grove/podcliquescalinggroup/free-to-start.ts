/** Whether members may really start: under ReplicaRecreate nothing of another revision may be there, seen or not. */
import type { Client } from "../../../runtime/client.ts";
import { clearOrphans } from "../clear-orphans.ts";
import { podsOfOtherRevisions } from "../old-revision-pods.ts";
import { isOpen } from "../replica-revision.ts";
import type { Observed } from "./observe.ts";
import { strategyOf } from "./plan.ts";

export async function isFreeToStart(client: Client, observed: Observed): Promise<boolean> {
  const { group, set, target, setReplica } = observed;
  if (strategyOf(observed).type !== "ReplicaRecreate") return true;
  // Only in an update can there be anything of another revision; either of the two may be known first.
  const isUpdating = isOpen(set.status?.updateProgress) || isOpen(group.status?.updateProgress);
  if (!isUpdating) return true;
  const { namespace, name = "" } = set.metadata;
  const place = { namespace, set: name, index: setReplica, hasGroups: true };
  const left = await podsOfOtherRevisions(client, place, target);
  await clearOrphans(client, left ?? []);
  return left?.length === 0;
}
