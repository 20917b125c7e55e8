/** What is written for a deleted clique before its finalizer lets it go. Pure. */
import { finalizers, labelKeys } from "../../../api/grove/labels.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import type { PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import { isTerminating } from "../../../api/object.ts";
import type { Pod } from "../../../api/pod.ts";
import { podResource } from "../../../api/pod.ts";
import type { WritePlan } from "../../engine/write.ts";
import { deletesOf, patchOf } from "../../engine/write.ts";
import { numberLabel } from "../set-members.ts";
import type { Observed } from "./observe.ts";

/** Nothing where the finalizer is gone. The pods go first: the garbage collector would ask for the same afterwards. */
export function releaseWrites(observed: Observed): readonly WritePlan[] {
  const { clique, set } = observed;
  const { resourceVersion, finalizers: all = [] } = clique.metadata;
  const kept = all.filter((finalizer) => finalizer !== finalizers.podClique);
  if (kept.length === all.length) return [];
  const body = { metadata: { resourceVersion, finalizers: kept } };
  return [
    { sideBySide: deletesOf(podResource, podsInTheWay(observed, set)) },
    patchOf(podCliqueResource, clique, { patch: { type: "merge", body }, ifGone: "skip" }),
  ];
}

/**
 * A replica that the set still wants comes back, and is short of this clique until its pods are gone: they go at once.
 * What leaves for good is left to the garbage collector, and nobody waits for it.
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
