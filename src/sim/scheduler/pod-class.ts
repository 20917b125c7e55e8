/** Pods with the same class are the same to the scheduler: whether one fits tells whether the others do. */
import type { Pod } from "../../api/pod.ts";
import { hostPorts, podRequests } from "./amounts.ts";

/** `mattersLabel` says whether anybody's selector looks at this label key. */
export function podClassOf(pod: Pod, mattersLabel: (key: string) => boolean): string {
  const { nodeSelector, affinity, tolerations, topologySpreadConstraints, priority } = pod.spec;
  const labels = Object.entries(pod.metadata.labels ?? {})
    .filter(([key]) => mattersLabel(key))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  // A pod's own selectors may look at labels that nobody else has asked for yet.
  const own = affinity === undefined && topologySpreadConstraints === undefined;
  return JSON.stringify([
    pod.metadata.namespace,
    own ? labels : (pod.metadata.labels ?? {}),
    nodeSelector ?? {},
    affinity ?? {},
    tolerations ?? [],
    topologySpreadConstraints ?? [],
    priority ?? 0,
    [...podRequests(pod)].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    hostPorts(pod),
  ]);
}
