/** What follows when a container restarts: nothing, its pod is replaced, or all pods of the group are. */
import { isReady, podResource } from "../../api/pod.ts";
import type { Pod } from "../../api/pod.ts";
import { isTerminating } from "../../api/object.ts";
import type { WritePlan } from "../engine/write.ts";
import { deletesOf } from "../engine/write.ts";
import type { RoleHashes } from "./group-revisions.ts";
import type { ObservedRole } from "./observe.ts";
import type { RolePod } from "./role-workload.ts";

const restartsOf = ({ status }: Pod): number =>
  (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);

/**
 * Pods that restarted since they were last seen ready. One that was never ready is left to its node, which waits longer
 * and longer between two attempts: to replace it would only start that anew.
 */
export class ReadyPods {
  /** Restarts by uid when the pod was last ready. */
  readonly #restarts = new Map<string, number>();

  /** Remembers which pods are ready now, and returns those that restarted since they were. */
  restarted(roles: readonly ObservedRole[]): ReadonlySet<string> {
    const pods = roles.flatMap(({ seen }) => seen.pods.map(({ pod }) => pod));
    const found = new Set<string>();
    const there = new Set<string>();
    for (const pod of pods) {
      const { uid = "" } = pod.metadata;
      there.add(uid);
      const known = this.#restarts.get(uid);
      if (known !== undefined && restartsOf(pod) > known) found.add(uid);
      else if (isReady(pod)) this.#restarts.set(uid, restartsOf(pod));
    }
    for (const uid of this.#restarts.keys()) if (!there.has(uid)) this.#restarts.delete(uid);
    return found;
  }
}

export interface Restarts {
  readonly writes: readonly WritePlan[];
  /** In words, for an event each. */
  readonly messages: readonly string[];
}

/** Nothing while a role is being updated: whoever updates it replaces its pods anyway. */
export function planRestarts(
  roles: readonly ObservedRole[],
  hashes: RoleHashes,
  restarted: ReadonlySet<string>,
): Restarts {
  if (restarted.size === 0) return { writes: [], messages: [] };
  const triggers = roles
    // A LeaderWorkerSet replaces a leader with its workers by itself.
    .filter(({ role }) => role.workload.kind !== "LeaderWorkerSet")
    .filter(({ role, seen }) => seen.pods.every(({ revision }) => revision === hashes[role.name]))
    .flatMap(({ role, seen }) =>
      seen.pods
        .filter(({ pod }) => restarted.has(pod.metadata.uid ?? "") && !isTerminating(pod))
        .map((each) => ({ each, policy: role.restartPolicy })),
    );
  const whole = triggers.find(({ policy }) => policy === "RecreateRBGOnPodRestart");
  if (whole !== undefined) return recreateAll(roles, whole.each);
  const single = triggers.filter(({ policy }) => policy === "RecreateRoleInstanceOnPodRestart");
  return {
    writes: podDeletes(single.map(({ each }) => each)),
    messages: single.map(
      ({ each }) => `a container of ${each.pod.metadata.name} restarted: the pod is replaced`,
    ),
  };
}

/** Whatever state it is in by now, it has restarted. */
const podDeletes = (pods: readonly RolePod[]): readonly WritePlan[] =>
  deletesOf(
    podResource,
    pods.map(({ pod }) => pod),
  );

/** The pod that restarted goes last: as long as it is there, the others are still to be deleted. */
function recreateAll(roles: readonly ObservedRole[], trigger: RolePod): Restarts {
  const others = roles
    .flatMap(({ seen }) => seen.pods)
    .filter((each) => each !== trigger && !isTerminating(each.pod));
  const name = trigger.pod.metadata.name ?? "";
  return {
    writes: [{ inOrder: [{ sideBySide: podDeletes(others) }, ...podDeletes([trigger])] }],
    messages: [`a container of ${name} restarted: all pods of the group are replaced`],
  };
}
