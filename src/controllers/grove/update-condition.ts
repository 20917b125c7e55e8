/** One decision as the condition UpdateInProgress, in words that a person understands. */
import { conditionReasons, conditionTypes } from "../../api/grove/conditions.ts";
import type { Decision } from "../../planner/index.ts";
import type { ConditionText } from "../engine/conditions.ts";

/** True while units move, Unknown when they should and do not, False when there is nothing to do. */
export function updateCondition(
  decision: Decision,
  isUpdating: boolean,
  /** What is wrong or still missing, the gravest first; a few are enough for a person. */
  details: readonly string[],
): ConditionText {
  const { code, message: sentence } = decision.reason;
  const isOverdue = code === "ProgressDeadlineExceeded";
  const message = [sentence, ...details.slice(0, 3)].join("; ");
  return {
    type: conditionTypes.updateInProgress,
    status: isUpdating ? (isOverdue ? "Unknown" : "True") : "False",
    reason: isOverdue ? conditionReasons.progressDeadlineExceeded : code,
    message,
  };
}
