/** Says in events what a person watching a set wants to know: what begins, what ends, what went wrong. */
import { eventReasons } from "../../api/grove/conditions.ts";
import type { PodCliqueSetStatus } from "../../api/grove/podcliqueset.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import type { Observed } from "./observe.ts";
import type { Plan } from "./plan.ts";

export function tell(
  events: EventRecorder,
  { set, name }: Observed,
  { decision, overdue, target }: Plan,
  next: PodCliqueSetStatus,
): void {
  const normal = (reason: string, message: string): void =>
    events.record(set, { type: "Normal", reason, message });
  const before = set.status?.updateProgress;
  const now = next.updateProgress;
  if (now !== undefined && now.updateStartedAt !== before?.updateStartedAt) {
    normal("UpdateStarted", `moving to ${target.name}`);
  }
  const chosen = decision.actions.filter(({ kind }) => kind === "replace");
  // One event when replicas begin to move; which of them do so now is in the status.
  const isFirst = (before?.currentlyUpdating ?? []).length === 0;
  if (chosen.length > 0 && isFirst) normal("UpdatingReplica", decision.reason.message);
  const isOver = now?.updateEndedAt !== undefined && now.updateEndedAt !== before?.updateEndedAt;
  if (isOver) normal("UpdateEnded", decision.reason.message);
  const gone = decision.actions.filter(({ kind }) => kind === "delete");
  if (gone.length > 0) normal(eventReasons.setReplicaDeleted, decision.reason.message);
  for (const index of overdue.indices) {
    const message = `${name}-${index} starts over: it was below minAvailable for longer than terminationDelay`;
    events.record(set, { type: "Warning", reason: "GangTerminated", message });
  }
}
