/** The status of a Deployment: counters, and the conditions that `kubectl rollout status` reads. Pure. */
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  ReplicaSet,
} from "../../api/apps.ts";
import { parseTime, timeText } from "../../api/time-text.ts";
import type { Sets } from "./deployment-sets.ts";
import { availableOf, budgetOf, replicasOf, sumOf } from "./deployment-sets.ts";

/** A deadline of this many seconds means that there is none. */
const noDeadline = 2 ** 31 - 1;

export interface StatusView {
  readonly deployment: Deployment;
  readonly sets: Sets;
  /** The set was created in this reconcile; it is not in `sets` yet. */
  readonly created?: ReplicaSet;
  readonly collisionCount?: number;
  readonly nowMs: number;
}

export interface DeploymentReport {
  readonly status: DeploymentStatus;
  /** When the progress deadline may pass. */
  readonly recheckAfterMs?: number;
}

export function isComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const desired = replicasOf(deployment);
  return (
    (status?.updatedReplicas ?? 0) === desired &&
    (status?.replicas ?? 0) === desired &&
    (status?.availableReplicas ?? 0) === desired &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

export function reportDeployment(view: StatusView): DeploymentReport {
  const { deployment, nowMs } = view;
  const counts = countersOf(view);
  const before = deployment.status?.conditions;
  const progressing = progressOf(view, counts);
  const conditions = [availability(view, counts), progressing, failureOf(view)]
    .filter((condition) => condition !== undefined)
    .map((condition) => stamped(condition, before, nowMs));
  const status = { ...counts, ...(conditions.length === 0 ? {} : { conditions }) };
  const recheckAfterMs = untilDeadline(view, status);
  return recheckAfterMs === undefined ? { status } : { status, recheckAfterMs };
}

type Counters = Omit<DeploymentStatus, "conditions">;
type ConditionText = Omit<DeploymentCondition, "lastTransitionTime">;

function countersOf({ deployment, sets, collisionCount, created }: StatusView): Counters {
  const { current, old } = sets;
  const all = [...old, ...(current === undefined ? [] : [current])];
  const available = sumOf(all, availableOf);
  const wanted = sumOf(all, replicasOf) + (created === undefined ? 0 : replicasOf(created));
  const collisions = collisionCount ?? deployment.status?.collisionCount;
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sumOf(all, ({ status }) => status?.replicas ?? 0),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sumOf(all, ({ status }) => status?.readyReplicas ?? 0),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, wanted - available),
    terminatingReplicas: sumOf(all, ({ status }) => status?.terminatingReplicas ?? 0),
    ...(collisions === undefined ? {} : { collisionCount: collisions }),
  };
}

function availability({ deployment }: StatusView, counts: Counters): ConditionText {
  const least = replicasOf(deployment) - budgetOf(deployment).maxUnavailable;
  const isAvailable = (counts.availableReplicas ?? 0) >= least;
  const verb = isAvailable ? "has" : "does not have";
  return {
    type: "Available",
    status: isAvailable ? "True" : "False",
    reason: isAvailable ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    message: `Deployment ${verb} minimum availability.`,
  };
}

const conditionOf = (
  { status }: Deployment | ReplicaSet,
  type: string,
): DeploymentCondition | undefined => status?.conditions?.find((each) => each.type === type);

const deadlineOf = ({ spec }: Deployment): number | undefined => {
  const { progressDeadlineSeconds: seconds = noDeadline } = spec;
  return seconds === noDeadline ? undefined : seconds;
};

const finished = "NewReplicaSetAvailable";
const timedOut = "ProgressDeadlineExceeded";

function progressOf(view: StatusView, counts: Counters): ConditionText | undefined {
  const { deployment, created } = view;
  if (deadlineOf(deployment) === undefined) return undefined;
  const before = conditionOf(deployment, "Progressing");
  const paused = pauseOf(deployment, before);
  if (paused !== undefined) return paused;
  if (created !== undefined) {
    const message = `Created new replica set "${created.metadata.name}"`;
    return progress(view, "NewReplicaSetCreated", message);
  }
  const isAtRest = counts.replicas === counts.updatedReplicas && before?.reason === finished;
  return isAtRest ? before : movement(view, counts, before);
}

function movement(
  view: StatusView,
  counts: Counters,
  before: DeploymentCondition | undefined,
): ConditionText | undefined {
  const { deployment, sets } = view;
  const name = sets.current?.metadata.name;
  const subject =
    name === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${name}"`;
  if (isComplete(deployment, counts)) {
    return progress(view, finished, `${subject} has successfully progressed.`);
  }
  if (hasMoved(deployment.status ?? {}, counts)) {
    return progress(view, "ReplicaSetUpdated", `${subject} is progressing.`);
  }
  if (before === undefined && name !== undefined) {
    return progress(view, "FoundNewReplicaSet", `Found new replica set "${name}"`);
  }
  if (before === undefined || !isOverdue(view, before)) return before;
  return progress(view, timedOut, `${subject} has timed out progressing.`, "False");
}

const progress = (
  { nowMs }: StatusView,
  reason: string,
  message: string,
  status: "True" | "False" = "True",
): ConditionText => ({
  type: "Progressing",
  status,
  reason,
  message,
  lastUpdateTime: timeText(nowMs),
});

function isOverdue({ deployment, nowMs }: StatusView, before: DeploymentCondition): boolean {
  if (before.reason === finished || before.reason === timedOut) return false;
  const since = parseTime(before.lastUpdateTime ?? "") ?? nowMs;
  return nowMs - since >= (deadlineOf(deployment) ?? noDeadline) * 1000;
}

/** Time that passes while a Deployment is paused does not count against its deadline. */
function pauseOf(
  { spec }: Deployment,
  before: DeploymentCondition | undefined,
): ConditionText | undefined {
  if (before?.reason === timedOut) return undefined;
  const isPaused = before?.reason === "DeploymentPaused";
  const say = (reason: string, message: string): ConditionText => ({
    type: "Progressing",
    status: "Unknown",
    reason,
    message,
  });
  if (spec.paused === true) {
    return isPaused ? before : say("DeploymentPaused", "Deployment is paused");
  }
  return isPaused ? say("DeploymentResumed", "Deployment is resumed") : undefined;
}

function hasMoved(before: DeploymentStatus, now: Counters): boolean {
  const outdated = (status: Counters): number =>
    (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  const grew = (["updatedReplicas", "readyReplicas", "availableReplicas"] as const).some(
    (field) => (now[field] ?? 0) > (before[field] ?? 0),
  );
  return grew || outdated(now) < outdated(before);
}

/** What keeps a ReplicaSet from creating pods is shown on the Deployment too. */
function failureOf({ sets: { current, old } }: StatusView): ConditionText | undefined {
  return [current, ...old]
    .map((set) => (set === undefined ? undefined : conditionOf(set, "ReplicaFailure")))
    .find((condition) => condition !== undefined);
}

function stamped(
  condition: ConditionText,
  before: readonly DeploymentCondition[] | undefined,
  nowMs: number,
): DeploymentCondition {
  const known = before?.find(({ type }) => type === condition.type);
  const now = timeText(nowMs);
  const isSame = known?.reason === condition.reason && known?.status === condition.status;
  const lastUpdateTime = condition.lastUpdateTime ?? (isSame ? known?.lastUpdateTime : now) ?? now;
  const flipped = known?.status !== condition.status;
  const { type, status, reason, message } = condition;
  return {
    type,
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    lastUpdateTime,
    lastTransitionTime: (flipped ? undefined : known?.lastTransitionTime) ?? now,
  };
}

function untilDeadline(
  { deployment, nowMs }: StatusView,
  status: DeploymentStatus,
): number | undefined {
  const seconds = deadlineOf(deployment);
  const progressing = status.conditions?.find(({ type }) => type === "Progressing");
  if (seconds === undefined || progressing === undefined || deployment.spec.paused === true)
    return undefined;
  if (progressing.reason === timedOut || isComplete(deployment, status)) return undefined;
  const since = parseTime(progressing.lastUpdateTime ?? "") ?? nowMs;
  return Math.max(0, since + seconds * 1000 - nowMs);
}
