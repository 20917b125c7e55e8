/** StatefulSets in assist mode: the cluster makes the pods, and Lockstep deletes those that are outdated. */
import type { StatefulSet } from "../api/apps.ts";
import type { Node } from "../api/node.ts";
import { nodeResource } from "../api/node.ts";
import type { KubeObject } from "../api/object.ts";
import { annotationNames } from "../controllers/statefulset/annotations.ts";
import { isOnDelete } from "../controllers/statefulset/policy.ts";
import type { PreviewRequest } from "./preview.ts";

/** In the embedded cluster Lockstep is the only controller of StatefulSets, and assists none. */
export const isEmbedded = (nodes: readonly Node[]): boolean =>
  nodes.length > 0 &&
  nodes.every(({ status }) => status?.nodeInfo?.kubeletVersion?.endsWith("-lockstep") === true);

function isAssisted(workload: KubeObject): boolean {
  if (workload["kind"] !== "StatefulSet") return false;
  const set = workload as unknown as StatefulSet;
  return (
    isOnDelete(set) && set.metadata.annotations?.[annotationNames.maxUnavailable] !== undefined
  );
}

/** Where nothing else says so, a cluster has a controller of StatefulSets itself. */
export function isAssisting({
  copied,
  before,
  change,
  workload: { resource, key },
}: Pick<PreviewRequest, "copied" | "before" | "change" | "workload">): boolean {
  const nodes = copied.filter((each) => each.resource === nodeResource);
  if (isEmbedded(nodes.map(({ object }) => object as Node))) return false;
  const live = copied.find(
    (each) => each.resource === resource && each.object.metadata.name === key.name,
  )?.object;
  return [...(before === undefined ? [] : [before]), change(before ?? live)].every(isAssisted);
}
