/** The state of a rollout from its conditions: the same words for every kind. Pure. */
import type { Condition } from "../api/apps.ts";
import type { KubeObject } from "../api/object.ts";
import type { RolloutState, StateReason } from "./view.ts";

export interface Stated {
  readonly state: RolloutState;
  readonly reason: StateReason;
  readonly since?: string;
}

/** What every kind reports that Lockstep rolls out. */
export interface ReportedStatus {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

const restingStates: Readonly<Record<string, RolloutState>> = {
  RolledOut: "Healthy",
  UpdateEnded: "Healthy",
  AtPartition: "AtPartition",
  PartitionReached: "AtPartition",
  OutdatedLeftToDelete: "AwaitingDelete",
  AwaitingTurn: "AwaitingTurn",
  ReplacedByOwner: "AwaitingTurn",
  Paused: "Paused",
  /** A pause between two steps, which a person passes. */
  AwaitingPromotion: "Paused",
};

/**
 * Undefined where no condition says: then the counters have to. `changedAt` is when there was something new to roll
 * out: what rests in another way than before has not turned its condition.
 */
export function reportedState(
  { metadata }: Pick<KubeObject, "metadata">,
  status: ReportedStatus | undefined,
  changedAt?: string,
): Stated | undefined {
  const find = (type: string): Condition | undefined =>
    status?.conditions?.find((condition) => condition.type === type);
  if (metadata.deletionTimestamp !== undefined) return deleting(metadata);
  if (isBehind(metadata, status)) return notObserved(metadata, status);
  const accepted = find("SpecAccepted");
  if (accepted?.status === "False") return from(accepted, "Rejected", "SpecRejected");
  const stalled = find("Stalled");
  if (stalled?.status === "True") return from(stalled, stalledState(stalled));
  const moving = find("Progressing") ?? find("UpdateInProgress");
  if (moving === undefined) return undefined;
  const stated = from(sinceAll(moving, [stalled, accepted]), movingState(moving));
  return heldStates.has(stated.state) ? heldSince(stated, changedAt) : stated;
}

/**
 * What was stalled or rejected and rests now has not turned Progressing: it came to rest no sooner than the last of the
 * conditions turned that outweigh it.
 */
function sinceAll(moving: Condition, others: readonly (Condition | undefined)[]): Condition {
  const times = [moving, ...others].map((condition) => condition?.lastTransitionTime ?? "");
  const lastTransitionTime = times.reduce((last, time) => (time > last ? time : last));
  return lastTransitionTime === "" ? moving : { ...moving, lastTransitionTime };
}

/**
 * How many units served when the message of the status was written: counters beside it that were counted at another
 * time contradict it. Undefined where no condition says.
 */
export function availableThen(status: ReportedStatus | undefined): number | undefined {
  const available = status?.conditions?.find(({ type }) => type === "Available");
  const [, count] = /^(\d+) of \d+ /.exec(available?.message ?? "") ?? [];
  return count === undefined ? undefined : Number(count);
}

/** At rest with something left to do. */
const heldStates: ReadonlySet<RolloutState> = new Set(["Paused", "AtPartition", "AwaitingDelete"]);

function heldSince(stated: Stated, changedAt: string | undefined): Stated {
  if (changedAt === undefined || changedAt <= (stated.since ?? "")) return stated;
  return { ...stated, since: changedAt };
}

/** Kinds without `SpecAccepted` say it here: what is wrong is the spec, and the last good one stays in force. */
const rejections = new Set(["InvalidSpec", "Misconfigured"]);

const stalledState = ({ reason = "" }: Condition): RolloutState =>
  rejections.has(reason) ? "Rejected" : "Stalled";

/** A kind without `observedGeneration` (Placement) cannot say that it is behind. */
function isBehind(
  { generation = 0 }: KubeObject["metadata"],
  status: ReportedStatus | undefined,
): boolean {
  const { observedGeneration, conditions } = status ?? {};
  if (observedGeneration === undefined && conditions !== undefined) return false;
  return (observedGeneration ?? 0) < generation;
}

function movingState({ status, reason = "", type }: Condition): RolloutState {
  const resting = restingStates[reason];
  if (resting === "Paused") return "Paused";
  if (status === "Unknown") return "Stalled";
  if (status === "True") return "Progressing";
  // A set that was never updated reports here what it does all the same.
  return resting ?? (type === "UpdateInProgress" ? "Progressing" : "Healthy");
}

function from(condition: Condition, state: RolloutState, code = condition.reason ?? ""): Stated {
  const { message = "", lastTransitionTime } = condition;
  // A part becomes outdated while it rests: its condition does not turn, and its time says nothing.
  const isDated = lastTransitionTime !== undefined && state !== "AwaitingTurn";
  const since = isDated ? { since: lastTransitionTime } : {};
  return { state, reason: { code, message }, ...since };
}

function deleting({ deletionTimestamp, finalizers = [] }: KubeObject["metadata"]): Stated {
  const held = finalizers.length === 0 ? "" : `; held by ${finalizers.join(", ")}`;
  const message = `its deletion was requested, and what it owns goes with it${held}`;
  const reason = { code: "Deleting", message };
  return {
    state: "Deleting",
    reason,
    ...(deletionTimestamp === undefined ? {} : { since: deletionTimestamp }),
  };
}

/** How the message of an object ends that was never reported on. */
export const noStatus = "no status yet";

function notObserved(
  { generation = 0 }: KubeObject["metadata"],
  status: ReportedStatus | undefined,
): Stated {
  const seen = status?.observedGeneration;
  const last = seen === undefined ? noStatus : `its status is of generation ${seen}`;
  const message = `the controller has not reported on generation ${generation}: ${last}`;
  return { state: "Progressing", reason: { code: "NotObserved", message } };
}
