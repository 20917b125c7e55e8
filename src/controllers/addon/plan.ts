/** Decides where an add-on is installed and removed now: by the decisions, at the pace of the rollout strategy. */
import type { ManagedClusterAddOn } from "../../api/ocm/addon.ts";
import { isTerminating } from "../../api/object.ts";
import type { ClusterRolloutDecision, KnownCluster } from "../../planner/index.ts";
import { decideClusterRollout } from "../../planner/index.ts";
import { controllerOf } from "../engine/ownership.ts";
import type { Planned } from "../engine/reconcile.ts";
import { knownCluster } from "./addon-state.ts";
import type { Observed } from "./observe.ts";
import { isPolicyProblem, rolloutPolicy } from "./rollout-policy.ts";
import type { ObservedPlacement, ClusterSelection } from "./selection.ts";
import { selectionOf } from "./selection.ts";
import type { AddOnRefusals } from "./writes.ts";
import { createWrites, deleteWrites } from "./writes.ts";

/** What becomes of one Placement of the add-on. */
export interface PlacementPlan extends ObservedPlacement {
  readonly selection: ClusterSelection;
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

export function planAddOn(observed: Observed, refusals: AddOnRefusals): AddOnPlan {
  const { management, addOns, cluster } = observed;
  const installed = new Map(addOns.map((addOn) => [addOn.metadata.namespace ?? "", addOn]));
  const placements = placementPlans(observed, installed, refusals);
  const selected = new Set(placements.flatMap(({ selection }) => [...selection.clusters]));
  const isRefused = (name: string): boolean => refusals.refused.has(name) && !installed.has(name);
  const install = placements.flatMap((placement) => toInstall(placement, isRefused));
  const unknown = [...selected].filter((name) => !installed.has(name) && !cluster(name));
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
    unknown: unknown.toSorted(),
    phases: [createWrites(observed, install, refusals), deleteWrites(placements, remove, refusals)],
    ...(recheck.length > 0 ? { requeueAfterMs: Math.min(...recheck) } : {}),
  };
}

/** A cluster that refused the add-on is asked again as long as it is selected, also where its time is over. */
function toInstall(
  { rollout }: PlacementPlan,
  isRefused: (cluster: string) => boolean,
): readonly string[] {
  if (rollout === undefined) return [];
  const { apply, underWay, timedOut } = rollout;
  return [...apply, ...[...underWay.map(({ name }) => name), ...timedOut].filter(isRefused)];
}

/** A cluster that several Placements select belongs to the first of them. */
function placementPlans(
  { placements, cluster, nowMs }: Observed,
  installed: ReadonlyMap<string, ManagedClusterAddOn>,
  { refused }: AddOnRefusals,
): readonly PlacementPlan[] {
  const taken = new Set<string>();
  /** What is no cluster, or not yet, holds no other up. */
  const isThere = (name: string): boolean => installed.has(name) || cluster(name) !== undefined;
  const known = (name: string): readonly KnownCluster[] => {
    const addOn = installed.get(name);
    if (addOn !== undefined) return [knownCluster(addOn)];
    const refusal = refused.get(name);
    return refusal ? [{ name, state: "Progressing", sinceMs: refusal.sinceMs }] : [];
  };
  return placements.map((placement, at) => {
    const selection = selectionOf(placement);
    const path = `spec.installStrategy.placements[${at}].rolloutStrategy`;
    const policy = rolloutPolicy(placement.reference.rolloutStrategy, path);
    const groups = selection.groups.map((group) => ({
      ...group,
      clusters: group.clusters.filter((name) => !taken.has(name) && isThere(name)),
    }));
    for (const name of selection.clusters) taken.add(name);
    if (isPolicyProblem(policy)) {
      return { ...placement, selection, problem: policy.problem, rollout: undefined };
    }
    const members = groups.flatMap(({ clusters }) => clusters);
    const snapshot = { nowMs, groups, known: members.flatMap(known) };
    const rollout = decideClusterRollout(snapshot, policy);
    return { ...placement, selection, problem: undefined, rollout };
  });
}
