/** Whether what looks down still is, by a fresh read: what has just recovered is not replaced without budget. */
import { isTerminating } from "../../api/object.ts";
import { selectorText } from "../../api/grove/labels.ts";
import type { Pod } from "../../api/pod.ts";
import { isReady, podResource } from "../../api/pod.ts";
import type { LiveRead } from "../engine/write.ts";

interface StillDown {
  /** For the question: `chat-1`. */
  readonly name: string;
  readonly namespace: string | undefined;
  /** Of its pods. */
  readonly labels: Readonly<Record<string, string>>;
  /** Its pods, as the cache shows them. */
  readonly seen: readonly Pod[];
}

/**
 * The deletion of a pod that looks broken carries its version; that of a clique cannot, since its pods are other
 * objects. So the server is asked whether one of them has become ready that the cache does not show as ready.
 */
export function stillDownCheck({ name, namespace, labels, seen }: StillDown): LiveRead {
  const ready = new Set(seen.filter(isReady).map(({ metadata }) => metadata.uid));
  const isAsSeen = (pod: Pod): boolean =>
    !isReady(pod) || isTerminating(pod) || ready.has(pod.metadata.uid);
  return {
    question: `is ${name} still down`,
    read: async (live) => {
      const options = { namespace, labelSelector: selectorText(labels) };
      const { items } = await live.list<Pod>(podResource, options);
      return { isOpen: items.every(isAsSeen) };
    },
  };
}
