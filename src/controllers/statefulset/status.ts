/** The whole status of a set, rebuilt every time from the same view the decision was made on. */
import { isTerminating } from "../../api/object.ts";
import type { Condition, StatefulSet, StatefulSetStatus } from "../../api/apps.ts";
import { isReady } from "../../api/pod.ts";
import type { Action, Decision } from "../../planner/index.ts";
import type { ConditionText } from "../engine/conditions.ts";
import { mergeConditions } from "../engine/conditions.ts";
import { claimInTheWay } from "./claims.ts";
import { podName } from "./identity.ts";
import type { Observed } from "./observe.ts";
import type { RevisionNames, RolloutPlan, SetPodState } from "./plan.ts";
import { planRollout } from "./plan.ts";
import { desiredReplicas, fullPolicy } from "./policy.ts";

export function statefulSetStatus(
  observed: Observed,
  { pods, names, decision }: RolloutPlan,
  collisionCount: number,
): StatefulSetStatus {
  const { set, nowMs } = observed;
  const counts = countPods(pods, names);
  const isComplete = hasCompleted(counts, desiredReplicas(set));
  const ours = conditionsOf(decision, pods, claimsInTheWay(observed, decision));
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

/** The garbage collector deletes the pods of a terminating set; all that is left to do is to count them. */
export function terminatingStatus(observed: Observed): StatefulSetStatus {
  const { set, overrides } = observed;
  const { updateRevision: update = "", currentRevision: current = update } = set.status ?? {};
  const planned = planRollout(observed, { current, update }, fullPolicy(set, overrides));
  const { collisionCount = 0, currentRevision, updateRevision, conditions } = set.status ?? {};
  const status = statefulSetStatus(observed, planned, collisionCount);
  return { ...status, currentRevision, updateRevision, conditions };
}

type Counts = Required<
  Pick<
    StatefulSetStatus,
    "replicas" | "readyReplicas" | "availableReplicas" | "currentReplicas" | "updatedReplicas"
  >
>;

function countPods(pods: readonly SetPodState[], names: RevisionNames): Counts {
  const count = (holds: (state: SetPodState) => boolean): number => pods.filter(holds).length;
  const isRunningAndReady = ({ pod }: SetPodState): boolean =>
    pod.status?.phase === "Running" && isReady(pod);
  return {
    replicas: pods.length,
    readyReplicas: count(isRunningAndReady),
    // The API server refuses a status with more available pods than ready ones.
    availableReplicas: count(
      (state) => isRunningAndReady(state) && state.health.health === "available",
    ),
    currentReplicas: count(
      (state) => state.revision === names.current && !isTerminating(state.pod),
    ),
    updatedReplicas: count((state) => state.revision === names.update && !isTerminating(state.pod)),
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

export function conditionsOf(
  decision: Decision,
  pods: readonly SetPodState[],
  notes: readonly string[] = [],
): ConditionText[] {
  const message = [explain(decision, pods), ...notes.slice(0, 3)].join("; ");
  const { code } = decision.reason;
  const isDone = decision.kind === "done";
  const isStalled = decision.kind === "hold" && isStuck(decision, pods);
  return [
    { type: "Progressing", status: isDone ? "False" : "True", reason: code, message },
    {
      type: "Stalled",
      status: isStalled ? "True" : "False",
      reason: isStalled ? code : "NotStalled",
      message: isStalled ? message : "",
    },
  ];
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

/** The planner's sentence, and what the nodes say about the pods it waits for. */
function explain(decision: Decision, pods: readonly SetPodState[]): string {
  const byTrouble = new Map<string, string[]>();
  for (const { unit } of decision.waits) {
    const trouble = pods.find(({ pod }) => pod.metadata.name === unit)?.health.trouble;
    if (trouble !== undefined) byTrouble.set(trouble, [...(byTrouble.get(trouble) ?? []), unit]);
  }
  const troubles = [...byTrouble].map(([trouble, units]) => `${units.join(", ")}: ${trouble}`);
  return [decision.reason.message, ...troubles.slice(0, 3)].join("; ");
}

/** What readers wait for: a new generation seen, another revision, a condition that flipped. */
export function isPhaseChange(
  old: StatefulSetStatus | undefined,
  next: StatefulSetStatus,
): boolean {
  if (old === undefined) return true;
  const phase = ({ conditions = [], ...status }: StatefulSetStatus): string =>
    JSON.stringify([
      status.observedGeneration,
      status.currentRevision,
      status.updateRevision,
      conditions.map(({ type, status: value }) => `${type}=${value}`).toSorted(),
    ]);
  return phase(old) !== phase(next);
}

export function newlyStalled(
  old: StatefulSetStatus | undefined,
  next: StatefulSetStatus,
): Condition | undefined {
  const isStalled = ({ type, status }: Condition): boolean =>
    type === "Stalled" && status === "True";
  return old?.conditions?.some(isStalled) === true ? undefined : next.conditions?.find(isStalled);
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
