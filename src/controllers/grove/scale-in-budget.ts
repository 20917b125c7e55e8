/** How many may be down while a component that replaces nothing by itself gets smaller. */
import type { ChildUpdateStrategy } from "../../api/grove/update-strategy.ts";
import type { Budget } from "../../planner/index.ts";
import { resolveBudget } from "../../planner/index.ts";

/**
 * What stands above the desired size may be the surge of the strategy before, and then stands in for units that are
 * just being replaced: where there may be surge, it leaves within the budget (SU7). Elsewhere nobody named a budget.
 */
export function scaleInBudget(
  { maxUnavailable, maxSurge }: Pick<ChildUpdateStrategy, "maxUnavailable" | "maxSurge">,
  desired: number,
): Budget {
  const budget = resolveBudget({ maxUnavailable, maxSurge }, desired);
  return { maxUnavailable: budget.maxSurge > 0 ? budget.maxUnavailable : desired, maxSurge: 0 };
}
