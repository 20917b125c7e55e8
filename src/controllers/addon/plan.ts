/** Decides where an add-on is installed and removed now: by the decisions, at the pace of the rollout strategy. */
import type { ManagedClusterAddOn } from "../../api/ocm/addon.ts";
import { isTerminating } from "../../api/object.ts";
import type { ClusterRolloutDecision } from "../../planner/index.ts";
import { decideClusterRollout } from "../../planner/index.ts";
import { controllerOf } from "../engine/ownership.ts";
import type { Planned } from "../engine/reconcile.ts";
import { knownCluster } from "./addon-state.ts";
import type { Observed } from "./observe.ts";
import { isPolicyProblem, rolloutPolicy } from "./rollout-policy.ts";
import type { ObservedPlacement, Selection } from "./selection.ts";
import { selectionOf } from "./selection.ts";
import type { Refusals } from "./writes.ts";
import { createWrites, deleteWrites } from "./writes.ts";

/** What becomes of one Placement of the add-on. */
export interface PlacementPlan extends ObservedPlacement {
  readonly selection: Selection;
  /** A field of its rollout strategy that cannot be read. */
  readonly problem: string | undefined;
  readonly rollout: ClusterRolloutDecision | undefined;
}

export interface AddOnPlan extends Planned {
  readonly placements: readonly PlacementPlan[];
  readonly selected: ReadonlySet<string>;
  /** By cluster, those that are terminating included. */
  readonly installed: ReadonlyMap<string, ManagedClusterAddOn>;
  readonly install: readonly string[];
  readonly remove: readonly ManagedClusterAddOn[];
  /** Ours, no longer listed, and kept because the list may be incomplete. */
  readonly kept: readonly ManagedClusterAddOn[];
  readonly doubts: readonly string[];
  /** Clusters that are listed and have no ManagedCluster. */
  readonly unknown: readonly string[];
}

export function planAddOn(observed: Observed, refusals: Refusals): AddOnPlan {
  const { management, addOns, cluster } = observed;
  const installed = new Map(addOns.map((addOn) => [addOn.metadata.namespace ?? "", addOn]));
  const placements = placementPlans(observed, installed);
  const selected = new Set(placements.flatMap(({ selection }) => [...selection.clusters]));
  const wanted = placements.flatMap(({ rollout }) => rollout?.apply ?? []);
  const unknown = wanted.filter((name) => cluster(name) === undefined);
  const install = wanted.filter((name) => cluster(name) !== undefined);
  const isOurs = (addOn: ManagedClusterAddOn): boolean =>
    controllerOf(addOn)?.uid === management.metadata.uid;
  const obsolete = addOns.filter(
    (addOn) =>
      isOurs(addOn) && !isTerminating(addOn) && !selected.has(addOn.metadata.namespace ?? ""),
  );
  const doubts = placements.flatMap(({ selection }) => selection.doubt ?? []);
  const remove = doubts.length === 0 ? obsolete : [];
  const kept = doubts.length === 0 ? [] : obsolete;
  const recheck = placements.flatMap(({ rollout }) => rollout?.recheckAfterMs ?? []);
  return {
    placements,
    selected,
    installed,
    install,
    remove,
    kept,
    doubts,
    unknown,
    phases: [createWrites(observed, install, refusals), deleteWrites(placements, remove, refusals)],
    ...(recheck.length > 0 ? { requeueAfterMs: Math.min(...recheck) } : {}),
  };
}

/** A cluster that several Placements select belongs to the first of them. */
function placementPlans(
  { placements, nowMs }: Observed,
  installed: ReadonlyMap<string, ManagedClusterAddOn>,
): readonly PlacementPlan[] {
  const taken = new Set<string>();
  return placements.map((placement, at) => {
    const selection = selectionOf(placement);
    const path = `spec.installStrategy.placements[${at}].rolloutStrategy`;
    const policy = rolloutPolicy(placement.reference.rolloutStrategy, path);
    const groups = selection.groups.map((group) => ({
      ...group,
      clusters: group.clusters.filter((name) => !taken.has(name)),
    }));
    for (const name of selection.clusters) taken.add(name);
    if (isPolicyProblem(policy)) {
      return { ...placement, selection, problem: policy.problem, rollout: undefined };
    }
    const known = groups.flatMap(({ clusters }) =>
      clusters.flatMap((name) => {
        const addOn = installed.get(name);
        return addOn === undefined ? [] : [knownCluster(addOn)];
      }),
    );
    const rollout = decideClusterRollout({ nowMs, groups, known }, policy);
    return { ...placement, selection, problem: undefined, rollout };
  });
}
