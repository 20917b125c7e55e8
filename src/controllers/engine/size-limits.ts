/** How large one object may be: work in proportion to a number in a spec would take the operator down with it. */
import type { KubeObject } from "../../api/object.ts";
import { mostParts } from "../../api/size-limit.ts";
import type { ConditionText, WithConditions } from "./conditions.ts";
import { mergeConditions } from "./conditions.ts";
import { rolloutConditionTypes } from "./rollout-conditions.ts";

/** What one reconcile begins to create; the next goes on. */
export const mostCreates = 1_000;

/** Why an object of this size is refused, where `count` parts are asked for by `field`; undefined where it is not. */
export function sizeProblem(field: string, count: number, what: string): string | undefined {
  if (count <= mostParts) return undefined;
  return tooLargeText(`${field} asks for ${count} ${what}, at most ${mostParts} are possible`);
}

/** A reason to refuse, with what that means. */
export const tooLargeText = (why: string): string =>
  `${why}: nothing is created, changed or deleted until that is lowered`;

/** Only conditions, and the generation that they are about: nothing of a refused object was counted. */
export function refusedStatus<S extends WithConditions>(
  { metadata }: KubeObject,
  status: S,
  { problem: message, nowMs }: { readonly problem: string; readonly nowMs: number },
): S {
  const { progressing, reconciling, stalled } = rolloutConditionTypes;
  const reason = "TooLarge";
  const ours: ConditionText[] = [
    { type: progressing, status: "False", reason, message },
    { type: reconciling, status: "False", reason, message },
    { type: stalled, status: "True", reason, message },
  ];
  const conditions = mergeConditions(status.conditions, ours, nowMs);
  return { ...status, observedGeneration: metadata.generation ?? 0, conditions };
}
