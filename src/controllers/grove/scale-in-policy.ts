/** The policy of a component that replaces nothing by itself: how many may be down while it gets smaller. */
import type { ChildUpdateStrategy } from "../../api/grove/update-strategy.ts";
import type { OnDeletePolicy } from "../../planner/index.ts";
import { onDeletePolicy, resolveBudget } from "../../planner/index.ts";

/**
 * What stands above the desired size may be the surge of the strategy before, and then stands in for units that are
 * just being replaced: where there may be surge, it leaves within the budget (SU7). Elsewhere nobody named a budget.
 */
export function scaleInPolicy(
  { maxUnavailable, maxSurge }: Pick<ChildUpdateStrategy, "maxUnavailable" | "maxSurge">,
  desired: number,
  scaleIn: OnDeletePolicy["scaleIn"],
): OnDeletePolicy {
  const policy = onDeletePolicy(desired, scaleIn);
  const budget = resolveBudget({ maxUnavailable, maxSurge }, desired);
  if (budget.maxSurge === 0) return policy;
  return { ...policy, budget: { maxUnavailable: budget.maxUnavailable, maxSurge: 0 } };
}
