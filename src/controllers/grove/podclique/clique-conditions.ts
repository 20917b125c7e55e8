/** Whether a clique has enough pods, in the conditions that gang termination and people read. */
import type { Condition } from "../../../api/apps.ts";
import { conditionReasons, conditionTypes } from "../../../api/grove/conditions.ts";
import type { PodClique, PodCliqueUpdateProgress } from "../../../api/grove/podclique.ts";
import type { ContainerStatus, Pod } from "../../../api/pod.ts";
import { isReady, podCondition } from "../../../api/pod.ts";
import { parseTime, timeText } from "../../../api/time-text.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import { meantSmall } from "../breach.ts";
import { heldBackText } from "../clique-state.ts";
import type { ConditionText } from "../../engine/conditions.ts";
import { isConditionTrue } from "../../engine/conditions.ts";
import { causesIn, isBroken, isScheduled } from "../../engine/pod-health.ts";
import type { RolloutState } from "../../engine/rollout-conditions.ts";
import { neededUnits, refusedStep, rolloutState } from "../../engine/rollout-conditions.ts";
import type { GroveReport } from "../update-condition.ts";
import {
  awaitingTurn,
  groveConditions,
  isHeldBySet,
  isUnderWay,
  releaseCauses,
  releaseConditions,
  rolledBackWithSet,
} from "../update-condition.ts";
import type { Counts } from "./counts.ts";
import { livePods, updatedPods } from "./counts.ts";
import { isOnDelete, rollsItself, setNameOf } from "./identity.ts";
import type { Observed } from "./observe.ts";
import type { Plan } from "./plan.ts";

/** As a reason it is seen in a list: nothing is wrong with the clique, it needs nodes. */
export const gangDoesNotFit = "GangDoesNotFit";

/** True once enough pods were scheduled at one time, and for ever: it distinguishes a loss from a first start. */
const startedCondition = "lockstep.dev/Started";

interface Progress {
  readonly counts: Counts;
  readonly updateProgress: PodCliqueUpdateProgress | undefined;
  readonly known: readonly Condition[];
  readonly refusal: string | undefined;
}

export function conditionsOf(observed: Observed, plan: Plan, progress: Progress): ConditionText[] {
  const { clique } = observed;
  const hasStarted =
    isConditionTrue({ conditions: progress.known }, startedCondition) ||
    isEnough(clique, progress.counts.scheduledReplicas);
  const { decision } = plan;
  const isReleased =
    isUnderWay(progress.updateProgress) && progress.updateProgress?.surgeReleased === true;
  const causes = causesOf(plan);
  const released = releaseConditions({ isReleased, decision, causes }, progress.known);
  return [
    scheduledCondition(observed, plan, progress.counts),
    breachCondition(observed, plan, { ...progress, hasStarted }),
    ...(hasStarted ? [started] : []),
    ...groveConditions(reportOf(observed, plan, { ...progress, released }), progress.known),
    ...released,
  ];
}

const started: ConditionText = {
  type: startedCondition,
  status: "True",
  reason: "ScheduledOnce",
  message: "enough pods have been on nodes at one time",
};

const minAvailableOf = ({ spec }: PodClique): number => spec.minAvailable ?? spec.replicas;

const isEnough = (clique: PodClique, count: number): boolean => count >= minAvailableOf(clique);

const podsAre = (count: number): string => `${count} ${count === 1 ? "pod is" : "pods are"}`;

function scheduledCondition({ clique }: Observed, { gates }: Plan, counts: Counts): ConditionText {
  const isSufficient = isEnough(clique, counts.scheduledReplicas);
  const { scheduledReplicas, replicas } = counts;
  const needed = minAvailableOf(clique);
  const sentence = `${scheduledReplicas} of ${podsAre(replicas)} on nodes, ${needed} needed`;
  const verb = gates.closed === 1 ? " is" : " are";
  const held =
    gates.reason === undefined ? "" : `; ${heldBackText(gates.closed, gates.reason, verb)}`;
  return {
    type: conditionTypes.podCliqueScheduled,
    status: isSufficient ? "True" : "False",
    reason: isSufficient
      ? conditionReasons.sufficientScheduledPods
      : conditionReasons.insufficientScheduledPods,
    message: `${sentence}${held}`,
  };
}

function breachCondition(
  { clique, nowMs }: Observed,
  plan: Plan,
  { counts, updateProgress, hasStarted }: Progress & { readonly hasStarted: boolean },
): ConditionText {
  const type = conditionTypes.minAvailableBreached;
  const needed = minAvailableOf(clique);
  if (isUnderWay(updateProgress)) {
    const message = "not assessed before the update ends";
    return { type, status: "Unknown", reason: conditionReasons.updateInProgress, message };
  }
  const small = meantSmall(clique.spec.replicas, needed);
  if (small !== undefined) return small;
  if (counts.scheduledReplicas < needed) {
    // Before the first start nothing is lost yet, so there is nothing to terminate a gang for.
    const message = `${counts.scheduledReplicas} of ${needed} needed pods are on nodes`;
    const reason = conditionReasons.scheduledBelowMinAvailable;
    return { type, status: hasStarted ? "True" : "Unknown", reason, message };
  }
  const troubled = livePods(plan).filter(
    ({ pod }) => isScheduled(pod) && isTroubled(pod, nowMs),
  ).length;
  const sound = counts.scheduledReplicas - troubled;
  const soundPods = `${sound} of ${podsAre(counts.replicas)} on nodes`;
  const message = `${soundPods} and neither crashed nor running unready, ${needed} needed`;
  return sound < needed
    ? { type, status: "True", reason: conditionReasons.insufficientReadyPods, message }
    : { type, status: "False", reason: conditionReasons.sufficientReadyPods, message };
}

/** Readiness may take this long after a container has started before its pod counts as in trouble. */
const startGraceMs = 30_000;

/** Readiness comes first: a Ready pod with an old crash in its history is Ready. */
function isTroubled(pod: Pod, nowMs: number): boolean {
  if (isReady(pod)) return false;
  const statuses = pod.status?.containerStatuses ?? [];
  return statuses.some((status) => hasCrashed(status) || graceEndsMs(pod, status) <= nowMs);
}

/** When an unready pod with a started container counts as in trouble: at once where it was ready before. */
function graceEndsMs(pod: Pod, status: ContainerStatus): number {
  const running = status.state?.running;
  if (status.started !== true || running === undefined) return Infinity;
  const startedMs = parseTime(running.startedAt ?? "") ?? 0;
  const unreadyMs = parseTime(podCondition(pod, "Ready")?.lastTransitionTime ?? "") ?? 0;
  return unreadyMs > startedMs ? unreadyMs : startedMs + startGraceMs;
}

/** When time alone may turn a starting pod into one in trouble. */
export function troubleInMs({ pods }: Pick<Plan, "pods">, nowMs: number): number | undefined {
  const moments = pods
    .filter(({ pod }) => !isReady(pod))
    .flatMap(({ pod }) =>
      (pod.status?.containerStatuses ?? []).map((status) => graceEndsMs(pod, status) - nowMs),
    )
    .filter((waitMs) => waitMs > 0 && Number.isFinite(waitMs));
  return moments.length === 0 ? undefined : Math.min(...moments);
}

function hasCrashed({ state, lastState }: ContainerStatus): boolean {
  return (state?.terminated?.exitCode ?? 0) !== 0 || (lastState?.terminated?.exitCode ?? 0) !== 0;
}

function reportOf(
  observed: Observed,
  plan: Plan,
  progress: Progress & { readonly released: readonly ConditionText[] },
): GroveReport {
  const { clique, nowMs, set } = observed;
  const { counts, updateProgress, released, refusal } = progress;
  const { replicas: desired } = clique.spec;
  const state = cliqueState(observed, plan, counts);
  const tried =
    refusal === undefined
      ? { ...state, causes: [] }
      : refusedStep(state, refusal, { nowMs, deadline: plan.deadline });
  const now = rolledBackWithSet(tried, set);
  return {
    ...now,
    isUpdating: isUnderWay(updateProgress),
    available: Math.min(desired, counts.readyReplicas),
    needed: rollsItself(clique) ? neededUnits(plan.policy, desired) : minAvailableOf(clique),
    desired,
    noun: "pod",
    causes: [
      ...now.causes,
      ...causesOf(plan),
      ...heldCauses(plan),
      ...releaseCauses(released, now, plan.decision),
    ],
  };
}

function cliqueState(observed: Observed, plan: Plan, counts: Counts): RolloutState {
  const { clique } = observed;
  const { decision } = plan;
  const state = rolloutState(decision);
  const outdated = counts.replicas - counts.updatedReplicas;
  // To the planner, a clique that its owner replaces is paused.
  if (state.reason === "Paused" && clique.spec.updateStrategy?.paused !== true) {
    return outdated > 0
      ? { phase: "resting", ...leftToOwner(outdated, counts.replicas) }
      : startingState(observed, plan);
  }
  if (state.reason === "AtPartition") {
    const { partition = 0 } = clique.spec.updateStrategy ?? {};
    const message = `${counts.updatedReplicas} of ${counts.replicas} updated, partition ${partition}`;
    return { ...state, message };
  }
  if (decision.kind === "done" && isOnDelete(clique) && outdated > 0) {
    return { phase: "resting", ...leftToDelete(outdated, counts.replicas) };
  }
  if (plan.gates.isLack && state.phase === "moving") return { ...state, reason: gangDoesNotFit };
  return state.reason === "RolledOut" || isHeldBySet(state, observed.set)
    ? awaitingState(observed, plan, counts.replicas)
    : state;
}

/** Nothing moves by itself: outdated pods wait for their owner. */
function awaitingState(observed: Observed, plan: Plan, desired: number): RolloutState {
  const waiting = desired - updatedPods(observed, plan);
  return waiting > 0
    ? awaitingTurn(waiting, { desired, noun: "pod", ownerName: ownerNameOf(observed.clique) })
    : rolloutState(plan.decision);
}

/** The group or the set that says when it is updated. */
const ownerNameOf = (clique: PodClique): string =>
  clique.metadata.labels?.[labelKeys.scalingGroup] ?? setNameOf(clique);

const starting = "waiting for its pods to become available";

function startingState({ nowMs }: Observed, plan: Plan): RolloutState {
  const { lastProgressAtMs, afterMs } = plan.deadline;
  if (nowMs < lastProgressAtMs + afterMs)
    return { phase: "moving", reason: "UnitNotAvailable", message: starting };
  const message = `no progress since ${timeText(lastProgressAtMs)}: ${starting}`;
  return { phase: "stalled", reason: conditionReasons.progressDeadlineExceeded, message };
}

function leftToOwner(outdated: number, pods: number): Pick<RolloutState, "reason" | "message"> {
  const are = outdated === 1 ? "is" : "are";
  const [noun, all] = pods === 1 ? ["pod", "it"] : ["pods", "all of them together"];
  const message = `${outdated} of ${pods} ${noun} ${are} outdated: the owner of the clique replaces ${all}`;
  return { reason: "ReplacedByOwner", message };
}

const heldCauses = ({ gates }: Plan): string[] =>
  gates.reason === undefined ? [] : [heldBackText(gates.closed, gates.reason)];

/** Broken pods first, then those that nobody finds a place for. */
export function causesOf(plan: Plan): string[] {
  const pods = livePods(plan);
  return [
    ...causesIn(pods.filter(isBroken)),
    ...causesIn(pods.filter((state) => !isBroken(state))),
  ];
}

/** Under OnDelete an update ends as it starts: what is left of it is up to the user. */
function leftToDelete(outdated: number, pods: number): Pick<RolloutState, "reason" | "message"> {
  const [are, they, them] = outdated === 1 ? ["is", "it is", "it"] : ["are", "they are", "them"];
  const noun = pods === 1 ? "pod" : "pods";
  const message = `${outdated} of ${pods} ${noun} ${are} outdated: ${they} replaced when you delete ${them}`;
  return { reason: "OutdatedLeftToDelete", message };
}
