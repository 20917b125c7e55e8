/** What every grove kind says of its rollout: the four conditions of all kinds, and UpdateInProgress. */
import type { Condition } from "../../api/apps.ts";
import { conditionTypes } from "../../api/grove/conditions.ts";
import { aFew } from "../engine/action-events.ts";
import type { ConditionText } from "../engine/conditions.ts";
import type { RolloutReport } from "../engine/rollout-conditions.ts";
import { rolloutConditions, withCauses } from "../engine/rollout-conditions.ts";
import type { Decision } from "../../planner/index.ts";
import type { EventText } from "../../runtime/event-recorder.ts";

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
export function surgeReleasedEvent({ actions }: Decision, causes: readonly string[]): EventText {
  const names = actions.flatMap((action) => (action.kind === "delete" ? [action.unit] : []));
  const sentence = `gave up surge ${aFew(names)}, which did not become available before the progress deadline`;
  const message = `${withCauses(sentence, causes)}; free capacity and start over, or raise maxUnavailable`;
  return { type: "Warning", reason: "SurgeReleased", message };
}
