/** Turns the strategy that a clique got from its owner into the planner's policy. */
import type { PodClique } from "../../../api/grove/podclique.ts";
import { isRolling } from "../../../api/grove/update-strategy.ts";
import type { Policy } from "../../../planner/index.ts";
import { cliquePolicy, resolveBudget } from "../../../planner/index.ts";
import { scaleInBudget } from "../scale-in-budget.ts";
import { isMember } from "./identity.ts";

export const isOnDelete = ({ spec }: PodClique): boolean =>
  spec.updateStrategy?.type === "OnDelete";

/** Whether the clique replaces its outdated pods itself; otherwise its owner replaces the clique. */
export const rollsItself = (clique: PodClique): boolean =>
  !isMember(clique) && isRolling(clique.spec.updateStrategy?.type);

export function policyOf(clique: PodClique): Policy {
  const { replicas, updateStrategy = {} } = clique.spec;
  if (isOnDelete(clique)) {
    const budget = scaleInBudget(updateStrategy, replicas);
    return { kind: "onDelete", budget, pacing: "parallel", scaleIn: "outdatedFirst" };
  }
  const { maxUnavailable, maxSurge, partition } = updateStrategy;
  return cliquePolicy(resolveBudget({ maxUnavailable, maxSurge }, replicas), partition ?? 0);
}
