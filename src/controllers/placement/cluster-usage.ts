/** How many Placements list each cluster, kept up to date: counting all decisions each time would cost the square. */
import type { PlacementDecision } from "../../api/ocm/placement.ts";
import type { Change } from "../../runtime/cache.ts";
import { keyOf } from "../../runtime/object-store.ts";
import { placementOf } from "./caches.ts";

export interface UsageBesides {
  of(cluster: string): number;
  /** Of the cluster that most others list. */
  readonly most: number;
}

const noClusters: ReadonlyMap<string, number> = new Map();

export class ClusterUsage {
  /** How many decisions of a Placement list a cluster: more than one while a surge lasts, which counts once. */
  readonly #byPlacement = new Map<string, Map<string, number>>();
  readonly #uses = new Map<string, number>();
  /** How many clusters have so many uses. */
  readonly #clustersWith = new Map<number, number>();
  #most = 0;

  apply(change: Change<PlacementDecision>): void {
    if (change.type === "updated") this.#count(change.old, -1);
    this.#count(change.object, change.type === "deleted" ? -1 : 1);
  }

  /** Without those of one Placement. */
  besides(placement: string): UsageBesides {
    const own = this.#byPlacement.get(placement) ?? noClusters;
    const ownAtMost = [...own.keys()].filter((name) => this.#uses.get(name) === this.#most).length;
    const isOnlyOwn = ownAtMost > 0 && ownAtMost === this.#clustersWith.get(this.#most);
    return {
      of: (cluster) => (this.#uses.get(cluster) ?? 0) - (own.has(cluster) ? 1 : 0),
      // Without this Placement they have one use less, and no cluster had more than that.
      most: isOnlyOwn ? this.#most - 1 : this.#most,
    };
  }

  #count(decision: PlacementDecision, by: 1 | -1): void {
    // Decisions of nobody count too, each for itself.
    const owner = placementOf(decision) ?? `${keyOf(decision)}#`;
    const listed = this.#byPlacement.get(owner) ?? new Map<string, number>();
    for (const { clusterName } of decision.status?.decisions ?? []) {
      const times = (listed.get(clusterName) ?? 0) + by;
      if (times > 0) listed.set(clusterName, times);
      else listed.delete(clusterName);
      if (by === 1 && times === 1) this.#use(clusterName, 1);
      if (by === -1 && times === 0) this.#use(clusterName, -1);
    }
    if (listed.size > 0) this.#byPlacement.set(owner, listed);
    else this.#byPlacement.delete(owner);
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
