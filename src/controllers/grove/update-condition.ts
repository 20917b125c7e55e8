/** What every grove kind says of its rollout: the four conditions of all kinds, and UpdateInProgress. */
import type { Condition } from "../../api/apps.ts";
import { conditionReasons, conditionTypes } from "../../api/grove/conditions.ts";
import type { PodCliqueSet } from "../../api/grove/podcliqueset.ts";
import { aFew } from "../engine/action-events.ts";
import type { ConditionText, WithConditions } from "../engine/conditions.ts";
import { conditionOf } from "../engine/conditions.ts";
import type { RolloutReport, RolloutState } from "../engine/rollout-conditions.ts";
import {
  awaitingRollbackReason,
  rolloutConditions,
  rolloutConditionTypes,
  withCauses,
} from "../engine/rollout-conditions.ts";
import type { Decision } from "../../planner/index.ts";
import type { EventText } from "../../runtime/event-recorder.ts";

/** An update that has begun and not ended. */
export const isUnderWay = (progress: { readonly updateEndedAt?: string } | undefined): boolean =>
  progress !== undefined && progress.updateEndedAt === undefined;

export interface GroveReport extends RolloutReport {
  readonly isUpdating: boolean;
}

export const groveConditions = (
  report: GroveReport,
  known: readonly Condition[] | undefined,
): ConditionText[] => [updateCondition(report, known), ...rolloutConditions(report)];

/** True while units are replaced, and from the beginning until everything has been there for the first time. */
export function updateCondition(
  { isUpdating, phase, reason, message, causes }: GroveReport,
  known: readonly Condition[] | undefined,
): ConditionText {
  const type = conditionTypes.updateInProgress;
  const before = known?.find((condition) => condition.type === type)?.status;
  const isStarting = before !== "False" && phase !== "resting";
  const status = isUpdating || isStarting ? "True" : "False";
  return { type, status, reason, message: withCauses(message, causes) };
}

/** Quotes why the surge did not fit: the pods that showed it are about to go. */
export function surgeReleasedEvent(decision: Decision, causes: readonly string[]): EventText {
  const way = lacksRoom(causes)
    ? "free capacity and restart the rollout (lockstep restart), or raise maxUnavailable"
    : "undo it (lockstep undo), or change the template";
  const message = `${releaseText(decision, causes)}; ${way}`;
  return { type: "Warning", reason: "SurgeReleased", message };
}

/** Room helps what found none, and takes a serving unit down for what does not start anywhere. */
const lacksRoom = (causes: readonly string[]): boolean =>
  causes.some((cause) => noRoom.test(cause)) &&
  causes.every((cause) => noRoom.test(cause) || cause.includes(" held back: "));

const noRoom = /: not scheduled: | held back: .* does not fit|: not created: exceeded quota/;

function releaseText({ actions }: Decision, causes: readonly string[]): string {
  const names = actions.flatMap((action) => (action.kind === "delete" ? [action.unit] : []));
  const surge = names.length === 0 ? "its surge" : `surge ${aFew(names)}`;
  const failed = lacksRoom(causes) ? "did not fit" : "did not become available";
  return withCauses(`gave up ${surge}, which ${failed} before the progress deadline`, causes);
}

/** A part on the revision that its owner gave it, while the set has a newer one. */
export function awaitingTurn(
  outdated: number,
  {
    desired,
    noun,
    ownerName,
  }: Pick<RolloutReport, "desired" | "noun"> & { readonly ownerName: string },
): RolloutState {
  const [are, they, their, them] =
    outdated === 1 ? ["is", "it is", "its", "it"] : ["are", "they are", "their", "them"];
  const units = `${outdated} of ${desired} ${noun}${desired === 1 ? "" : "s"}`;
  const message =
    `${units} ${are} outdated: ${they} updated at ${their} turn in ${ownerName}, ` +
    `unless a partition or a pause keeps ${them}`;
  return { phase: "resting", reason: "AwaitingTurn", message };
}

/** A set also pauses what waits for its turn in mid-update: nobody else paused that. */
export const isHeldBySet = (
  { reason }: Pick<RolloutState, "reason">,
  set: PodCliqueSet | undefined,
): boolean => reason === "Paused" && set !== undefined && set.spec.updateStrategy?.paused !== true;

const goesBackMessage = ", and its set goes back once nothing of it moves";

/** A rollback by `onStuck` is no stall, of the set and of its parts: they reach the deadline at the same moment. */
export const rolledBackWithSet = <T extends RolloutState>(
  state: T,
  set: PodCliqueSet | undefined,
): T =>
  state.reason === conditionReasons.progressDeadlineExceeded && goesBack(set)
    ? {
        ...state,
        phase: "moving",
        reason: awaitingRollbackReason,
        message: `${state.message}${goesBackMessage}`,
      }
    : state;

/** Where what it was before is known, and nothing has to be corrected first. */
function goesBack(set: PodCliqueSet | undefined): boolean {
  const { currentRevision, updateRevision, updateProgress, conditions } = set?.status ?? {};
  const accepted = conditions?.find(({ type }) => type === conditionTypes.specAccepted);
  return (
    set?.spec.updateStrategy?.onStuck === "Rollback" &&
    accepted?.status !== "False" &&
    isUnderWay(updateProgress) &&
    currentRevision !== undefined &&
    currentRevision !== updateRevision
  );
}

/** What a part cannot go on for, as it says itself; the time is left out, since the set has one of its own. */
export function overdueText({ conditions }: { readonly conditions?: readonly Condition[] }) {
  const { stalled, progressing } = rolloutConditionTypes;
  const find = (wanted: string) => conditions?.find(({ type }) => type === wanted);
  const found =
    find(stalled)?.status === "True"
      ? find(stalled)
      : find(progressing)?.reason === awaitingRollbackReason
        ? find(progressing)
        : undefined;
  return found?.message?.replace(/^no progress since \S+: /, "").replace(goesBackMessage, "");
}

interface Release {
  readonly isReleased: boolean;
  readonly decision: Decision;
  readonly causes: readonly string[];
}

const lackedRoom = "DoesNotFit";

/** Why the surge was given up that nothing else shows any more. */
export const hasLackedRoom = (status: WithConditions | undefined): boolean => {
  const { status: given, reason } = conditionOf(status, conditionTypes.surgeReleased) ?? {};
  return given === "True" && reason === lackedRoom;
};

/** Remembers why a surge was given up for as long as it is: nothing else shows it then. */
export function releaseConditions(
  { isReleased, decision, causes }: Release,
  known: readonly Condition[] | undefined,
): ConditionText[] {
  const type = conditionTypes.surgeReleased;
  const before = known?.find((condition) => condition.type === type);
  if (isReleased === (before?.status === "True")) return before === undefined ? [] : [before];
  const reason = lacksRoom(causes) ? lackedRoom : "NotAvailable";
  return isReleased
    ? [{ type, status: "True", reason, message: releaseText(decision, causes) }]
    : [{ type, status: "False", reason: "NotGivenUp", message: "no surge is given up" }];
}

/**
 * What kept the surge that was given up from serving, as one quotation; that it was, the sentence before says. Once the
 * rollout moves again, or rests, nothing waits for those pods: they are gone.
 */
export const releaseCauses = (
  conditions: readonly ConditionText[],
  { phase }: Pick<RolloutState, "phase">,
  { remedy }: Pick<Decision, "remedy">,
): string[] =>
  phase === "stalled" || remedy.kind === "rollback"
    ? conditions.flatMap(({ status, message = "" }) => {
        const [, ...causes] = message.split("; ");
        // That pod is gone, and what it lacked may be there by now.
        const when = `when released: ${causes.join("; ")}`;
        return status === "True" && causes.length > 0 ? [when] : [];
      })
    : [];
