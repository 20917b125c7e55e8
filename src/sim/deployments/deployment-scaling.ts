/** Spreads a changed number of replicas over the sets of a Deployment, in proportion to their size. Pure. */
import type { Deployment, ReplicaSet } from "../../api/apps.ts";
import type { Resize } from "./deployment-plan.ts";
import type { Sets } from "./deployment-sets.ts";
import {
  availableOf,
  budgetOf,
  byAge,
  desiredAnnotation,
  isActiveSet,
  mostAnnotation,
  replicasOf,
  sumOf,
} from "./deployment-sets.ts";

export function scaleSets(deployment: Deployment, { current, old }: Sets): readonly Resize[] {
  const desired = replicasOf(deployment);
  const all = [...old, ...(current === undefined ? [] : [current])];
  const active = all.filter(isActiveSet);
  if (active.length < 2) {
    const only = active[0] ?? current ?? old.at(-1);
    return only === undefined ? [] : [{ set: only, replicas: desired }];
  }
  if (current !== undefined && isSaturated(deployment, current)) {
    return old.filter(isActiveSet).map((set) => ({ set, replicas: 0 }));
  }
  if (deployment.spec.strategy?.type === "Recreate") return [];
  return spread(deployment, active);
}

/** The current set serves everything that was asked for. */
const isSaturated = (deployment: Deployment, set: ReplicaSet): boolean =>
  replicasOf(set) === replicasOf(deployment) &&
  Number(set.metadata.annotations?.[desiredAnnotation]) === replicasOf(deployment) &&
  availableOf(set) === replicasOf(deployment);

function spread(deployment: Deployment, active: readonly ReplicaSet[]): readonly Resize[] {
  const desired = replicasOf(deployment);
  const allowed = desired > 0 ? desired + budgetOf(deployment).maxSurge : 0;
  const toAdd = allowed - sumOf(active, replicasOf);
  const sorted = active.toSorted(toAdd > 0 ? largestThenYoungest : largestThenOldest);
  let added = 0;
  const sizes = sorted.map((set) => {
    const share = shareOf(deployment, set, { toAdd, added });
    added += share;
    return replicasOf(set) + share;
  });
  // What rounding left over goes to the largest set.
  return sorted.map((set, index) => {
    const leftOver = index === 0 ? toAdd - added : 0;
    return { set, replicas: Math.max(0, (sizes[index] ?? 0) + leftOver) };
  });
}

const largestThenYoungest = (a: ReplicaSet, b: ReplicaSet): number =>
  replicasOf(b) - replicasOf(a) || byAge(b, a);

const largestThenOldest = (a: ReplicaSet, b: ReplicaSet): number =>
  replicasOf(b) - replicasOf(a) || byAge(a, b);

function shareOf(
  deployment: Deployment,
  set: ReplicaSet,
  { toAdd, added }: { readonly toAdd: number; readonly added: number },
): number {
  const allowed = toAdd - added;
  const fraction = fractionOf(deployment, set);
  return toAdd > 0 ? Math.min(fraction, allowed) : Math.max(fraction, allowed);
}

/** How much the set changes if it keeps its share of everything that may exist. */
function fractionOf(deployment: Deployment, set: ReplicaSet): number {
  const desired = replicasOf(deployment);
  if (desired === 0) return -replicasOf(set);
  const most = desired + budgetOf(deployment).maxSurge;
  const before =
    Number(set.metadata.annotations?.[mostAnnotation] ?? 0) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((replicasOf(set) * most) / before) - replicasOf(set);
}
