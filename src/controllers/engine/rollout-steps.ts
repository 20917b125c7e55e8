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

/** Reports a status whose reason is another one than before; counters alone are no step. */
export function rolloutFollower(
  memory: OwnerMemory,
  kind: string,
  onStep: ((step: RolloutStep) => void) | undefined,
): (owner: KubeObject & { readonly status?: WithConditions }, status: WithConditions) => void {
  const last = memory.perOwner<{ reason?: string | undefined }>(() => ({}));
  return (owner, status) => {
    const now = progressing(status);
    // What is being deleted rolls nothing out: its pods only terminate.
    if (now === undefined || onStep === undefined || isTerminating(owner)) return;
    const known = last.of(owner);
    // What was written before this process started is no news.
    const before = known.reason ?? progressing(owner.status)?.reason;
    known.reason = now.reason;
    if (before === now.reason) return;
    const { reason = "", message = "" } = now;
    const isStalled = isConditionTrue(status, rolloutConditionTypes.stalled);
    onStep({ kind, object: keyOf(owner), reason, message, isStalled });
  };
}
