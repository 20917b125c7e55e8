/** From what was observed to one decision: the clique's units, its rollout, and the planner's answer. */
import type { PodClique } from "../../../api/grove/podclique.ts";
import { parseTime } from "../../../api/time-text.ts";
import type {
  Deadline,
  Decision,
  Policy,
  Rollout,
  Snapshot,
  Unit,
} from "../../../planner/index.ts";
import { decide, nothingRequested } from "../../../planner/index.ts";
import { createdAtMs, templateHash } from "../clique-state.ts";
import type { PodHealth } from "../../engine/pod-health.ts";
import { isScheduled, podHealth } from "../../engine/pod-health.ts";
import type { Gates } from "./gates.ts";
import { gatesOf } from "./gates.ts";
import type { CliquePod, Observed } from "./observe.ts";
import { policyOf, rollsItself } from "./policy.ts";

export interface PodState extends CliquePod {
  readonly health: PodHealth;
  readonly revision: string;
}

export interface Plan {
  readonly pods: readonly PodState[];
  readonly targetRevision: string;
  /** What the clique has been so far: its target, unless an update is under way. */
  readonly currentRevision: string;
  readonly policy: Policy;
  readonly decision: Decision;
  readonly gates: Gates;
}

export function plan(observed: Observed): Plan {
  const pods = observed.pods.map((each) => judge(each, observed.nowMs));
  const policy = policyOf(observed.clique);
  const currentRevision = currentRevisionOf(observed.clique, pods);
  const rollout = rolloutOf(observed, pods, currentRevision);
  const snapshot: Snapshot = {
    nowMs: observed.nowMs,
    rollout,
    units: pods.map(unitOf),
    requested: nothingRequested,
  };
  return {
    pods,
    targetRevision: rollout.targetRevision,
    currentRevision,
    policy,
    decision: decide(snapshot, policy),
    gates: gatesOf(observed),
  };
}

function judge(each: CliquePod, nowMs: number): PodState {
  const health = podHealth(each.pod, 0, nowMs);
  // What an earlier clique left behind is the garbage collector's to delete: here it only keeps its place.
  const seen: PodHealth = each.isLeftover ? { health: "terminating", failed: false } : health;
  return { ...each, health: seen, revision: templateHash(each.pod) };
}

function unitOf({ pod, index, health, revision }: PodState): Unit {
  const { name = "", uid = "", creationTimestamp = "" } = pod.metadata;
  return {
    name,
    id: uid,
    ordinal: index,
    revision,
    health: health.health,
    scheduled: isScheduled(pod),
    createdAtMs: parseTime(creationTimestamp) ?? 0,
    healthSinceMs: health.sinceMs,
    failed: health.failed,
  };
}

/** Its status may be late or lost when the first update comes: then its oldest pod tells what it was made as. */
function currentRevisionOf(clique: PodClique, pods: readonly PodState[]): string {
  const [oldest] = pods
    .filter(({ isLeftover }) => !isLeftover)
    .toSorted((a, b) => createdAtMs(a.pod) - createdAtMs(b.pod) || a.index - b.index);
  return clique.status?.currentPodTemplateHash ?? oldest?.revision ?? templateHash(clique);
}

function rolloutOf(
  observed: Observed,
  pods: readonly PodState[],
  previousRevision: string,
): Rollout {
  const { clique } = observed;
  const target = templateHash(clique);
  const deadline = deadlineOf(observed, pods);
  return {
    name: clique.metadata.name ?? "",
    targetRevision: target,
    previousRevision,
    desired: clique.spec.replicas,
    paused: clique.spec.updateStrategy?.paused === true || !rollsItself(clique),
    surgeReleased: isSurgeReleased(clique),
    ...(deadline === undefined ? {} : { deadline }),
  };
}

/** Written down before the surge goes, so that a restarted operator does not bring it back. */
export function isSurgeReleased(clique: PodClique): boolean {
  const { podTemplateHash, surgeReleased } = clique.status?.updateProgress ?? {};
  return podTemplateHash === templateHash(clique) && surgeReleased === true;
}

function deadlineOf({ clique, nowMs }: Observed, pods: readonly PodState[]): Deadline | undefined {
  const { progressDeadlineSeconds, onStuck = "Wait" } = clique.spec.updateStrategy ?? {};
  const began = parseTime(clique.status?.updateProgress?.updateStartedAt ?? "");
  if (progressDeadlineSeconds === undefined || began === undefined) return undefined;
  const target = templateHash(clique);
  const moments = pods
    .filter(({ revision, isLeftover }) => revision === target && !isLeftover)
    .flatMap(({ pod, health }) => [
      parseTime(pod.metadata.creationTimestamp ?? "") ?? 0,
      health.health === "available" ? (health.sinceMs ?? 0) : 0,
    ]);
  // Told by the objects alone, so that a restarted operator knows it too.
  const lastProgressAtMs = Math.min(nowMs, Math.max(began, ...moments));
  return { afterMs: progressDeadlineSeconds * 1000, lastProgressAtMs, onStuck };
}
