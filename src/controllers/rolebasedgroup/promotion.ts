/** How a person passes the pause of a step: a text in the status, copied into an annotation. Pure. */
import { parseTime } from "../../api/time-text.ts";
import { annotationKeys } from "../../api/rbg/labels.ts";
import type { RoleBasedGroup } from "../../api/rbg/rolebasedgroup.ts";
import type { StepProgress } from "../../planner/index.ts";

/**
 * `pair:b7c2:2` says that two steps of the coordination pair are passed on the way to revision b7c2. It says nothing of
 * any other revision, so what was once promoted promotes no later rollout.
 */
export const promotionText = (
  coordination: string,
  { revision, passed }: Pick<StepProgress, "revision" | "passed">,
): string => `${coordination}:${revision}:${passed}`;

/** Several are separated by commas. */
function promotedSteps(group: RoleBasedGroup, coordination: string, revision: string): number {
  const text = group.metadata.annotations?.[annotationKeys.promote] ?? "";
  return text
    .split(/[\s,]+/)
    .map((each) => each.split(":"))
    .filter(([name, of, steps]) => name === coordination && of === revision && isCount(steps))
    .reduce((most, [, , steps]) => Math.max(most, Number(steps)), 0);
}

const isCount = (text: string | undefined): boolean => /^[0-9]{1,4}$/.test(text ?? "");

/** What is known of the steps on the way to a revision: what the status recorded, and what was promoted since. */
export function stepProgress(
  group: RoleBasedGroup,
  coordination: string,
  revision: string,
): StepProgress | undefined {
  const state = group.status?.coordinationState?.find(({ name }) => name === coordination);
  const recorded = state?.steps?.revision === revision ? state.steps : undefined;
  const promoted = promotedSteps(group, coordination, revision);
  if (promoted > (recorded?.passed ?? 0)) return { revision, passed: promoted };
  if (recorded === undefined) return undefined;
  const reachedAtMs = parseTime(recorded.reachedAt ?? "");
  return {
    revision,
    passed: recorded.passed,
    ...(reachedAtMs === undefined ? {} : { reachedAtMs }),
  };
}
