/** What the PodGang controller brings to the engine: references first, then the status. */
import { conditionTypes } from "../../../api/grove/conditions.ts";
import type { PodGang, PodGangSpec, PodGangStatus } from "../../../api/grove/podgang.ts";
import { podGangResource } from "../../../api/grove/podgang.ts";
import type { ObjectKey } from "../../../api/object.ts";
import { isTerminating } from "../../../api/object.ts";
import { isFinished } from "../../../api/pod.ts";
import { keyOf } from "../../../runtime/object-store.ts";
import { isConditionTrue } from "../../engine/conditions.ts";
import { controllerOf } from "../../engine/ownership.ts";
import { isInTrouble } from "../../engine/pod-health.ts";
import type { Kind, KindTools, Planned } from "../../engine/reconcile.ts";
import type { PatchWrite } from "../../engine/write.ts";
import { patchOf } from "../../engine/write.ts";
import type { GroveCaches, GroveReaders } from "../caches.ts";
import { baseGangIndex, ownerIndex } from "../caches.ts";
import { heldBackReason } from "../clique-state.ts";
import { compareNames, owningSet } from "../set-members.ts";
import { gangStatus } from "./gang-status.ts";
import type { GroupView } from "./references.ts";
import { hasAllPods, referenceWrite } from "./references.ts";

export type PodGangCaches = Pick<GroveCaches, "sets" | "gangs" | "cliques" | "pods">;
type PodGangReaders = Pick<GroveReaders, keyof PodGangCaches>;

/** How long a list of references waits for more to be written with it. */
const gatherMs = { now: 0, later: 5_000 } as const;

export type GangTools = KindTools<PodGang, PodGangStatus>;

/** What others wait for: the gang runs, or its scaled gangs may start, or it says for the first time what is broken. */
export const isUrgentFor =
  (readers: PodGangReaders) =>
  (gang: PodGang, next: PodGangStatus): boolean =>
    runsNow(gang, next) || frees(readers, gang, next) || isNewAndBroken(readers, gang);

interface Observed {
  readonly nowMs: number;
  readonly gang: PodGang;
  readonly groups: readonly GroupView[];
}

interface Plan extends Planned {
  /** The gang as it will be. */
  readonly listed: PodGang;
}

export function podGangReconciler(
  readers: PodGangReaders,
  { clock, memory }: GangTools,
): Kind<PodGang, PodGangStatus, Observed, Plan> {
  /** Since when references that may wait have waited. */
  const waiting = memory.perOwner<{ sinceMs?: number | undefined }>(() => ({}));
  return {
    resource: podGangResource,
    reports: "afterActing",
    observe: (key) => observe(readers, key, clock.now()),
    objectOf: ({ gang }) => gang,
    plan: (observed) => {
      const { gang, groups } = observed;
      const nowMs = clock.monotonic();
      const since = waiting.of(gang);
      const write = referenceWrite(gang, groups);
      if (write.kind === "none") {
        since.sinceMs = undefined;
        return { listed: gang, phases: [] };
      }
      since.sinceMs ??= nowMs;
      const waitMs = Math.max(0, since.sinceMs + gatherMs[write.kind] - nowMs);
      if (waitMs > 0) return { listed: gang, phases: [], requeueAfterMs: waitMs };
      since.sinceMs = undefined;
      const listed = { ...gang, spec: write.spec };
      return { listed, phases: [referencesPatch(gang, write.spec)] };
    },
    status: ({ gang, groups, nowMs }, { listed }, failure) => {
      if (failure !== undefined) return undefined;
      const wasInitialized = isConditionTrue(gang.status, conditionTypes.podGangInitialized);
      const isInitialized = wasInitialized || hasAllPods(gang, groups);
      return gangStatus(listed, groups, { isInitialized, nowMs });
    },
  };
}

function observe(readers: PodGangReaders, key: ObjectKey, nowMs: number): Observed | undefined {
  const gang = readers.gangs.get(key);
  if (gang === undefined || isLeaving(readers, gang)) return undefined;
  return { nowMs, gang, groups: groupsOf(readers, gang) };
}

/** A gang that is gone needs no references; its deletion arrives by the watch. */
function referencesPatch(gang: PodGang, { podgroups }: PodGangSpec): PatchWrite {
  const { resourceVersion } = gang.metadata;
  const body = { metadata: { resourceVersion }, spec: { podgroups } };
  return patchOf(podGangResource, gang, { patch: { type: "merge", body }, ifGone: "skip" });
}

/** A gang whose set is gone or terminating has yet to be collected: nobody reads what would be written to it. */
function isLeaving({ sets }: PodGangReaders, gang: PodGang): boolean {
  if (isTerminating(gang)) return true;
  if (controllerOf(gang) === undefined) return false;
  const set = owningSet(sets, gang);
  return set === undefined || isTerminating(set);
}

const runsNow = ({ status }: PodGang, next: PodGangStatus): boolean =>
  next.phase === "Running" && status?.phase !== "Running";

const isNewAndBroken = (readers: PodGangReaders, gang: PodGang): boolean =>
  gang.status === undefined && groupsOf(readers, gang).some(({ pods }) => pods.some(isInTrouble));

/** Scaled gangs wait until their base has been scheduled, and again when it starts over. */
function frees({ cliques }: PodGangReaders, gang: PodGang, next: PodGangStatus): boolean {
  const type = conditionTypes.podGangScheduled;
  const isSame = isConditionTrue(gang.status, type) === isConditionTrue(next, type);
  return !isSame && cliques.byIndex(baseGangIndex, keyOf(gang)).length > 0;
}

/** By the uid of the clique, not by its name: pods that an earlier clique left behind are no members. */
function groupsOf({ cliques, pods }: PodGangReaders, gang: PodGang): GroupView[] {
  const { namespace } = gang.metadata;
  return gang.spec.podgroups.map(({ name }) => {
    const clique = cliques.get({ namespace, name });
    const isThere = clique !== undefined && !isTerminating(clique);
    if (!isThere) return { name, desired: undefined, pods: [] };
    const live = pods
      .byIndex(ownerIndex, clique.metadata.uid ?? "")
      .filter((pod) => !isTerminating(pod) && !isFinished(pod))
      .toSorted(compareNames);
    const { replicas: desired } = clique.spec;
    return { name, desired, pods: live, heldBack: heldBackReason(clique) };
  });
}
