/** Which pods of a deleted clique its controller deletes itself, before it lets the clique go. Pure. */
import { isTerminating } from "../../../api/object.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import type { Pod } from "../../../api/pod.ts";
import { numberLabel } from "../set-members.ts";
import type { Observed } from "./observe.ts";

/**
 * A replica that the set still wants comes back, and is short of this clique until its pods are gone: they go at once.
 * What leaves for good, the collector takes, and nobody waits for it.
 */
export function podsInTheWay(
  { clique, pods }: Pick<Observed, "clique" | "pods">,
  set: PodCliqueSet | undefined,
): Pod[] {
  const index = numberLabel(clique, labelKeys.setReplicaIndex);
  if (set === undefined || isTerminating(set) || index === undefined) return [];
  if (index >= (set.spec.replicas ?? 0)) return [];
  return pods.flatMap(({ pod, isLeftover }) => (isLeftover || isTerminating(pod) ? [] : [pod]));
}
