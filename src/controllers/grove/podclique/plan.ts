/** From what was observed to one decision and the writes that carry it out. Pure. */
import type { PodClique } from "../../../api/grove/podclique.ts";
import { isRolling } from "../../../api/grove/update-strategy.ts";
import { parseTime } from "../../../api/time-text.ts";
import type { Deadline, Decision, Policy, Rollout, Snapshot } from "../../../planner/index.ts";
import { cliquePolicy, decide, nothingRequested, resolveBudget } from "../../../planner/index.ts";
import { createdAtMs, templateHash } from "../clique-state.ts";
import type { PodHealth, PodState } from "../../engine/pod-health.ts";
import { podHealth, unitOfPod } from "../../engine/pod-health.ts";
import { latestOf, movingSinceMs, progressDeadline } from "../../engine/progress-deadline.ts";
import type { Planned } from "../../engine/reconcile.ts";
import { earliest, recheckMs } from "../../engine/live-reads.ts";
import { mostCreates } from "../../engine/size-limits.ts";
import type { ClaimNeeds } from "../align-claims.ts";
import { scaleInPolicy } from "../scale-in-policy.ts";
import type { Gates } from "./gates.ts";
import { gatesOf, isInDoubt } from "./gates.ts";
import { claimNeeds, sharingOf } from "./claims.ts";
import { troubleInMs } from "./clique-conditions.ts";
import { hasLackedRoom } from "../update-condition.ts";
import { cliqueWrites } from "./writes.ts";
import type { CliquePod, Observed } from "./observe.ts";
import { isOnDelete, rollsItself } from "./identity.ts";

export interface CliquePodState extends CliquePod, PodState {}

export interface Plan extends Planned {
  readonly pods: readonly CliquePodState[];
  readonly targetRevision: string;
  /** What the clique has been so far: its target, unless an update is under way. */
  readonly currentRevision: string;
  readonly policy: Policy;
  readonly decision: Decision;
  readonly deadline: Deadline;
  readonly gates: Gates;
  /** What its pods share, if anything. */
  readonly claims: ClaimNeeds | undefined;
}

export const isCreating = ({ decision }: Pick<Plan, "decision">): boolean =>
  decision.actions.some(({ kind }) => kind === "create");

export function plan(observed: Observed): Plan {
  const pods = observed.pods.map((each) => assess(each, observed.nowMs));
  const policy = policyOf(observed.clique);
  const currentRevision = currentRevisionOf(observed.clique, pods);
  const rollout = rolloutOf(observed, pods, currentRevision);
  const snapshot: Snapshot = {
    nowMs: observed.nowMs,
    rollout,
    units: pods.map(unitOfPod),
    requested: nothingRequested,
  };
  const decision = decide(snapshot, policy);
  const sharing = sharingOf(observed.set, observed.clique);
  const decided = {
    pods,
    targetRevision: rollout.targetRevision,
    currentRevision,
    policy,
    decision,
    deadline: rollout.deadline,
    gates: gatesOf(observed),
    claims: claimNeeds(observed, decision, sharing),
  };
  // The surge is given up for this target in the status first, whatever happens next: only then is it deleted.
  if (isReleasing(decided) && !isSurgeReleased(observed.clique)) {
    return { ...decided, claims: undefined, phases: [], requeueAfterMs: 0 };
  }
  return {
    ...decided,
    phases: cliqueWrites(observed, decided, sharing),
    requeueAfterMs: earliest([
      decision.recheckAfterMs,
      troubleInMs(decided, observed.nowMs),
      isInDoubt(observed.baseGang) ? recheckMs : undefined,
      isCutShort(decision) ? 0 : undefined,
      overdueInMs(decided, observed),
    ]),
  };
}

function policyOf(clique: PodClique): Policy {
  const { replicas, updateStrategy = {} } = clique.spec;
  if (isOnDelete(clique)) {
    return scaleInPolicy(updateStrategy, replicas, "outdatedFirst");
  }
  const { maxUnavailable, maxSurge, partition } = updateStrategy;
  return cliquePolicy(resolveBudget({ maxUnavailable, maxSurge }, replicas), partition ?? 0);
}

/** The planner does not look at the deadline of what is paused. */
function overdueInMs(
  { decision, deadline }: Pick<Plan, "decision" | "deadline">,
  { clique, nowMs }: Observed,
): number | undefined {
  const overdueAtMs = deadline.lastProgressAtMs + deadline.afterMs;
  const isWaiting = isHeldByOwner(clique) && decision.kind === "hold" && overdueAtMs > nowMs;
  return isWaiting ? overdueAtMs - nowMs : undefined;
}

/** More is to be created than one reconcile begins: the next follows once the caches show the first. */
const isCutShort = ({ actions }: Decision): boolean =>
  actions.length > mostCreates &&
  actions.filter(({ kind }) => kind === "create").length > mostCreates;

export const isReleasing = ({ decision }: Pick<Plan, "decision">): boolean =>
  decision.remedy.kind === "releaseSurge";

function assess({ pod, ordinal, isLeftover }: CliquePod, nowMs: number): CliquePodState {
  const health = isLeftover ? leftover : podHealth(pod, 0, nowMs);
  return { pod, ordinal, isLeftover, health, revision: templateHash(pod) };
}

/** The garbage collector deletes what an earlier clique left behind: here it only occupies its place. */
const leftover: PodHealth = { health: "terminating", failed: false };

/** Its status may be late or lost when the first update comes: then its oldest pod shows its revision. */
function currentRevisionOf(clique: PodClique, pods: readonly CliquePodState[]): string {
  const reported = clique.status?.currentPodTemplateHash;
  if (reported !== undefined) return reported;
  const [oldest] = pods
    .filter(({ isLeftover }) => !isLeftover)
    .toSorted((a, b) => createdAtMs(a.pod) - createdAtMs(b.pod) || a.ordinal - b.ordinal);
  return oldest?.revision ?? templateHash(clique);
}

/** To the planner it is paused: its owner replaces it as a whole. Under OnDelete nothing is replaced anyway. */
const isHeldByOwner = (clique: PodClique): boolean => !rollsItself(clique) && !isOnDelete(clique);

function rolloutOf(
  observed: Observed,
  pods: readonly CliquePodState[],
  previousRevision: string,
): Rollout & { readonly deadline: Deadline } {
  const { clique, set } = observed;
  const target = templateHash(clique);
  const { progressDeadlineSeconds, onStuck } = clique.spec.updateStrategy ?? {};
  // Members have no strategy of their own: the deadline of their set counts.
  const seconds = progressDeadlineSeconds ?? set?.spec.updateStrategy?.progressDeadlineSeconds;
  return {
    name: clique.metadata.name ?? "",
    noun: "pod",
    targetRevision: target,
    previousRevision,
    desired: clique.spec.replicas,
    paused:
      clique.spec.updateStrategy?.paused === true ||
      isHeldByOwner(clique) ||
      // The set may have another strategy by now than it has given to the clique.
      (set !== undefined && !isRolling(set.spec.updateStrategy?.type)),
    surgeReleased: isSurgeReleased(clique),
    surgeLackedRoom: hasLackedRoom(clique.status),
    deadline: progressDeadline(seconds, lastProgressMs(observed, pods), onStuck),
  };
}

/** Recorded before the surge is deleted, so that a restarted operator does not bring it back. */
export function isSurgeReleased(clique: PodClique): boolean {
  const { podTemplateHash, surgeReleased } = clique.status?.updateProgress ?? {};
  return podTemplateHash === templateHash(clique) && surgeReleased === true;
}

function lastProgressMs({ clique, nowMs }: Observed, pods: readonly CliquePodState[]): number {
  const target = templateHash(clique);
  const beganMs = Math.max(
    parseTime(clique.status?.updateProgress?.updateStartedAt ?? "") ?? 0,
    movingSinceMs(clique.status, nowMs) ?? 0,
    createdAtMs(clique),
  );
  const moments = pods
    .filter(({ revision, isLeftover }) => revision === target && !isLeftover)
    .flatMap(({ pod, health }) => [
      parseTime(pod.metadata.creationTimestamp ?? ""),
      health.health === "available" ? health.sinceMs : undefined,
    ]);
  return Math.min(nowMs, latestOf([beganMs, ...moments], beganMs));
}
