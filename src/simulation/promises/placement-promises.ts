/** A consumer that reads the plain union of PlacementDecisions, and complains when a cluster that stays disappears. */
import { selectorMatches } from "../../api/label-selector.ts";
import { ocmLabels } from "../../api/ocm/labels.ts";
import type { ManagedCluster } from "../../api/ocm/managed-cluster.ts";
import { managedClusterResource } from "../../api/ocm/managed-cluster.ts";
import type { Placement, PlacementDecision } from "../../api/ocm/placement.ts";
import {
  clustersOf,
  placementDecisionResource,
  placementNameOf,
  placementResource,
} from "../../api/ocm/placement.ts";
import type { EventType } from "../follow.ts";
import { follow } from "../follow.ts";
import type { KindPromises, Watched } from "../scenario-kind.ts";
import { defaultStaleMs, Recent } from "./recent.ts";

export interface PlacementPromiseOptions {
  /** Also Placements that are updated in place, to see that they break it. */
  readonly holdsAllToIt: boolean;
  /** Where watches lag, an operator may still act on what a cluster or the Placement was so long ago. */
  readonly staleMs?: number;
  /** Ends the watches. */
  readonly signal?: AbortSignal;
}

/** Placements that want every cluster of their sets that their label predicates match. */
const isPlain = ({ spec }: Placement): boolean =>
  spec.numberOfClusters === undefined &&
  (spec.tolerations ?? []).length === 0 &&
  (spec.predicates ?? []).every((each) => each.requiredClusterSelector?.celSelector === undefined);

const isRolling = ({ spec }: Placement): boolean =>
  spec.decisionStrategy?.updateStrategy?.type === "RollingUpdate";

export class PlacementPromises implements KindPromises {
  readonly #watched: Watched;
  readonly #options: PlacementPromiseOptions;
  readonly #placements = new Map<string, Recent<Placement>>();
  readonly #clusters: ReadonlyMap<string, ManagedCluster>;
  /** When a cluster last was something else than it is now. */
  readonly #changedMs = new Map<string, number>();
  /** Decisions by the Placement in their label, and what they listed when they were last looked at. */
  readonly #labelled = new Map<string, Map<string, PlacementDecision>>();
  readonly #before = new Map<string, ReadonlySet<string>>();

  constructor(watched: Watched, options: PlacementPromiseOptions) {
    const { client, clock } = watched;
    this.#watched = watched;
    this.#options = options;
    const selection = options.signal === undefined ? {} : { signal: options.signal };
    follow<Placement>({ client, resource: placementResource, selection }, (type, placement) =>
      this.#seePlacement(type, placement),
    );
    this.#clusters = follow<ManagedCluster>(
      { client, resource: managedClusterResource, selection },
      (type, cluster, old) => {
        const isSame =
          JSON.stringify(old?.metadata.labels) === JSON.stringify(cluster.metadata.labels);
        if (type === "MODIFIED" && isSame && cluster.spec?.taints === undefined) return;
        this.#changedMs.set(cluster.metadata.name ?? "", clock.now());
      },
    );
    follow<PlacementDecision>(
      { client, resource: placementDecisionResource, selection },
      (type, decision, old) => this.#see(type, decision, old),
    );
  }

  deleteRequested(): void {
    // What is deleted is seen in the stream.
  }

  deleteRefused(): void {
    // Nothing was counted.
  }

  #seePlacement(type: EventType, placement: Placement): void {
    const { name = "" } = placement.metadata;
    const { clock } = this.#watched;
    const recent =
      this.#placements.get(name) ?? new Recent<Placement>(() => clock.now(), this.#staleMs);
    recent.set(placement);
    if (type === "DELETED") this.#placements.delete(name);
    else this.#placements.set(name, recent);
  }

  #see(type: EventType, decision: PlacementDecision, old?: PlacementDecision): void {
    const { name = "" } = decision.metadata;
    const changed = new Set([
      ...(old === undefined ? [] : [placementOf(old)]),
      placementOf(decision),
    ]);
    if (old !== undefined) this.#labelled.get(placementOf(old))?.delete(name);
    if (type !== "DELETED") {
      const labelled = this.#labelled.get(placementOf(decision)) ?? new Map();
      this.#labelled.set(placementOf(decision), labelled.set(name, decision));
    }
    for (const each of changed) this.#compare(each);
  }

  #compare(name: string): void {
    const now = this.#union(name);
    const before = this.#before.get(name) ?? new Set();
    this.#before.set(name, now);
    // Whoever asks for rolling updates, or for other clusters, is promised it once every operator has seen that.
    const recent = this.#placements.get(name)?.all() ?? [];
    if (recent.length === 0 || !recent.every((each) => this.#isChecked(each))) return;
    const lost = [...before].filter(
      (each) => !now.has(each) && recent.every((placement) => this.#stays(placement, each)),
    );
    if (lost.length > 0)
      this.#report(`${name} lists ${lost.join(", ")} no more, although selected`);
  }

  /** As a consumer that finds decisions by their label sees it. */
  #union(placement: string): ReadonlySet<string> {
    return new Set([...(this.#labelled.get(placement)?.values() ?? [])].flatMap(clustersOf));
  }

  #isChecked(placement: Placement): boolean {
    return isPlain(placement) && (this.#options.holdsAllToIt || isRolling(placement));
  }

  get #staleMs(): number {
    return this.#options.staleMs ?? defaultStaleMs;
  }

  /** It is wanted now, and has been for a while. Which group it is in makes no difference. */
  #stays(placement: Placement, cluster: string): boolean {
    const changedMs = this.#changedMs.get(cluster) ?? Number.NEGATIVE_INFINITY;
    return (
      this.#isWanted(placement, cluster) && changedMs + this.#staleMs < this.#watched.clock.now()
    );
  }

  #isWanted({ spec }: Placement, name: string): boolean {
    const cluster = this.#clusters.get(name);
    if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) return false;
    if ((cluster.spec?.taints ?? []).length > 0) return false;
    if (cluster.metadata.labels?.[ocmLabels.clusterSet] === undefined) return false;
    const predicates = spec.predicates ?? [];
    const isMatched = predicates.some(({ requiredClusterSelector: selector }) =>
      selectorMatches(selector?.labelSelector ?? {}, cluster.metadata.labels),
    );
    return predicates.length === 0 || isMatched;
  }

  checkAtRest(): void {
    for (const [name, { current: placement }] of this.#placements) {
      if (placement === undefined || !this.#isChecked(placement)) continue;
      const wanted = [...this.#clusters.keys()].filter((each) => this.#isWanted(placement, each));
      const listed = [...(this.#labelled.get(name)?.values() ?? [])].map(clustersOf);
      const union = this.#union(name);
      const isExact = wanted.length === union.size && wanted.every((each) => union.has(each));
      if (!isExact)
        this.#report(`${name} lists ${union.size} clusters at rest, ${wanted.length} wanted`);
      if (listed.flat().length !== union.size)
        this.#report(`${name} lists a cluster twice at rest`);
      if (listed.some((each) => each.length > 100))
        this.#report(`${name} lists more than 100 at rest`);
    }
  }

  #report(violation: string): void {
    this.#watched.report(violation);
  }
}

const placementOf = (decision: PlacementDecision): string => placementNameOf(decision) ?? "";
