/** How long a pod stays on a node with NoExecute taints. */
import type { Taint } from "../api/node.ts";
import type { Pod } from "../api/pod.ts";
import { tolerates } from "./scheduler/node-rules.ts";

const unreachableKey = "node.kubernetes.io/unreachable";
/** The toleration that admission adds to pods which have none for failed nodes. */
const defaultTolerationSeconds = 300;

export function failureTaints(timeAdded: string): readonly Taint[] {
  return [
    { key: unreachableKey, effect: "NoSchedule", timeAdded },
    { key: unreachableKey, effect: "NoExecute", timeAdded },
  ];
}

export function isFailureTaint({ key }: Taint): boolean {
  return key === unreachableKey;
}

/** Zero evicts at once, undefined never. */
export function evictionDelayMs(pod: Pod, taints: readonly Taint[] = []): number | undefined {
  const delays = taints
    .filter(({ effect }) => effect === "NoExecute")
    .map((taint) => toleratedMs(pod, taint));
  const shortest = Math.min(...delays);
  return shortest === Infinity ? undefined : shortest;
}

function toleratedMs(pod: Pod, taint: Taint): number {
  const matching = (pod.spec.tolerations ?? []).filter((each) => tolerates(each, taint));
  if (matching.length === 0) return isFailureTaint(taint) ? defaultTolerationSeconds * 1000 : 0;
  const seconds = matching.map(({ tolerationSeconds = Infinity }) => tolerationSeconds);
  return Math.max(0, Math.min(...seconds) * 1000);
}
