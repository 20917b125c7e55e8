/** The whole status of a set, rebuilt every time from the same view the decision was made on. */
import { isTerminating } from "../../api/object.ts";
import type { StatefulSetStatus } from "../../api/apps.ts";
import { isReady } from "../../api/pod.ts";
import { isSameJson } from "../../api/same-json.ts";
import type { Action, Decision } from "../../planner/index.ts";
import type { ConditionText } from "../engine/conditions.ts";
import { mergeConditions } from "../engine/conditions.ts";
import { claimInTheWay } from "./claims.ts";
import { podName } from "./identity.ts";
import type { Observed } from "./observe.ts";
import type { PodState, Plan, RevisionNames } from "./plan.ts";
import { desiredReplicas } from "./policy.ts";

export function setStatus(
  observed: Observed,
  { pods, names, decision }: Plan,
  collisionCount: number,
): StatefulSetStatus {
  const { set, nowMs } = observed;
  const counts = countPods(pods, names);
  const isComplete = hasCompleted(counts, desiredReplicas(set));
  const ours = conditionsOf(decision, pods, claimsInTheWay(observed, decision));
  const conditions = mergeConditions(set.status?.conditions, ours, nowMs);
  return {
    observedGeneration: set.metadata.generation ?? 0,
    ...counts,
    currentRevision: isComplete ? names.update : names.current,
    currentReplicas: isComplete ? counts.updatedReplicas : counts.currentReplicas,
    updateRevision: names.update,
    collisionCount,
    conditions,
  };
}

type Counts = Required<
  Pick<
    StatefulSetStatus,
    "replicas" | "readyReplicas" | "availableReplicas" | "currentReplicas" | "updatedReplicas"
  >
>;

function countPods(pods: readonly PodState[], names: RevisionNames): Counts {
  const count = (holds: (judged: PodState) => boolean): number => pods.filter(holds).length;
  const isRunningAndReady = ({ pod }: PodState): boolean =>
    pod.status?.phase === "Running" && isReady(pod);
  return {
    replicas: pods.length,
    readyReplicas: count(isRunningAndReady),
    availableReplicas: count((judged) => judged.health.health === "available"),
    currentReplicas: count(
      (judged) => judged.revision === names.current && !isTerminating(judged.pod),
    ),
    updatedReplicas: count(
      (judged) => judged.revision === names.update && !isTerminating(judged.pod),
    ),
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

/** Pods that the decision wants to make and that have to wait for a claim to go first. */
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
  pods: readonly PodState[],
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
function isStuck(decision: Decision, pods: readonly PodState[]): boolean {
  if (decision.reason.code === "Paused") return false;
  if (decision.reason.code === "ProgressDeadlineExceeded") return true;
  const broken = new Set(
    pods.filter(({ health }) => health.trouble !== undefined).map(({ pod }) => pod.metadata.name),
  );
  return decision.waits.length > 0 && decision.waits.every(({ unit }) => broken.has(unit));
}

/** The planner's sentence, and what the nodes say about the pods it waits for. */
export function explain(decision: Decision, pods: readonly PodState[]): string {
  const byTrouble = new Map<string, string[]>();
  for (const { unit } of decision.waits) {
    const trouble = pods.find(({ pod }) => pod.metadata.name === unit)?.health.trouble;
    if (trouble !== undefined) byTrouble.set(trouble, [...(byTrouble.get(trouble) ?? []), unit]);
  }
  const troubles = [...byTrouble].map(([trouble, units]) => `${units.join(", ")}: ${trouble}`);
  return [decision.reason.message, ...troubles.slice(0, 3)].join("; ");
}

/** Whether two statuses say the same; the API server leaves zero counters out. */
export function isSameStatus(a: StatefulSetStatus | undefined, b: StatefulSetStatus): boolean {
  if (a === undefined) return false;
  const before = a as unknown as Record<string, unknown>;
  return Object.entries(b).every(([key, value]) =>
    isSameJson(before[key] ?? (typeof value === "number" ? 0 : undefined), value),
  );
}
