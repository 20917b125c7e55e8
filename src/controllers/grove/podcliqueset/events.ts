/** What a person watching a set wants to know: what begins, what ends, what went wrong. Pure. */
import { conditionOf } from "../../engine/conditions.ts";
import { eventReasons } from "../../../api/grove/conditions.ts";
import type {
  PodCliqueSetStatus,
  PodCliqueSetUpdateProgress,
} from "../../../api/grove/podcliqueset.ts";
import type { EventText } from "../../../runtime/event-recorder.ts";
import { rolloutConditionTypes } from "../../engine/rollout-conditions.ts";
import { revisionInWords } from "../set-revisions.ts";
import { surgeReleasedEvent } from "../update-condition.ts";
import { isSurgeReleased } from "./deadline.ts";
import type { Observed } from "./observe.ts";
import type { Plan } from "./plan.ts";

/** What a set's reconcile has to say in events; `updating` replicas are gathered before they are reported. */
interface SetEvents {
  readonly before: readonly EventText[];
  readonly updating: readonly string[];
  /** What was gathered is reported before these. */
  readonly after: readonly EventText[];
}

export const rolledBack = "RolledBack";

export function podCliqueSetEvents(
  { set, name, spec, revisions }: Observed,
  { decision, overdue, target, rollback, replicas }: Plan,
  next: PodCliqueSetStatus,
): SetEvents {
  const causes = replicas.flatMap((replica) => replica.causes);
  const from = comesFrom(set, target, next);
  const previous = revisions.find((revision) => revision.name === from);
  const isReleasing = decision.remedy.kind === "releaseSurge" && !isSurgeReleased(target);
  const before = set.status?.updateProgress;
  const now = next.updateProgress;
  const isSetNow = (moment: "updateStartedAt" | "updateEndedAt"): boolean =>
    now?.[moment] !== undefined && now[moment] !== before?.[moment];
  const isNew = isSetNow("updateStartedAt");
  const isScaledIn = decision.actions.some(({ kind }) => kind === "delete");
  const { message } = decision.reason;
  const started = `moving to ${revisionInWords(target, previous)}${pauseText(spec.updateStrategy)}`;
  return {
    before: isNew ? [normal("UpdateStarted", started)] : [],
    updating: begun(isNew ? undefined : before, now).map((index) => `${name}-${index}`),
    after: [
      ...(isSetNow("updateEndedAt") ? [normal("UpdateEnded", saidOf(next) ?? message)] : []),
      ...(isReleasing ? [surgeReleasedEvent(decision, causes)] : []),
      ...(isScaledIn ? [normal(eventReasons.setReplicaDeleted, message)] : []),
      ...overdue.indices.map((index) => warning("GangTerminated", startsOver(`${name}-${index}`))),
      ...(rollback === undefined ? [] : [warning(rolledBack, saidOf(next) ?? "")]),
    ],
  };
}

const startsOver = (replica: string): string =>
  `${replica} starts over: it was below minAvailable for longer than terminationDelay`;

const pauseText = ({ paused }: Observed["spec"]["updateStrategy"]): string =>
  paused === true ? "; it is paused, and waits for a resume" : "";

/** Going back to where it came from, it comes from what is abandoned. */
const comesFrom = (
  { status }: Observed["set"],
  target: Plan["target"],
  { currentRevision }: PodCliqueSetStatus,
): string | undefined =>
  currentRevision === target.name ? status?.updateRevision : currentRevision;

/** An update may end at a partition: the condition says where. */
const saidOf = (status: PodCliqueSetStatus): string | undefined =>
  conditionOf(status, rolloutConditionTypes.progressing)?.message;

const normal = (reason: string, message: string): EventText => ({
  type: "Normal",
  reason,
  message,
});

const warning = (reason: string, message: string): EventText => ({
  type: "Warning",
  reason,
  message,
});

type Progress = PodCliqueSetUpdateProgress | undefined;

/** The replicas that are being updated now and were not before. */
function begun(before: Progress, now: Progress): number[] {
  const known = new Set((before?.currentlyUpdating ?? []).map(({ replicaIndex }) => replicaIndex));
  return (now?.currentlyUpdating ?? [])
    .map(({ replicaIndex }) => replicaIndex)
    .filter((index) => !known.has(index));
}
