/** Follows pods, but only where a rollout could care: most of what a kubelet writes changes nothing for it. */
import type { Pod } from "../api/pod.ts";
import { isReady } from "../api/pod.ts";
import type { Cache, Change } from "../runtime/cache.ts";
import type { KeysOf, Watch } from "../runtime/controller.ts";

export function watchPods(cache: Cache<Pod>, keys: KeysOf<Pod>): Watch {
  return {
    cache: cache as unknown as Cache,
    follow: (add) =>
      cache.onChange((change) => {
        if (!matters(change)) return;
        for (const key of keys(change.object)) add(key);
      }),
  };
}

function matters(change: Change<Pod>): boolean {
  return change.type !== "updated" || standing(change.old) !== standing(change.object);
}

/** Everything a pod is judged by. */
function standing(pod: Pod): string {
  const { metadata, spec, status } = pod;
  const containers = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ];
  return JSON.stringify([
    metadata.deletionTimestamp,
    metadata.labels,
    spec.nodeName,
    spec.schedulingGates?.length ?? 0,
    status?.phase,
    isReady(pod),
    containers.map(({ state, restartCount }) => [
      "waiting" in state ? state.waiting.reason : "",
      restartCount,
    ]),
  ]);
}
