/** The whole status of a scaling group, rebuilt every time from the view the decision was made on. */
import { conditionReasons, conditionTypes } from "../../../api/grove/conditions.ts";
import { labelKeys, managedLabels, selectorText } from "../../../api/grove/labels.ts";
import type {
  PodCliqueScalingGroup,
  ScalingGroupStatus,
  ScalingGroupUpdateProgress,
} from "../../../api/grove/scaling-group.ts";
import type { ChildUpdateStrategy } from "../../../api/grove/update-strategy.ts";
import { parseTime, timeText } from "../../../api/time-text.ts";
import { meantSmall } from "../breach.ts";
import type { ConditionText } from "../../engine/conditions.ts";
import { conditionOf, mergeConditions } from "../../engine/conditions.ts";
import type { RolloutState } from "../../engine/rollout-conditions.ts";
import { neededUnits, rolloutState } from "../../engine/rollout-conditions.ts";
import type { RolloutFigures } from "../../engine/rollout-gauges.ts";
import type { CliqueState } from "../clique-state.ts";
import { isComplete, isUpdated as isCliqueUpdated, templateHash } from "../clique-state.ts";
import {
  awaitingTurn,
  groveConditions,
  isHeldBySet,
  isUnderWay,
  releaseCauses,
  releaseConditions,
  rolledBackWithSet,
} from "../update-condition.ts";
import type { GroupReplica, Observed } from "./observe.ts";
import { desiredReplicas, strategyOf } from "./observe.ts";
import type { Plan } from "./plan.ts";
import { isSurgeReleased, policyOf } from "./plan.ts";
import {
  isAvailable,
  isReplicaOutdated,
  isReplicaScheduled,
  isWhole,
  scheduledSinceMs,
} from "./replica-state.ts";

export function groupStatus(observed: Observed, plan: Plan): ScalingGroupStatus {
  const { group, set, target, nowMs } = observed;
  const desired = desiredReplicas(observed);
  const base = observed.replicas.filter(({ index }) => index < desired);
  const serving = base.filter(isAvailable);
  const available = Math.min(desired, serving.length + stepIns(observed, plan));
  const updateProgress = progressOf(observed, plan);
  const isUpdating = isUnderWay(updateProgress);
  const hasArrived =
    base.length === desired && base.every((replica) => !isReplicaOutdated(replica));
  const previous = group.status?.currentPodCliqueSetGenerationHash;
  const current = hasArrived && !isUpdating ? target.hash : previous;
  return {
    observedGeneration: group.metadata.generation ?? 0,
    replicas: desired,
    scheduledReplicas: base.filter(isReplicaScheduled).length,
    availableReplicas: available,
    updatedReplicas: serving.filter((replica) => isUpdated(observed, replica)).length,
    selector: selectorText({
      ...managedLabels(set.metadata.name ?? ""),
      [labelKeys.scalingGroup]: group.metadata.name ?? "",
    }),
    ...(current === undefined ? {} : { currentPodCliqueSetGenerationHash: current }),
    observedRevision: target.name,
    ...(updateProgress === undefined ? {} : { updateProgress }),
    conditions: mergeConditions(
      group.status?.conditions,
      conditionsOf(observed, plan, { isUpdating, base, available }),
      nowMs,
    ),
  };
}

/** A group that waits for its turn has none, although its replicas are as its own revision says. */
const isUpdated = ({ newest }: Observed, replica: GroupReplica): boolean =>
  !isReplicaOutdated(replica) &&
  replica.members.every(
    ({ object, clique }) =>
      object === undefined || templateHash(object) === newest.cliqueHashes[clique],
  );

export function figuresOf(
  { spec }: PodCliqueScalingGroup,
  status: ScalingGroupStatus,
): RolloutFigures {
  const { replicas = 0, availableReplicas = 0, updatedReplicas = 0, updateProgress } = status;
  const target = updateProgress?.podCliqueSetGenerationHash;
  return {
    desired: replicas,
    available: availableReplicas,
    updated: updatedReplicas,
    surge: updateProgress?.surgeReplicaIndices?.length ?? 0,
    paused: spec.updateStrategy?.paused === true,
    isOutdated: target !== undefined && target !== status.currentPodCliqueSetGenerationHash,
    outdatedSince: updateProgress?.updateStartedAt,
  };
}

/** Surge replicas serve in place of those that are being updated; those that are to be deleted do not count. */
function stepIns(observed: Observed, { decision }: Plan): number {
  const desired = desiredReplicas(observed);
  const leaving = new Set(
    decision.actions.filter(({ kind }) => kind === "delete").map(({ ordinal }) => ordinal),
  );
  return observed.replicas.filter(
    (replica) => replica.index >= desired && !leaving.has(replica.index) && isAvailable(replica),
  ).length;
}

/** Undefined until the first update: what was created as it should be was never updated. */
function progressOf(observed: Observed, plan: Plan): ScalingGroupUpdateProgress | undefined {
  const { group, target, nowMs } = observed;
  const old = group.status?.updateProgress;
  const previous = group.status?.currentPodCliqueSetGenerationHash;
  const isNew = previous !== undefined && previous !== target.hash;
  const isKnown = old?.podCliqueSetGenerationHash === target.hash;
  if (isKnown && !isUnderWay(old) && !isOutdatedAgain(observed))
    return { ...old, ...countsOf(observed) };
  // An update that is under way follows its group wherever it is sent, back to where it came from included.
  if (!isKnown && !isNew && !isUnderWay(old)) return old;
  const updateStartedAt = isKnown ? old.updateStartedAt : timeText(nowMs);
  const type = strategyOf(observed).type;
  const isOnDelete = type === "OnDelete";
  const isOver = isOnDelete || plan.decision.kind === "done";
  const counts = { updateStartedAt, ...countsOf(observed) };
  if (isOver) {
    const at = isOnDelete ? updateStartedAt : timeText(nowMs);
    return { ...counts, updateEndedAt: at };
  }
  return { ...counts, ...selection(observed, plan), ...releaseOf(observed, plan) };
}

/**
 * A strategy was switched or a partition lowered: what was left alone moves now, and an update that ended begins again.
 * A replica that is added, or lost, is no update.
 */
function isOutdatedAgain(observed: Observed): boolean {
  const policy = policyOf(observed);
  if (policy.kind !== "rolling" || strategyOf(observed).paused === true) return false;
  const isBelow = ({ index }: GroupReplica): boolean => index < policy.partition;
  return observed.replicas.some((replica) => !isBelow(replica) && isReplicaOutdated(replica));
}

/** Under OnDelete nothing waits for a pod to become ready: a clique is updated when its pods are. */
const doneUnder = (type: ChildUpdateStrategy["type"]): ((member: CliqueState) => boolean) =>
  type === "OnDelete" ? isCliqueUpdated : isComplete;

function countsOf(observed: Observed) {
  const { group, target } = observed;
  const desired = desiredReplicas(observed);
  const members = observed.replicas
    .filter(({ index }) => index < desired)
    .flatMap((replica) => replica.members);
  return {
    podCliqueSetGenerationHash: target.hash,
    updatedPodCliquesCount: members.filter(doneUnder(strategyOf(observed).type)).length,
    totalPodCliquesCount: desired * group.spec.cliqueNames.length,
  };
}

/** A released surge stays released until there is another target. */
function releaseOf(
  observed: Observed,
  { decision }: Plan,
): Pick<ScalingGroupUpdateProgress, "surgeReleased"> {
  const isReleased = isSurgeReleased(observed) || decision.remedy.kind === "releaseSurge";
  return isReleased ? { surgeReleased: true } : {};
}

/** Which replicas are being updated: one of them in the field that has room for one, all of them beside it. */
function selection(observed: Observed, plan: Plan): Partial<ScalingGroupUpdateProgress> {
  const desired = desiredReplicas(observed);
  const replaced = plan.decision.actions
    .filter(({ kind }) => kind === "replace")
    .map(({ ordinal }) => ordinal);
  const isBack = (replica: GroupReplica): boolean =>
    !isReplicaOutdated(replica) && replica.members.every(isComplete);
  const base = observed.replicas.filter(({ index }) => index < desired);
  const completed = base.filter(isBack).map(({ index }) => index);
  const outdated = base.filter(isReplicaOutdated).map(({ index }) => index);
  const updating = Array.from({ length: desired }, (_, index) => index).filter(
    (index) => replaced.includes(index) || !(completed.includes(index) || outdated.includes(index)),
  );
  const surge = observed.replicas.filter(({ index }) => index >= desired).map(({ index }) => index);
  const [current] = updating;
  return {
    ...(current === undefined
      ? {}
      : { readyReplicaIndicesSelectedToUpdate: { current, completed } }),
    ...(updating.length === 0 ? {} : { updatingReplicaIndices: updating }),
    ...(surge.length === 0 ? {} : { surgeReplicaIndices: surge }),
  };
}

interface Assessed {
  readonly isUpdating: boolean;
  readonly base: readonly GroupReplica[];
  readonly available: number;
}

function conditionsOf(observed: Observed, plan: Plan, assessed: Assessed): ConditionText[] {
  const { isUpdating, available } = assessed;
  const desired = desiredReplicas(observed);
  const known = observed.group.status?.conditions;
  const causes = observed.replicas.flatMap(({ members }) =>
    members.flatMap((member) => member.causes),
  );
  const isReleased = releaseOf(observed, plan).surgeReleased === true && isUpdating;
  const released = releaseConditions({ isReleased, decision: plan.decision, causes }, known);
  const state = rolledBackWithSet(groupState(observed, plan), observed.set);
  const report = {
    ...state,
    isUpdating,
    available,
    needed: neededUnits(policyOf(observed), desired),
    desired,
    noun: "replica",
    causes: [...causes, ...releaseCauses(released, state, plan.decision)],
  };
  const breach = breachCondition(observed, assessed);
  return [
    breach,
    ...groveConditions(report, known),
    ...released,
    ...terminationCondition(observed, assessed, breach),
  ];
}

/** Names what a partition keeps and what its owner replaces; otherwise the planner's own sentence. */
function groupState(observed: Observed, { decision }: Plan): RolloutState {
  const state = rolloutState(decision);
  const desired = desiredReplicas(observed);
  if (strategyOf(observed).type === "ReplicaRecreate") {
    const outdated = observed.replicas.filter(isReplicaOutdated).length;
    if (outdated > 0) return replacedWithOwner(observed, outdated, desired);
  }
  const waiting = observed.replicas.filter((replica) => !isUpdated(observed, replica)).length;
  if ((state.reason === "RolledOut" || isHeldBySet(state, observed.set)) && waiting > 0) {
    const ownerName = observed.group.metadata.labels?.[labelKeys.partOf] ?? "its set";
    return awaitingTurn(waiting, { desired, noun: "replica", ownerName });
  }
  if (state.reason !== "AtPartition") return state;
  const updated = observed.replicas.filter((replica) => !isReplicaOutdated(replica)).length;
  const { partition = 0 } = strategyOf(observed);
  return { ...state, message: `${updated} of ${desired} updated, partition ${partition}` };
}

/** Under ReplicaRecreate nobody has to delete them, and none of them comes back. */
function replacedWithOwner({ set, setReplica }: Observed, outdated: number, desired: number) {
  const [are, noun] = [outdated === 1 ? "is" : "are", desired === 1 ? "replica" : "replicas"];
  const owner = `${set.metadata.name}-${setReplica}`;
  const message = `${outdated} of ${desired} ${noun} ${are} outdated: ${owner} is recreated as a whole`;
  return { phase: "moving", reason: "ReplacedByOwner", message } as const;
}

function breachCondition(observed: Observed, { isUpdating, base }: Assessed): ConditionText {
  const type = conditionTypes.minAvailableBreached;
  const { minAvailable, group } = observed;
  if (isUpdating) {
    const reason = conditionReasons.updateInProgress;
    return { type, status: "Unknown", reason, message: "not assessed before the update ends" };
  }
  const desired = desiredReplicas(observed);
  const small = wasHealthy(observed) ? meantSmall(desired, minAvailable) : undefined;
  if (small !== undefined) return small;
  const whole = base.filter(isWhole);
  const replicas = desired === 1 ? "replica is" : "replicas are";
  const message = `${whole.length} of ${desired} ${replicas} whole, ${minAvailable} needed`;
  if (
    whole.length >= minAvailable &&
    (wasHealthy(observed) || base.filter(isAvailable).length >= minAvailable)
  ) {
    return { type, status: "False", reason: conditionReasons.sufficientGroupReplicas, message };
  }
  // A group that never served is starting, not broken: only what was whole can be breached.
  if (!wasHealthy(observed)) {
    const starting = `${group.metadata.name} has not served yet`;
    return { type, status: "Unknown", reason: "Starting", message: starting };
  }
  return { type, status: "True", reason: conditionReasons.insufficientGroupReplicas, message };
}

function wasHealthy(observed: Observed): boolean {
  const before = conditionOf(observed.group.status, conditionTypes.minAvailableBreached);
  return before !== undefined && before.reason !== "Starting";
}

/**
 * Set by the set's controller when it restarts the whole replica; over when the group is whole again. Members from
 * before the restart do not count: they look whole until they are gone.
 */
function terminationCondition(
  observed: Observed,
  { base }: Assessed,
  breach: ConditionText,
): ConditionText[] {
  const type = conditionTypes.gangTerminationInProgress;
  const before = conditionOf(observed.group.status, type);
  if (before?.status !== "True" || breach.status !== "False") return [];
  const sinceMs = parseTime(before.lastTransitionTime ?? "") ?? 0;
  const back = base.filter((replica) => isWhole(replica) && scheduledSinceMs(replica) >= sinceMs);
  if (back.length < observed.minAvailable) return [];
  return [{ type, status: "False", reason: "GangTerminationOver", message: "the gang is back" }];
}
