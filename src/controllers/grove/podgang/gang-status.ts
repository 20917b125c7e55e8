/** Phase and conditions of a gang. */
import { conditionReasons, conditionTypes } from "../../../api/grove/conditions.ts";
import type { PodGang, PodGangStatus } from "../../../api/grove/podgang.ts";
import { isReady } from "../../../api/pod.ts";
import type { ConditionText } from "../../engine/conditions.ts";
import { isConditionTrue, mergeConditions } from "../../engine/conditions.ts";
import { aFew } from "../../engine/action-events.ts";
import { causesIn, isInTrouble, isScheduled, podHealth } from "../../engine/pod-health.ts";
import { withCauses } from "../../engine/rollout-conditions.ts";
import type { GroupView } from "./references.ts";

export function gangStatus(
  gang: PodGang,
  groups: readonly GroupView[],
  { isInitialized, nowMs }: { readonly isInitialized: boolean; readonly nowMs: number },
): PodGangStatus {
  const old = gang.status;
  const hasBeenScheduled = isConditionTrue(gang.status, conditionTypes.podGangScheduled);
  const nobody = groups.every(({ pods }) => !pods.some(isScheduled));
  // It stays so through updates; a gang that lost all its pods starts over, base first.
  const scheduled = isMet(gang, groups, isScheduled) || (hasBeenScheduled && !nobody);
  const runs =
    scheduled && (isMet(gang, groups, isReady) || (hasBeenScheduled && old?.phase === "Running"));
  const conditions = [
    initializedCondition(isInitialized, absentCliques(groups)),
    scheduledCondition(scheduled, lacking(gang, groups)),
    readyCondition(gang, groups, runs),
  ];
  return {
    ...old,
    phase: runs ? "Running" : scheduled ? "Starting" : "Pending",
    conditions: mergeConditions(old?.conditions, conditions, nowMs),
  };
}

function isMet(
  gang: PodGang,
  groups: readonly GroupView[],
  holds: (pod: GroupView["pods"][number]) => boolean,
): boolean {
  const byName = new Map(groups.map((group) => [group.name, group]));
  return gang.spec.podgroups.every(
    ({ name, minReplicas }) => (byName.get(name)?.pods.filter(holds).length ?? 0) >= minReplicas,
  );
}

/** Of what is created or recreated they come; of a surge that was given up they do not. */
const absentCliques = (groups: readonly GroupView[]): readonly string[] =>
  groups.filter(({ desired }) => desired === undefined).map(({ name }) => name);

function initializedCondition(isInitialized: boolean, absent: readonly string[]): ConditionText {
  const { podGangPodsCreated: created, podGangPodsPending: pending } = conditionReasons;
  const [noun, are] = absent.length === 1 ? ["PodClique", "is"] : ["PodCliques", "are"];
  const missing = `its ${noun} ${aFew(absent)} ${are} not there`;
  const [all, some] =
    absent.length === 0
      ? ["every pod has been created", "pods are still to be created"]
      : [`every pod was created before; now ${missing}`, missing];
  return {
    type: conditionTypes.podGangInitialized,
    status: isInitialized ? "True" : "False",
    reason: isInitialized ? created : pending,
    message: isInitialized ? all : some,
  };
}

/** The groups with fewer pods on nodes than they need, and why the first of them waits. */
function lacking(gang: PodGang, groups: readonly GroupView[]): string {
  const byName = new Map(groups.map((group) => [group.name, group]));
  const short = gang.spec.podgroups.flatMap(({ name, minReplicas }) => {
    const pods = byName.get(name)?.pods ?? [];
    const placed = pods.filter(isScheduled).length;
    const noun = minReplicas === 1 ? "pod" : "pods";
    return placed >= minReplicas
      ? []
      : [`${name} has ${placed} of ${minReplicas} ${noun} on nodes`];
  });
  return withCauses(aFew(short), [...causesOf(groups), ...heldIn(groups)].slice(0, 1));
}

const heldIn = (groups: readonly GroupView[]): readonly string[] =>
  groups.flatMap(({ name, heldBack }) =>
    heldBack === undefined ? [] : [`${name}: held back: ${heldBack}`],
  );

const causesOf = (groups: readonly GroupView[]): readonly string[] =>
  causesIn(
    groups.flatMap(({ pods }) => pods.map((pod) => ({ pod, health: podHealth(pod, 0, 0) }))),
  );

/** Turns with the phase; while the gang runs, a pod that is merely replaced is not written about, one in trouble is. */
const readyCondition = (
  gang: PodGang,
  groups: readonly GroupView[],
  runs: boolean,
): ConditionText => ({
  type: conditionTypes.podGangReady,
  status: runs ? "True" : "False",
  reason: runs ? "MinimumReady" : "MinimumNotReady",
  message: runs
    ? withCauses("the minimum of every group has been ready at one time", lossesIn(gang, groups))
    : withCauses("the minimum of some group is not ready yet", causesOf(groups)),
});

/** Why groups of a gang that ran have fewer ready pods than they need. */
function lossesIn(gang: PodGang, groups: readonly GroupView[]): readonly string[] {
  const needed = new Map(gang.spec.podgroups.map(({ name, minReplicas }) => [name, minReplicas]));
  const short = groups.filter(
    ({ name, pods }) => pods.filter(isReady).length < (needed.get(name) ?? 0),
  );
  return causesOf(short.map((group) => ({ ...group, pods: group.pods.filter(isInTrouble) })));
}

const scheduledCondition = (isScheduled: boolean, lack: string): ConditionText => ({
  type: conditionTypes.podGangScheduled,
  status: isScheduled ? "True" : "False",
  reason: isScheduled ? "MinimumScheduled" : "MinimumNotScheduled",
  message: isScheduled ? "the minimum of every group has been on nodes at one time" : lack,
});
