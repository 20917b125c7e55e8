/** Chooses a node for one pod. Pure: the same cluster always gives the same node. */
import type { Pod } from "../../api/pod.ts";
import type { ClusterState, NodeState } from "./cluster-state.ts";
import { filtersFor } from "./filters.ts";
import type { Diagnosis, Reason } from "./reasons.ts";
import { diagnose } from "./reasons.ts";
import { bestNode } from "./scores.ts";

export type Placement =
  | { readonly kind: "fits"; readonly node: string }
  | { readonly kind: "waits"; readonly diagnosis: Diagnosis };

/** What else speaks against a node, beyond the pod's own constraints. */
export type Objection = (state: NodeState) => Reason | undefined;

export function choosePlace(pod: Pod, cluster: ClusterState, objection?: Objection): Placement {
  const objectionsTo = filtersFor(pod, cluster);
  const possible: NodeState[] = [];
  const objections: (readonly Reason[])[] = [];
  for (const state of cluster.nodes()) {
    const other = objection?.(state);
    const found = other === undefined ? objectionsTo(state) : [other];
    objections.push(found);
    if (found.length === 0) possible.push(state);
  }
  if (possible.length === 0) return { kind: "waits", diagnosis: diagnose(objections) };
  return { kind: "fits", node: bestNode(pod, cluster, possible).name };
}
