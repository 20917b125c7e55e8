/** Follows rollouts from status to status, for a log that says what began, what it waits for and how it ended. */
import type { Condition } from "../../api/apps.ts";
import type { KubeObject } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import { keyOf } from "../../runtime/object-store.ts";
import type { WithConditions } from "./conditions.ts";
import { conditionOf, isConditionTrue } from "./conditions.ts";
import type { OwnerMemory } from "./per-owner.ts";
import { rolloutConditionTypes } from "./rollout-conditions.ts";

/** One step of a rollout, as its conditions put it. */
export interface RolloutStep {
  readonly kind: string;
  readonly object: string;
  readonly reason: string;
  readonly message: string;
  readonly isStalled: boolean;
}

const progressing = (status: WithConditions | undefined): Condition | undefined =>
  conditionOf(status, rolloutConditionTypes.progressing);

/** What does not pass by itself: an image, a crash, a quota, no room. */
const trouble =
  /: [A-Z]\w*(BackOff|Error|ImagePull|ImageName)\b|: not created: |nodes are available|does not fit/;

/** Reports a status whose reason is another one than before, or that names a trouble now; counters are no step. */
export function rolloutFollower(
  memory: OwnerMemory,
  kind: string,
  onStep: ((step: RolloutStep) => void) | undefined,
): (owner: KubeObject & { readonly status?: WithConditions }, status: WithConditions) => void {
  const last = memory.perOwner<{ reason?: string; isTroubled?: boolean }>(() => ({}));
  return (owner, status) => {
    const now = progressing(status);
    // What is being deleted rolls nothing out: its pods only terminate.
    if (now === undefined || onStep === undefined || isTerminating(owner)) return;
    const known = last.of(owner);
    const { reason = "", message = "" } = now;
    const isTroubled = trouble.test(message);
    // What was written before this process started is no news.
    const written = progressing(owner.status);
    const was = known.reason ?? written?.reason;
    const hadTrouble = known.isTroubled ?? trouble.test(written?.message ?? "");
    Object.assign(known, { reason, isTroubled });
    if (was === reason && (hadTrouble || !isTroubled)) return;
    const isStalled = isConditionTrue(status, rolloutConditionTypes.stalled);
    onStep({ kind, object: keyOf(owner), reason, message, isStalled });
  };
}
