/** The whole status of a clique, rebuilt every time from the view the decision was made on. */
import type { Condition } from "../../../api/apps.ts";
import { conditionTypes } from "../../../api/grove/conditions.ts";
import { labelKeys, managedLabels, selectorText } from "../../../api/grove/labels.ts";
import type { PodClique, PodCliqueStatus } from "../../../api/grove/podclique.ts";
import { conditionOf, isConditionTrue, mergeConditions } from "../../engine/conditions.ts";
import { isInTrouble } from "../../engine/pod-health.ts";
import type { RolloutFigures } from "../../engine/rollout-gauges.ts";
import { rolloutConditionTypes } from "../../engine/rollout-conditions.ts";
import { ownerIndex } from "../caches.ts";
import { isUnderWay } from "../update-condition.ts";
import { conditionsOf, gangDoesNotFit } from "./clique-conditions.ts";
import type { Counts } from "./counts.ts";
import { countPods, updatedPods } from "./counts.ts";
import { isMember, isOnDelete, setNameOf } from "./identity.ts";
import type { Observed, PodCliqueReaders } from "./observe.ts";
import type { Plan } from "./plan.ts";
import { generationHash } from "./templates.ts";
import { currentGeneration, updateProgressOf } from "./update-progress.ts";

export type LastErrors = NonNullable<PodCliqueStatus["lastErrors"]>;

interface Inputs {
  /** What was last known, written or not. */
  readonly known: PodCliqueStatus | undefined;
  readonly lastErrors: LastErrors;
  /** What the server answered to the step. */
  readonly refusal?: string | undefined;
}

export function cliqueStatus(
  observed: Observed,
  plan: Plan,
  { known, lastErrors, refusal }: Inputs,
): PodCliqueStatus {
  const { clique, nowMs } = observed;
  const counts = countPods(plan);
  const updateProgress = updateProgressOf(observed, plan, known?.updateProgress);
  const before = known?.conditions ?? [];
  const progress = { counts, updateProgress, known: before, refusal };
  const conditions = conditionsOf(observed, plan, progress);
  return {
    observedGeneration: clique.metadata.generation ?? 0,
    ...counts,
    updatedReplicas: updatedPods(observed, plan),
    ...(isMember(clique) ? {} : { hpaPodSelector: selectorOf(observed) }),
    conditions: mergeConditions(before, conditions, nowMs),
    ...(lastErrors.length === 0 ? {} : { lastErrors }),
    ...hashesOf(observed, plan, counts),
    ...(updateProgress === undefined ? {} : { updateProgress }),
  };
}

/** Surge pods serve in place of those that are replaced; the counters of the status contain them. */
export function figuresOf({ spec }: PodClique, status: PodCliqueStatus): RolloutFigures {
  const { readyReplicas = 0, updatedReplicas = 0, updateProgress } = status;
  const target = updateProgress?.podTemplateHash;
  return {
    desired: spec.replicas,
    available: Math.min(spec.replicas, readyReplicas),
    updated: Math.min(spec.replicas, updatedReplicas),
    surge: updateProgress?.surgePods?.length ?? 0,
    paused: spec.updateStrategy?.paused === true,
    isOutdated: target !== undefined && target !== status.currentPodTemplateHash,
    outdatedSince: updateProgress?.updateStartedAt,
  };
}

/** Always published: autoscalers that users bring themselves need it too. */
function selectorOf({ clique }: Observed): string {
  const labels = { [labelKeys.podClique]: clique.metadata.name ?? "" };
  return selectorText({ ...managedLabels(setNameOf(clique)), ...labels });
}

/** What the clique has fully become: it advances when no pod of another revision is left and enough are there. */
function hashesOf(
  observed: Observed,
  plan: Plan,
  counts: Counts,
): Pick<PodCliqueStatus, "currentPodTemplateHash" | "currentPodCliqueSetGenerationHash"> {
  const { clique, revisions } = observed;
  const old = clique.status;
  const isUnreported = old?.currentPodTemplateHash === undefined;
  const isNew = isUnreported && plan.currentRevision === plan.targetRevision;
  const hasArrived = isNew || hasConverged(observed, plan, counts);
  const set = hasArrived
    ? (generationHash(clique, revisions) ?? old?.currentPodCliqueSetGenerationHash)
    : currentGeneration(observed, plan);
  return {
    currentPodTemplateHash: hasArrived ? plan.targetRevision : plan.currentRevision,
    ...(set === undefined ? {} : { currentPodCliqueSetGenerationHash: set }),
  };
}

function hasConverged({ clique }: Observed, { decision }: Plan, counts: Counts): boolean {
  const isUpdated =
    counts.updatedReplicas === counts.replicas && counts.replicas === clique.spec.replicas;
  return (
    isUpdated &&
    (isOnDelete(clique) || decision.kind === "done" || decision.reason.code === "Paused")
  );
}

/** Who looks for the cause of a new pod that is broken finds it here, too. */
export const isUrgentFor =
  ({ pods }: Pick<PodCliqueReaders, "pods">) =>
  (clique: PodClique, after: PodCliqueStatus): boolean =>
    isUrgent(clique, after) ||
    (clique.status === undefined &&
      pods.byIndex(ownerIndex, clique.metadata.uid ?? "").some(isInTrouble));

/**
 * What readers wait for: a failure, a gang that does not fit, the end of an update, all pods ready, and that more are
 * wanted. That all are ready between two pods of an update is no news: the next one goes at once. The loss of too many
 * pods may wait a moment, because a replacement usually comes, unless the clique has no status yet; the time of the
 * loss is reported correctly all the same.
 */
export function isUrgent({ spec, status: before }: PodClique, after: PodCliqueStatus): boolean {
  const { updateEndedAt } = after.updateProgress ?? {};
  const hasEnded =
    updateEndedAt !== undefined && updateEndedAt !== before?.updateProgress?.updateEndedAt;
  const isWhole = (status: PodCliqueStatus | undefined): boolean =>
    (status?.readyReplicas ?? 0) >= spec.replicas;
  const isWholeAgain = isWhole(after) && !isWhole(before) && !isUnderWay(after.updateProgress);
  const isLostYoung =
    before === undefined && isConditionTrue(after, conditionTypes.minAvailableBreached);
  return (
    hasEnded ||
    isWholeAgain ||
    isLostYoung ||
    isScaledOut(before, after) ||
    troubleOf(before) !== troubleOf(after)
  );
}

const progressingOf = (status: PodCliqueStatus | undefined): Condition | undefined =>
  conditionOf(status, rolloutConditionTypes.progressing);

/** Whoever waits for a new size must not read that nothing moves. An update is followed on the set instead. */
function isScaledOut(before: PodCliqueStatus | undefined, after: PodCliqueStatus): boolean {
  const isNewSpec = before !== undefined && before.observedGeneration !== after.observedGeneration;
  const begins =
    progressingOf(before)?.status !== "True" && progressingOf(after)?.status === "True";
  return isNewSpec && begins && !isUnderWay(after.updateProgress);
}

function troubleOf(status: PodCliqueStatus | undefined): string {
  const errors = (status?.lastErrors ?? []).map(({ code }) => code);
  const fits = progressingOf(status)?.reason !== gangDoesNotFit;
  return JSON.stringify([errors, status?.updateProgress?.surgeReleased, fits]);
}
