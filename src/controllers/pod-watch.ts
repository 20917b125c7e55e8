/** Follows pods, but only where a rollout could care: most of what a kubelet writes changes nothing for it. */
import type { Pod } from "../api/pod.ts";
import { isReady, podCondition } from "../api/pod.ts";
import type { Cache, Change } from "../runtime/cache.ts";
import type { KeysOf, Watch } from "../runtime/controller.ts";
import { controllerOf } from "./ownership.ts";

/** `by` is what a pod is judged by, as text: while that stays the same, nobody is woken. */
export function watchPods(
  cache: Cache<Pod>,
  keys: KeysOf<Pod>,
  by: (pod: Pod) => string = standing,
): Watch {
  const matters = (change: Change<Pod>): boolean =>
    change.type !== "updated" || by(change.old) !== by(change.object);
  return {
    cache: cache as unknown as Cache,
    follow: (add) =>
      cache.onChange((change) => {
        if (!matters(change)) return;
        for (const key of keys(change.object)) add(key);
      }),
  };
}

/** As `standing`, with what tells a pod that starts from one in trouble, and since when. */
export function closeStanding(pod: Pod): string {
  const { status } = pod;
  const ready = podCondition(pod, "Ready");
  return JSON.stringify([
    standing(pod),
    podCondition(pod, "PodScheduled")?.reason,
    [ready?.reason, ready?.lastTransitionTime],
    status?.reason,
    status?.containerStatuses?.map(({ state, lastState, started, ready: isUp }) => [
      state,
      lastState.terminated?.exitCode,
      started,
      isUp,
    ]),
  ]);
}

/** What says whether a pod serves. */
function standing(pod: Pod): string {
  const { metadata, spec, status } = pod;
  const containers = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ];
  return JSON.stringify([
    metadata.deletionTimestamp,
    metadata.labels,
    controllerOf(pod)?.uid,
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
