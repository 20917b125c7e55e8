/** What follows when a container restarts: nothing, its pod is replaced, or all pods of the group are. */
import { isReady, podResource } from "../../api/pod.ts";
import type { Pod } from "../../api/pod.ts";
import { isTerminating } from "../../api/object.ts";
import { restartTriggers } from "../../api/rbg/labels.ts";
import type { RestartRecord } from "../../api/rbg/rolebasedgroup.ts";
import { parseTime } from "../../api/time-text.ts";
import type { WritePlan } from "../engine/write.ts";
import { deletesOf } from "../engine/write.ts";
import type { RoleHashes } from "./group-revisions.ts";
import type { Observed, ObservedRole } from "./observe.ts";
import { dueAtMs, isSameRestart, recentRecords, recorded } from "./restart-backoff.ts";
import type { RolePod } from "./role-workload.ts";

const restartsOf = ({ status }: Pod): number =>
  (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);

const hasFailed = ({ status }: Pod): boolean => status?.phase === "Failed";

/**
 * Pods that restarted or failed since they were last seen ready. One that was never ready is left to its node, which
 * waits longer and longer between two attempts: to replace it would only start that anew.
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
      if (known !== undefined && (restartsOf(pod) > known || hasFailed(pod))) found.add(uid);
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
  /** What waits for its time, in words that stay the same until then. */
  readonly delayed: readonly string[];
  /** For the status: written before the pods are deleted. */
  readonly records: readonly RestartRecord[];
  readonly requeueAfterMs: number | undefined;
}

type Restarted = Pick<Observed, "group" | "roles" | "restarted" | "nowMs">;

interface Trigger {
  readonly each: RolePod;
  readonly isWhole: boolean;
  /** What is counted: the pod, or the whole group. */
  readonly name: string;
}

/** Nothing while a role is being updated: whoever updates it replaces its pods anyway. */
export function planRestarts(observed: Restarted, hashes: RoleHashes): Restarts {
  const { group, roles, nowMs } = observed;
  const before = recentRecords(group.status?.restarts, nowMs);
  const triggers = triggersOf(observed, hashes);
  const isDue = (trigger: Trigger): boolean => dueOf(trigger, before) <= nowMs;
  const due = triggers.filter(isDue);
  const waiting = triggers.filter((trigger) => !isDue(trigger));
  return {
    writes: due.flatMap((trigger) => replacing(trigger, roles, before)),
    messages: due.filter((trigger) => !isUnderWay(trigger, before)).map(replacedInWords),
    delayed: waiting.map((trigger) => delayedInWords(trigger, dueOf(trigger, before))),
    records: recorded(
      before,
      due.map(({ name, each }) => ({ name, uid: uidOf(each) })),
      nowMs,
    ),
    requeueAfterMs:
      waiting.length === 0
        ? undefined
        : Math.min(...waiting.map((trigger) => dueOf(trigger, before))) - nowMs,
  };
}

/** One that concerns the whole group leaves nothing to do for others. */
function triggersOf(
  { group, roles, restarted }: Restarted,
  hashes: RoleHashes,
): readonly Trigger[] {
  if (restarted.size === 0) return [];
  const found = roles
    // A LeaderWorkerSet replaces a leader with its workers by itself.
    .filter(({ role }) => role.workload.kind !== "LeaderWorkerSet" && role.restartPolicy !== "None")
    .filter(({ role }) => !isIgnored(role.template.metadata?.annotations))
    .filter(({ role, seen }) => seen.pods.every(({ revision }) => revision === hashes[role.name]))
    .flatMap(({ role, seen }) =>
      seen.pods
        .filter(({ pod }) => restarted.has(pod.metadata.uid ?? "") && !isTerminating(pod))
        .map((each): Trigger => {
          const isWhole = role.restartPolicy === "RecreateRBGOnPodRestart";
          const name = (isWhole ? group.metadata.name : each.pod.metadata.name) ?? "";
          return { each, isWhole, name };
        }),
    );
  const whole = found.find(({ isWhole }) => isWhole);
  return whole === undefined ? found : [whole];
}

/** A role may say that its restarts concern nobody. */
const isIgnored = (annotations: Readonly<Record<string, string>> = {}): boolean =>
  restartTriggers.some((key) => annotations[key] === "Ignore");

const uidOf = ({ pod }: RolePod): string => pod.metadata.uid ?? "";

const isUnderWay = ({ name, each }: Trigger, before: readonly RestartRecord[]): boolean =>
  before.some((record) => isSameRestart(record, { name, uid: uidOf(each) }));

const dueOf = ({ name, each }: Trigger, before: readonly RestartRecord[]): number =>
  dueAtMs(before, { name, uid: uidOf(each) });

const replacedInWords = ({ each, isWhole }: Trigger): string =>
  `a container of ${each.pod.metadata.name} restarted: ` +
  (isWhole ? "all pods of the group are replaced" : "the pod is replaced");

function delayedInWords({ each, isWhole }: Trigger, atMs: number): string {
  const what = isWhole ? "all pods of the group are" : "the pod is";
  const at = new Date(atMs).toISOString().slice(11, 19);
  return `a container of ${each.pod.metadata.name} restarted again: ${what} replaced at ${at} UTC`;
}

/** Whatever state it is in by now, it has restarted. It goes last: as long as it is there, others may be left. */
function replacing(
  { each, isWhole, name }: Trigger,
  roles: readonly ObservedRole[],
  before: readonly RestartRecord[],
): readonly WritePlan[] {
  const deletes = (pods: readonly RolePod[]): readonly WritePlan[] =>
    deletesOf(
      podResource,
      pods.map(({ pod }) => pod),
    );
  if (!isWhole) return deletes([each]);
  const begun = before.find((record) => isSameRestart(record, { name, uid: uidOf(each) }));
  const begunAtMs = begun === undefined ? Infinity : (parseTime(begun.lastTime) ?? Infinity);
  const others = roles
    .flatMap(({ seen }) => seen.pods)
    .filter((other) => other !== each && !isTerminating(other.pod))
    .filter(({ pod }) => (parseTime(pod.metadata.creationTimestamp ?? "") ?? 0) <= begunAtMs);
  return [{ inOrder: [{ sideBySide: deletes(others) }, ...deletes([each])] }];
}
