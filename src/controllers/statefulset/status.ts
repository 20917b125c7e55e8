/** The whole status of a set, rebuilt every time from the same view the decision was made on. */
import { isTerminating } from "../../api/object.ts";
import type { StatefulSet, StatefulSetStatus } from "../../api/apps.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import type { Action, Decision } from "../../planner/index.ts";
import type { ConditionText } from "../engine/conditions.ts";
import { conditionOf, mergeConditions } from "../engine/conditions.ts";
import { controllerOf } from "../engine/ownership.ts";
import { causeOf } from "../engine/pod-health.ts";
import {
  neededUnits,
  refusedStep,
  rolloutConditions,
  rolloutConditionTypes,
  rolloutState,
} from "../engine/rollout-conditions.ts";
import type { RolloutFigures } from "../engine/rollout-gauges.ts";
import { readOverrides } from "./annotations.ts";
import { claimInTheWay } from "./claims.ts";
import { podName } from "./identity.ts";
import type { Observed } from "./observe.ts";
import type { RevisionNames, RolloutPlan } from "./plan.ts";
import { assessPods } from "./plan.ts";
import { desiredReplicas } from "./policy.ts";
import type { SetPodState } from "./set-pod.ts";

export function statefulSetStatus(
  observed: Observed,
  planned: RolloutPlan,
  { collisionCount, refusal }: { readonly collisionCount: number; readonly refusal?: string },
): StatefulSetStatus {
  const { set, nowMs } = observed;
  const { pods, names, decision } = planned;
  const counts = countPods(pods, names);
  const isComplete = hasCompleted(counts, desiredReplicas(set));
  const notes = claimsInTheWay(observed, decision);
  const ours = conditionsOf(observed, planned, { notes, refusal });
  const conditions = mergeConditions(set.status?.conditions, ours, nowMs);
  return {
    ...set.status,
    observedGeneration: set.metadata.generation ?? 0,
    ...counts,
    currentRevision: isComplete ? names.update : names.current,
    currentReplicas: isComplete ? counts.updatedReplicas : counts.currentReplicas,
    updateRevision: names.update,
    collisionCount,
    conditions,
  };
}

/** The status has no start of an update; the condition does, as long as the update moves. */
export function figuresOf(set: StatefulSet, status: StatefulSetStatus): RolloutFigures {
  const desired = desiredReplicas(set);
  const { currentRevision, updateRevision } = status;
  const moving = conditionOf(status, rolloutConditionTypes.progressing);
  return {
    desired,
    available: Math.min(desired, status.availableReplicas ?? 0),
    updated: Math.min(desired, status.updatedReplicas ?? 0),
    surge: 0,
    paused: readOverrides(set).paused,
    isOutdated: currentRevision !== updateRevision,
    outdatedSince: moving?.status === "True" ? moving.lastTransitionTime : undefined,
  };
}

/** The garbage collector deletes the pods of a terminating set; all that is left to do is to count them. */
export function terminatingStatus(observed: Observed): StatefulSetStatus {
  const { set } = observed;
  const { updateRevision: update = "", currentRevision: current = update } = set.status ?? {};
  const counts = countPods(assessPods(observed), { current, update });
  const isComplete = hasCompleted(counts, desiredReplicas(set));
  return {
    collisionCount: 0,
    ...set.status,
    observedGeneration: set.metadata.generation ?? 0,
    ...counts,
    currentReplicas: isComplete ? counts.updatedReplicas : counts.currentReplicas,
  };
}

type Counts = Required<
  Pick<
    StatefulSetStatus,
    "replicas" | "readyReplicas" | "availableReplicas" | "currentReplicas" | "updatedReplicas"
  >
>;

function countPods(pods: readonly SetPodState[], names: RevisionNames): Counts {
  let [ready, available, current, updated] = [0, 0, 0, 0];
  for (const state of pods) {
    const { revision, health } = state;
    if (state.isRunningAndReady) {
      ready += 1;
      // The API server refuses a status with more available pods than ready ones.
      if (health.health === "available") available += 1;
    }
    if (isTerminating(state.pod)) continue;
    if (revision === names.current) current += 1;
    if (revision === names.update) updated += 1;
  }
  return {
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: available,
    currentReplicas: current,
    updatedReplicas: updated,
  };
}

/** Availability counts, not readiness alone: a promotion before minReadySeconds would be a promise too early. */
function hasCompleted(counts: Counts, desired: number): boolean {
  return (
    counts.replicas === desired &&
    counts.updatedReplicas === desired &&
    counts.availableReplicas === desired
  );
}

/** Pods that the decision wants to create and that have to wait for a claim to go first. */
function claimsInTheWay({ set, claim }: Observed, { actions }: Decision): string[] {
  const all: readonly Action[] = actions;
  return all.flatMap((action) => {
    if (action.kind !== "create") return [];
    const name = claimInTheWay(set, action.ordinal, claim);
    const pod = podName(set.metadata.name ?? "", action.ordinal);
    return name === undefined ? [] : [`${pod} waits until claim ${name} is gone`];
  });
}

interface Remarks {
  readonly notes?: readonly string[];
  /** What the server answered to the step. */
  readonly refusal?: string | undefined;
}

/** The four conditions of every kind; the planner's sentence comes with what nodes and scheduler say of the pods. */
export function conditionsOf(
  { set, nowMs }: Pick<Observed, "set" | "nowMs">,
  { decision, pods, policy, deadline }: RolloutPlan,
  { notes = [], refusal }: Remarks = {},
): ConditionText[] {
  const desired = desiredReplicas(set);
  const available = pods.filter(({ health }) => health.health === "available").length;
  const decided = rolloutState(decision);
  const isHeld = decision.kind === "hold" && isStuck(decision, pods);
  const state = { ...decided, phase: isHeld ? "stalled" : decided.phase } as const;
  const now =
    refusal === undefined
      ? { ...state, causes: [] }
      : refusedStep(state, refusal, { nowMs, deadline });
  return rolloutConditions({
    ...now,
    available: Math.min(desired, available),
    needed: neededUnits(policy, desired),
    desired,
    noun: "pod",
    causes: [...now.causes, ...causesOf(decision, pods), ...notes],
  });
}

/** Nothing that is under way can end this wait: the deadline has passed, or only broken pods are waited for. */
function isStuck(decision: Decision, pods: readonly SetPodState[]): boolean {
  if (decision.reason.code === "Paused") return false;
  if (decision.reason.code === "ProgressDeadlineExceeded") return true;
  const broken = new Set(
    pods.filter(({ health }) => health.trouble !== undefined).map(({ pod }) => pod.metadata.name),
  );
  return decision.waits.length > 0 && decision.waits.every(({ unit }) => broken.has(unit));
}

/** What keeps the pods that it waits for from serving; pods with the same cause together. */
function causesOf({ waits }: Decision, pods: readonly SetPodState[]): string[] {
  const byCause = new Map<string, string[]>();
  const waiting = waits.flatMap(
    ({ unit }) => pods.find(({ pod }) => pod.metadata.name === unit) ?? [],
  );
  for (const { pod, health } of waiting) {
    const cause = causeOf(pod, health);
    const { name = "" } = pod.metadata;
    if (cause !== undefined) byCause.set(cause, [...(byCause.get(cause) ?? []), name]);
  }
  return [...byCause].map(([cause, names]) => `${names.join(", ")}: ${cause}`);
}

/** They turn with every step of a group that moves one pod at a time. */
const movingConditions: ReadonlySet<string> = new Set([
  rolloutConditionTypes.progressing,
  rolloutConditionTypes.reconciling,
]);

/**
 * What readers wait for: a new generation seen, another revision, a condition that flipped. A group moves the
 * partitions of its sets all the time and waits for none of them to be seen: to answer each cost a write per pod.
 */
export function isPhaseChange(set: StatefulSet, next: StatefulSetStatus): boolean {
  const { status: old } = set;
  if (old === undefined) return true;
  const isSteered = controllerOf(set)?.kind === roleBasedGroupResource.kind;
  const phase = ({ conditions = [], ...status }: StatefulSetStatus): string =>
    JSON.stringify([
      isSteered ? undefined : status.observedGeneration,
      status.currentRevision,
      status.updateRevision,
      conditions
        .filter(({ type }) => !isSteered || !movingConditions.has(type))
        .map(({ type, status: value }) => `${type}=${value}`)
        .toSorted(),
    ]);
  return phase(old) !== phase(next);
}

/** Servers leave zero counters out. */
export const writtenStatus = ({ status }: StatefulSet): StatefulSetStatus => ({
  observedGeneration: 0,
  replicas: 0,
  readyReplicas: 0,
  availableReplicas: 0,
  currentReplicas: 0,
  updatedReplicas: 0,
  collisionCount: 0,
  ...status,
});
