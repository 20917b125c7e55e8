/** The whole status of a set, rebuilt every time from the view the decision was made on. */
import type { Condition } from "../../../api/apps.ts";
import { conditionTypes } from "../../../api/grove/conditions.ts";
import { annotationKeys, managedLabels, selectorText } from "../../../api/grove/labels.ts";
import type {
  PodCliqueSet,
  PodCliqueSetStatus,
  PodCliqueSetUpdateProgress,
} from "../../../api/grove/podcliqueset.ts";
import { orderableScheduler } from "../../../api/grove/warnings.ts";
import { timeText } from "../../../api/time-text.ts";
import { aFew } from "../../engine/action-events.ts";
import type { ConditionText } from "../../engine/conditions.ts";
import { mergeConditions } from "../../engine/conditions.ts";
import { memoizeByIdentity } from "../../engine/memoize.ts";
import type { RolloutState } from "../../engine/rollout-conditions.ts";
import {
  neededUnits,
  rolloutConditions,
  rolloutConditionTypes,
  rolloutState,
} from "../../engine/rollout-conditions.ts";
import type { RolloutFigures } from "../../engine/rollout-gauges.ts";
import { isComplete, isGangFitIgnored, isUpdated as isCliqueUpdated } from "../clique-state.ts";
import { revisionInWords } from "../set-revisions.ts";
import {
  isUnderWay,
  releaseCauses,
  releaseConditions,
  updateCondition,
} from "../update-condition.ts";
import type { Acceptance } from "./accept.ts";
import { rejectedState } from "./accept.ts";
import { isSurgeReleased, rollingBackReason } from "./deadline.ts";
import type { GroupState, ReplicaState } from "./replica-state.ts";
import { standaloneCliques } from "./replica-state.ts";
import type { Observed } from "./observe.ts";
import type { Plan } from "./plan.ts";
import { policyOf } from "./plan.ts";
import { ownRevision } from "./replica-changes.ts";
import { topologyConditions } from "./topology-condition.ts";
import { belowMinimum, hasStalledPart, stalledParts, unfinished } from "./unfinished.ts";

interface StatusContext {
  readonly acceptance: Acceptance;
  readonly gangSchedulers: readonly string[] | undefined;
}

export function podCliqueSetStatus(
  observed: Observed,
  plan: Plan,
  { acceptance, gangSchedulers }: StatusContext,
): PodCliqueSetStatus {
  const { set, name, spec, nowMs } = observed;
  const { target } = plan;
  const base = plan.replicas.filter(({ index }) => index < spec.replicas);
  const serving = base.filter((replica) => replica.exists && replica.isAvailable);
  const available = Math.min(spec.replicas, serving.length + stepIns(plan, spec.replicas));
  const updateProgress = progressOf(observed, plan);
  const isUpdating = isUnderWay(updateProgress);
  const previous = set.status?.currentRevision ?? foundRevision(observed, plan);
  const state = setState(plan, base, name);
  const isOver = !isUpdating && state.reason === "RolledOut";
  const needed = neededUnits(policyOf(observed), spec.replicas);
  const amounts = { available, needed, desired: spec.replicas, noun: "replica" };
  const released = releaseConditions(
    {
      isReleased: isUpdating && isReleased(plan),
      decision: plan.decision,
      causes: podCauses(plan),
    },
    set.status?.conditions,
  );
  const causes = [
    ...podCauses(plan),
    ...stalledParts(plan.replicas, target),
    ...releaseCauses(released, state, plan.decision),
    ...belowMinimum(base.filter(({ isAvailable }) => !isAvailable)),
    ...unfinished(plan.replicas, isUpdating ? plan.updating : awaited(state, base)),
  ];
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: spec.replicas,
    availableReplicas: available,
    updatedReplicas: serving.filter((replica) => isUpdated(plan, replica)).length,
    hpaPodSelector: selectorText(managedLabels(name)),
    currentGenerationHash: target.hash,
    currentRevision: isOver ? target.name : previous,
    updateRevision: target.name,
    ...(updateProgress === undefined ? {} : { updateProgress }),
    conditions: mergeConditions(
      set.status?.conditions,
      [
        updateCondition({ ...state, ...amounts, causes, isUpdating }, set.status?.conditions),
        ...rolloutConditions({ ...(rejectedState(acceptance) ?? state), ...amounts, causes }),
        ...released,
        acceptance.condition,
        ...topologyConditions(observed),
        ...gangSchedulingConditions(observed, gangSchedulers),
      ],
      nowMs,
    ),
  };
}

/** None where it is not known which schedulers place gangs. */
function gangSchedulingConditions(
  { set, spec }: Observed,
  gangSchedulers: readonly string[] | undefined,
): ConditionText[] {
  if (gangSchedulers === undefined) return [];
  const type = conditionTypes.gangScheduling;
  const name = spec.template.cliques[0]?.spec.podSpec.schedulerName ?? orderableScheduler;
  if (gangSchedulers.includes(name)) {
    const message = `${name} places gangs as a whole`;
    return [{ type, status: "True", reason: "GangScheduler", message }];
  }
  const heldBack = isGangFitIgnored(set)
    ? `gangs that do not fit are not held back (${annotationKeys.gangFit}: Ignore)`
    : "gangs that do not fit, as far as nodes and requests show, are held back";
  const message =
    `${name} places the pods of a gang one by one; ${heldBack}: ` +
    `set schedulerName to a scheduler that places PodGangs (${gangSchedulers.join(", ")})`;
  return [{ type, status: "False", reason: "NoGangScheduler", message }];
}

/** Nothing in it is of another revision, not even what a partition keeps, and nothing is still on its way. */
const isUpdated = ({ updating }: Plan, { index, needsUpdate, heldBack }: ReplicaState): boolean =>
  !needsUpdate && heldBack.length === 0 && !updating.includes(index);

const podCauses = ({ replicas }: Plan): readonly string[] =>
  replicas.flatMap((replica) => replica.causes);

const isReleased = ({ target, decision }: Plan): boolean =>
  isSurgeReleased(target) || decision.remedy.kind === "releaseSurge";

/** A partition of a clique or group keeps its replica at rest: the set is not rolled out before it is lowered. */
function setState(
  { decision, rollback, target }: Plan,
  base: readonly ReplicaState[],
  name: string,
): RolloutState {
  const state = rolloutState(decision);
  if (rollback !== undefined) {
    const message = `going back to ${revisionInWords(rollback, target)}: ${state.message}`;
    return { phase: "moving", reason: rollingBackReason, message };
  }
  if (state.reason !== "RolledOut") return state;
  const heldBack = base.flatMap((replica) => replica.heldBack);
  if (heldBack.length > 0) {
    return { phase: "resting", reason: "AtPartition", message: aFew(heldBack) };
  }
  return incompleteState(base, name) ?? state;
}

const notComplete = "UnitNotComplete";

/** A replica serves with its minimum; before all of it is there, nobody has what was asked for. */
function incompleteState(base: readonly ReplicaState[], set: string): RolloutState | undefined {
  const left = base.filter((replica) => !replica.isComplete);
  if (left.length === 0) return undefined;
  const names = aFew(left.map(({ index }) => `${set}-${index}`));
  const message = `waiting for ${names} to be complete`;
  const isStalled = left.some(hasStalledPart);
  return { phase: isStalled ? "stalled" : "moving", reason: notComplete, message };
}

/** The replicas that are waited for although none is updated. */
const awaited = ({ reason }: RolloutState, base: readonly ReplicaState[]): readonly number[] =>
  reason === notComplete
    ? base.filter((replica) => !replica.isComplete).map(({ index }) => index)
    : [];

/** Surge replicas serve in place of those that are being updated; those that are to be deleted do not count. */
const stepIns = ({ replicaPlans }: Plan, desired: number): number =>
  replicaPlans.filter(
    ({ action, index, replica }) =>
      index >= desired && action !== "remove" && replica?.exists === true && replica.isAvailable,
  ).length;

/** The revision of a new set before its first reconcile: that of the replicas it adopted, if any. */
const foundRevision = (observed: Observed, { replicas, target }: Plan): string =>
  ownRevision(observed, { replica: replicas.find(({ needsUpdate }) => needsUpdate) }, target).name;

/**
 * Undefined until the first update. A new target starts it afresh, and so does outdated work that an ended update left
 * behind (OnDelete switched to another strategy, a partition lowered).
 */
export function progressOf(observed: Observed, plan: Plan): PodCliqueSetUpdateProgress | undefined {
  const { set, spec, nowMs } = observed;
  const isOnDelete = spec.updateStrategy.type === "OnDelete";
  const moves = plan.updating.length > 0 && !isOnDelete;
  const old = carriedOn(observed, plan, moves);
  if (old === "none") return undefined;
  const updateStartedAt = old?.updateStartedAt ?? timeText(nowMs);
  const counts = { updateStartedAt, ...countComponents(observed, plan.replicas) };
  // A partition that is reached is all that was asked for: what is left begins when it is lowered.
  const isOver = isOnDelete || (!moves && plan.decision.kind === "done");
  const isEnded = old?.updateEndedAt !== undefined || isOver;
  if (!isEnded)
    return { ...counts, ...selection(observed, plan, set.status?.updateProgress === old) };
  return { ...counts, updateEndedAt: old?.updateEndedAt ?? timeText(nowMs) };
}

/** The update that continues; undefined where a new one begins, `none` where there was never one. */
function carriedOn(
  { set }: Observed,
  { target }: Plan,
  moves: boolean,
): PodCliqueSetUpdateProgress | "none" | undefined {
  const { currentGenerationHash: hash, updateProgress: old } = set.status ?? {};
  if (hash !== undefined && hash !== target.hash) return undefined;
  if (old === undefined) return moves ? undefined : "none";
  return moves && old.updateEndedAt !== undefined ? undefined : old;
}

function selection(
  { set, spec, nowMs }: Observed,
  { updating, replicas, decision }: Plan,
  goesOn: boolean,
): Partial<PodCliqueSetUpdateProgress> {
  const known = goesOn ? (set.status?.updateProgress?.currentlyUpdating ?? []) : [];
  const currentlyUpdating = updating.map(
    (replicaIndex) =>
      known.find((entry) => entry.replicaIndex === replicaIndex) ?? {
        replicaIndex,
        updateStartedAt: timeText(nowMs),
      },
  );
  const surge = [
    ...replicas.filter(({ exists }) => exists).map(({ index }) => index),
    ...decision.actions.filter(({ kind }) => kind === "create").map(({ ordinal }) => ordinal),
  ].filter((index) => index >= spec.replicas);
  const surgeReplicaIndices = [...new Set(surge)].toSorted((a, b) => a - b);
  return {
    ...(currentlyUpdating.length === 0 ? {} : { currentlyUpdating }),
    ...(surgeReplicaIndices.length === 0 ? {} : { surgeReplicaIndices }),
  };
}

type Counts = Required<
  Pick<
    PodCliqueSetUpdateProgress,
    | "updatedPodCliquesCount"
    | "totalPodCliquesCount"
    | "updatedPodCliqueScalingGroupsCount"
    | "totalPodCliqueScalingGroupsCount"
  >
>;

/**
 * Standalone cliques and scaling groups of the desired replicas; obsolete beyond them are not counted. A rollout counts
 * what it is done with. Under OnDelete nothing waits for a pod to become ready: a clique is updated when its pods are.
 */
function countComponents({ spec }: Observed, replicas: readonly ReplicaState[]): Counts {
  const isOnDelete = spec.updateStrategy.type === "OnDelete";
  const done = { cliques: 0, groups: 0 };
  for (const replica of replicas) {
    if (replica.index >= spec.replicas) continue;
    const { cliques, groups } = doneIn(replica, isOnDelete);
    done.cliques += cliques;
    done.groups += groups;
  }
  return {
    updatedPodCliquesCount: done.cliques,
    totalPodCliquesCount: spec.replicas * standaloneCliques(spec).length,
    updatedPodCliqueScalingGroupsCount: done.groups,
    totalPodCliqueScalingGroupsCount: spec.replicas * spec.template.podCliqueScalingGroups.length,
  };
}

const doneIn = memoizeByIdentity(({ standalone, groups }: ReplicaState, isOnDelete: boolean) => {
  const isDone = isOnDelete ? isCliqueUpdated : isComplete;
  const isGroupDone = ({ desired, replicas: members }: GroupState): boolean =>
    [...members].filter(([index, each]) => index < desired && each.every(isDone)).length ===
    desired;
  return {
    cliques: standalone.filter(isDone).length,
    groups: groups.filter(isGroupDone).length,
  };
});

export function figuresOf({ spec }: PodCliqueSet, status: PodCliqueSetStatus): RolloutFigures {
  const { replicas = 0, availableReplicas = 0, updatedReplicas = 0, updateProgress } = status;
  return {
    desired: replicas,
    available: availableReplicas,
    updated: updatedReplicas,
    surge: updateProgress?.surgeReplicaIndices?.length ?? 0,
    paused: spec.updateStrategy?.paused === true,
    isOutdated: status.currentRevision !== status.updateRevision,
    outdatedSince: updateProgress?.updateStartedAt,
  };
}

/** What other controllers act on, and that everything is done; the rest are counters that may wait a moment. */
export function isUrgent(
  { spec, status: before }: PodCliqueSet,
  after: PodCliqueSetStatus,
): boolean {
  const arrives = (count: "availableReplicas" | "updatedReplicas"): boolean =>
    after[count] === after.replicas && before?.[count] !== after[count];
  const mayWait = spec.updateStrategy?.type === "OnDelete" ? losses : none;
  return (
    before === undefined ||
    phaseOf(before) !== phaseOf(after) ||
    turned(before, after).some((phase) => !mayWait.has(phase)) ||
    hasBegun(before, after) ||
    arrives("availableReplicas") ||
    arrives("updatedReplicas")
  );
}

const { available, progressing, reconciling } = rolloutConditionTypes;

/** Under OnDelete pods are deleted one after the other, and each is usually back in a moment. */
const losses: ReadonlySet<string> = new Set([
  `${available}=False`,
  `${progressing}=True`,
  `${reconciling}=True`,
]);
const none: ReadonlySet<string> = new Set();

function turned(before: PodCliqueSetStatus, after: PodCliqueSetStatus): readonly string[] {
  const [known, now] = [before, after].map(({ conditions = [] }) =>
    conditions.map(phaseOfCondition),
  );
  return now?.filter((phase) => !known?.includes(phase)) ?? [];
}

/** A replica that begins is recorded before it is touched; one that is done may be reported with the next. */
function hasBegun(before: PodCliqueSetStatus, after: PodCliqueSetStatus): boolean {
  const [known, now] = [before, after].map(({ updateProgress = {} }) => [
    ...(updateProgress.currentlyUpdating ?? []).map(({ replicaIndex }) => replicaIndex),
    ...(updateProgress.surgeReplicaIndices ?? []),
  ]);
  return now?.some((index) => !known?.includes(index)) ?? false;
}

function phaseOf(status: PodCliqueSetStatus): string {
  const { observedGeneration, currentGenerationHash, updateProgress, conditions = [] } = status;
  return JSON.stringify([
    observedGeneration,
    currentGenerationHash,
    updateProgress?.updateStartedAt,
    updateProgress?.updateEndedAt,
    conditions.map(({ type }) => type).toSorted(),
  ]);
}

/** What is wrong with a spec is reported as soon as it is known; other messages may follow later. */
const phaseOfCondition = ({ type, status, message }: Condition): string =>
  type === conditionTypes.specAccepted ? `${type}=${message}` : `${type}=${status}`;
