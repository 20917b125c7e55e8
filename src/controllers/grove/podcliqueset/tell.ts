/** Says in events what a person watching a set wants to know: what begins, what ends, what went wrong. */
import { eventReasons } from "../../../api/grove/conditions.ts";
import type {
  PodCliqueSetStatus,
  PodCliqueSetUpdateProgress,
} from "../../../api/grove/podcliqueset.ts";
import type { EventRecorder } from "../../../runtime/event-recorder.ts";
import type { DeedReporter } from "../../engine/action-events.ts";
import type { Observed } from "./observe.ts";
import type { Plan } from "./plan.ts";

export interface Tellers {
  readonly events: EventRecorder;
  readonly deeds: DeedReporter;
}

export function tell(
  { events, deeds }: Tellers,
  { set, name }: Observed,
  { decision, overdue, target }: Plan,
  next: PodCliqueSetStatus,
): void {
  const normal = (reason: string, message: string): void =>
    events.record(set, { type: "Normal", reason, message });
  const before = set.status?.updateProgress;
  const now = next.updateProgress;
  const isNew = now !== undefined && now.updateStartedAt !== before?.updateStartedAt;
  if (isNew) normal("UpdateStarted", `moving to ${target.name}`);
  const updating = begun(isNew ? undefined : before, now).map((index) => `${name}-${index}`);
  deeds.note(set, { updating });
  const isOver = now?.updateEndedAt !== undefined && now.updateEndedAt !== before?.updateEndedAt;
  if (isOver) {
    deeds.tellNow(set);
    normal("UpdateEnded", decision.reason.message);
  }
  const gone = decision.actions.filter(({ kind }) => kind === "delete");
  if (gone.length > 0) normal(eventReasons.setReplicaDeleted, decision.reason.message);
  for (const index of overdue.indices) {
    const message = `${name}-${index} starts over: it was below minAvailable for longer than terminationDelay`;
    events.record(set, { type: "Warning", reason: "GangTerminated", message });
  }
}

type Progress = PodCliqueSetUpdateProgress | undefined;

/** The replicas that are on their way now and were not before. */
function begun(before: Progress, now: Progress): number[] {
  const known = new Set((before?.currentlyUpdating ?? []).map(({ replicaIndex }) => replicaIndex));
  return (now?.currentlyUpdating ?? [])
    .map(({ replicaIndex }) => replicaIndex)
    .filter((index) => !known.has(index));
}
