/** StatefulSets in assist mode: the cluster makes the pods, and Lockstep deletes those that are outdated. */
import type { StatefulSet } from "../api/apps.ts";
import type { Node } from "../api/node.ts";
import type { KubeObject } from "../api/object.ts";
import { annotationNames } from "../controllers/statefulset/annotations.ts";
import { isOnDelete } from "../controllers/statefulset/policy.ts";

/** In the embedded cluster Lockstep is the only controller of StatefulSets, and assists none. */
export const isEmbedded = (nodes: readonly Node[]): boolean =>
  nodes.length > 0 &&
  nodes.every(({ status }) => status?.nodeInfo?.kubeletVersion?.endsWith("-lockstep") === true);

export function isAssisted(workload: KubeObject): boolean {
  if (workload["kind"] !== "StatefulSet") return false;
  const set = workload as unknown as StatefulSet;
  return (
    isOnDelete(set) && set.metadata.annotations?.[annotationNames.maxUnavailable] !== undefined
  );
}
