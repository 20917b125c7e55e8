/** What is left of the budget right now. */
import type { Fleet } from "./fleet.ts";

/** How many available units may be removed in this step; 0 or less when the budget is spent. */
export const spareUnits = (fleet: Fleet): number =>
  fleet.available - Math.max(0, fleet.desired - fleet.shape.policy.budget.maxUnavailable);

/** There was no progress for as long as the deadline allows. */
export function isStuck({ shape: { rollout, nowMs } }: Fleet): boolean {
  const { deadline } = rollout;
  return deadline !== undefined && nowMs - deadline.lastProgressAtMs >= deadline.afterMs;
}

/** The surge of this rollout is given up, because it never became available. */
export function hasReleasedSurge(fleet: Fleet): boolean {
  const { rollout, policy } = fleet.shape;
  if (rollout.surgeReleased === true) return true;
  return (
    policy.budget.maxSurge > 0 && rollout.deadline?.onStuck === "ReleaseSurge" && isStuck(fleet)
  );
}

/** How many units may exist above desired: fewer once surge that never became available was released. */
export function surgeAllowed(fleet: Fleet): number {
  const { policy, rollout } = fleet.shape;
  if (policy.kind === "onDelete" || rollout.surgeReleased === true) return 0;
  const { maxSurge } = policy.budget;
  if (rollout.deadline?.onStuck !== "ReleaseSurge" || !isStuck(fleet)) return maxSurge;
  return Math.min(maxSurge, fleet.sets.extra.size - fleet.sets.extraDown.size);
}
