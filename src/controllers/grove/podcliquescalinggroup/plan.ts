/** From what was observed to one decision, and from the decision to writes. Pure. */
import type { MemberCreation } from "./writes.ts";
import { claimNeeds, creationsOf, groupWrites } from "./writes.ts";
import type { Observed } from "./observe.ts";
import { desiredReplicas, strategyOf } from "./observe.ts";
import { isRolling } from "../../../api/grove/update-strategy.ts";
import { parseTime } from "../../../api/time-text.ts";
import type { Decision, Policy, Rollout, Snapshot } from "../../../planner/index.ts";
import {
  decide,
  nothingRequested,
  resolveBudget,
  scalingGroupPolicy,
} from "../../../planner/index.ts";
import { isReady, podCondition } from "../../../api/pod.ts";
import { movingSinceMs, progressDeadline } from "../../engine/progress-deadline.ts";
import type { Planned } from "../../engine/reconcile.ts";
import type { ClaimNeeds } from "../align-claims.ts";
import { earliest } from "../../engine/live-reads.ts";
import { createdAtMs } from "../clique-state.ts";
import { hasLackedRoom } from "../update-condition.ts";
import type { SetRevision } from "../set-revisions.ts";
import { revisionName } from "../set-revisions.ts";
import { overdueReplicas, unitOf } from "./replica-state.ts";
import { scaleInPolicy } from "../scale-in-policy.ts";

export interface Plan extends Planned {
  readonly decision: Decision;
  readonly creations: readonly MemberCreation[];
  /** Indices whose members are deleted because a gang was broken for too long. */
  readonly terminated: readonly number[];
  /** What the replicas share, if anything. */
  readonly claims: ClaimNeeds | undefined;
}

export function policyOf(observed: Observed): Policy {
  const strategy = strategyOf(observed);
  const { type, maxUnavailable, maxSurge, partition } = strategy;
  const desired = desiredReplicas(observed);
  if (type === "OnDelete" || type === "ReplicaRecreate") {
    return scaleInPolicy(strategy, desired, "highestOrdinal");
  }
  return scalingGroupPolicy(resolveBudget({ maxUnavailable, maxSurge }, desired), partition ?? 0);
}

export function plan(observed: Observed): Plan {
  const snapshot: Snapshot = {
    nowMs: observed.nowMs,
    rollout: rolloutOf(observed),
    units: observed.replicas.map((replica) => unitOf(observed, replica)),
    requested: nothingRequested,
  };
  const policy = policyOf(observed);
  const decision = decide(snapshot, policy);
  const overdue = overdueReplicas(observed);
  const leaving = new Set([
    ...decision.actions.filter(({ kind }) => kind !== "create").map(({ ordinal }) => ordinal),
    ...overdue.indices,
  ]);
  // The set may have another strategy by now than it has given to the group.
  const hasSurge = isRolling(observed.spec.updateStrategy.type);
  const maxSurge = hasSurge ? (policy.budget?.maxSurge ?? 0) : 0;
  const mostReplicas = desiredReplicas(observed) + maxSurge;
  const creations = creationsOf(observed, { decision, leaving, mostReplicas });
  return {
    decision,
    creations,
    terminated: overdue.indices,
    claims: claimNeeds(observed, creations),
    phases: groupWrites(observed, { decision, leaving }, creations),
    requeueAfterMs: earliest([decision.recheckAfterMs, overdue.recheckAfterMs]),
  };
}

function rolloutOf(observed: Observed): Rollout {
  const { group, target, spec } = observed;
  const { type, paused, progressDeadlineSeconds, onStuck } = strategyOf(observed);
  return {
    name: group.metadata.name ?? "",
    noun: "replica",
    targetRevision: target.name,
    previousRevision: previousRevision(observed)?.name,
    desired: desiredReplicas(observed),
    // The set may have another strategy by now than it has given to the group.
    paused: paused === true || (isRolling(type) && !isRolling(spec.updateStrategy.type)),
    surgeReleased: isSurgeReleased(observed),
    surgeLackedRoom: hasLackedRoom(group.status),
    deadline: progressDeadline(
      progressDeadlineSeconds,
      lastProgressMs(observed),
      onStuck === "ReleaseSurge" ? "ReleaseSurge" : "Wait",
    ),
  };
}

/** The last revision of the whole group: below a partition, lost replicas are created again with it. */
function previousRevision(observed: Observed): SetRevision | undefined {
  const { group, set } = observed;
  const hash = group.status?.currentPodCliqueSetGenerationHash ?? "";
  return observed.revision(revisionName(set.metadata.name ?? "", hash));
}

/** Recorded before the surge is deleted, so that a restarted operator does not bring it back. */
export function isSurgeReleased({ group, target }: Observed): boolean {
  const { podCliqueSetGenerationHash, surgeReleased } = group.status?.updateProgress ?? {};
  return podCliqueSetGenerationHash === target.hash && surgeReleased === true;
}

/** Computed from objects alone, so that a restarted operator knows it too. */
export function lastProgressMs({ replicas, group, nowMs }: Observed): number {
  const started = parseTime(group.status?.updateProgress?.updateStartedAt ?? "") ?? 0;
  const moments = replicas
    .flatMap(({ members }) => members.filter(({ isOutdated }) => !isOutdated))
    .flatMap(({ object, live }) => [
      createdAtMs(object),
      ...live
        .filter(isReady)
        .map((pod) => parseTime(podCondition(pod, "Ready")?.lastTransitionTime ?? "") ?? 0),
    ]);
  const movingMs = movingSinceMs(group.status, nowMs) ?? 0;
  return moments.reduce((a, b) => Math.max(a, b), Math.max(started, createdAtMs(group), movingMs));
}
