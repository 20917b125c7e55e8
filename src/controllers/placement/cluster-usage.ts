/** How many Placements list each cluster, kept up to date: counting all decisions each time would cost the square. */
import type { PlacementDecision } from "../../api/ocm/placement.ts";
import { clustersOf, placementKeysOf } from "../../api/ocm/placement.ts";
import type { Change } from "../../runtime/cache.ts";
import { keyOf } from "../../runtime/object-store.ts";

export interface UsageBesides {
  of(cluster: string): number;
  /** Of the cluster that most others list. */
  readonly most: number;
}

const noClusters: ReadonlyMap<string, number> = new Map();

/**
 * A Placement counts with what was planned for it last, before its decisions show it: two Placements that are
 * scheduled in the same moment would otherwise choose the same clusters, make room for each other, and meet again.
 */
export class ClusterUsage {
  /** How many decisions of a Placement list a cluster: more than one while a surge lasts, which counts once. */
  readonly #listed = new Map<string, Map<string, number>>();
  readonly #planned = new Map<string, ReadonlySet<string>>();
  readonly #uses = new Map<string, number>();
  /** How many clusters have so many uses. */
  readonly #clustersWith = new Map<number, number>();
  #most = 0;

  apply(change: Change<PlacementDecision>): void {
    if (change.type === "updated") this.#count(change.old, -1);
    this.#count(change.object, change.type === "deleted" ? -1 : 1);
  }

  /** Counts from now on instead of what its decisions list. */
  plan(placement: string, clusters: readonly string[]): void {
    const old = this.#ownOf(placement);
    const planned = new Set(clusters);
    this.#planned.set(placement, planned);
    for (const cluster of old.keys()) if (!planned.has(cluster)) this.#use(cluster, -1);
    for (const cluster of planned) if (!old.has(cluster)) this.#use(cluster, 1);
  }

  /** What its decisions list counts again. */
  forget(placement: string): void {
    if (!this.#planned.has(placement)) return;
    this.plan(placement, [...(this.#listed.get(placement) ?? noClusters).keys()]);
    this.#planned.delete(placement);
  }

  /** Without those of one Placement. */
  besides(placement: string): UsageBesides {
    const own = this.#ownOf(placement);
    let ownAtMost = 0;
    for (const name of own.keys()) if (this.#uses.get(name) === this.#most) ownAtMost++;
    const isOnlyOwn = ownAtMost > 0 && ownAtMost === this.#clustersWith.get(this.#most);
    return {
      of: (cluster) => (this.#uses.get(cluster) ?? 0) - (own.has(cluster) ? 1 : 0),
      // Without this Placement they have one use less, and no cluster had more than that.
      most: isOnlyOwn ? this.#most - 1 : this.#most,
    };
  }

  #ownOf(placement: string): Pick<ReadonlySet<string>, "has" | "keys"> {
    return this.#planned.get(placement) ?? this.#listed.get(placement) ?? noClusters;
  }

  #count(decision: PlacementDecision, by: 1 | -1): void {
    // Decisions of nobody count too, each for itself.
    const [ownerKey = `${keyOf(decision)}#`] = placementKeysOf(decision);
    const listed = this.#listed.get(ownerKey) ?? new Map<string, number>();
    const isCounted = !this.#planned.has(ownerKey);
    for (const cluster of clustersOf(decision)) {
      const times = (listed.get(cluster) ?? 0) + by;
      if (times > 0) listed.set(cluster, times);
      else listed.delete(cluster);
      if (isCounted && by === 1 && times === 1) this.#use(cluster, 1);
      if (isCounted && by === -1 && times === 0) this.#use(cluster, -1);
    }
    if (listed.size > 0) this.#listed.set(ownerKey, listed);
    else this.#listed.delete(ownerKey);
  }

  #use(cluster: string, by: 1 | -1): void {
    const before = this.#uses.get(cluster) ?? 0;
    const uses = before + by;
    if (uses > 0) this.#uses.set(cluster, uses);
    else this.#uses.delete(cluster);
    if (before > 0) this.#clustersWith.set(before, (this.#clustersWith.get(before) ?? 0) - 1);
    if (uses > 0) this.#clustersWith.set(uses, (this.#clustersWith.get(uses) ?? 0) + 1);
    if (uses > this.#most) this.#most = uses;
    if (before === this.#most && this.#clustersWith.get(before) === 0) this.#most = uses;
  }
}
