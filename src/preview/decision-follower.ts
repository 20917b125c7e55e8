/** Follows the PlacementDecisions of a Placement: which clusters they list after every single write. */
import type { KubeObject } from "../api/object.ts";
import type { Placement, PlacementDecision } from "../api/ocm/placement.ts";
import { clustersOf, placementDecisionResource, placementNameOf } from "../api/ocm/placement.ts";
import { isSameJson } from "../api/same-json.ts";
import type { CurvePoint, Follower, SeenChange } from "./follower.ts";
import type { PlannedComponent } from "./plan.ts";
import type { RecordedWrite } from "./recorder.ts";

const reasons = {
  create: "a decision is added",
  grow: "clusters are added",
  surge: "clusters are added, those that move between decisions are listed twice",
  relabel: "decisions get the labels of their groups",
  change: "decisions are written in place",
  replace:
    "decisions are written in place, and some clusters that they drop are listed nowhere now",
  finalize: "clusters are dropped that another decision lists",
  deselect: "clusters are dropped that another decision lists, or that are not selected any more",
  lose: "clusters are dropped, and some of them are listed nowhere now",
  delete: "decisions that are not needed any more are deleted",
} as const;

export class DecisionFollower implements Follower {
  readonly resource = placementDecisionResource;
  readonly hasMixedVersions = false;
  readonly isSurgeWaiting = false;
  readonly #name: string;
  readonly #isRolling: boolean;
  readonly #decisions = new Map<string, PlacementDecision>();
  /** In how many decisions each cluster is listed. */
  readonly #listed = new Map<string, number>();
  readonly #curve: CurvePoint[] = [];
  /** When a cluster stopped to be listed anywhere (1), or was listed again (-1). */
  #gaps: { readonly cluster: string; readonly by: 1 | -1 }[] = [];
  #before: ReadonlySet<string> = new Set();
  #entries = 0;
  #mostTwice = 0;
  #writes: RecordedWrite[] = [];
  lastChangeMs = 0;

  constructor({ metadata, spec }: Placement) {
    this.#name = metadata.name ?? "";
    this.#isRolling = spec.decisionStrategy?.updateStrategy?.type === "RollingUpdate";
  }

  begin(atMs: number): void {
    this.#before = new Set(this.#listed.keys());
    this.#gaps = [];
    this.#mostTwice = 0;
    this.#curve.length = 0;
    this.lastChangeMs = atMs;
    this.#look(atMs);
  }

  see(type: SeenChange, object: KubeObject, atMs: number): void {
    const after = object as PlacementDecision;
    if (placementNameOf(after) !== this.#name) return;
    const { name = "", namespace } = after.metadata;
    const before = this.#decisions.get(name);
    if (type === "ADDED" && before !== undefined) return;
    if (type === "DELETED") this.#decisions.delete(name);
    else this.#decisions.set(name, after);
    this.#count(before, type === "DELETED" ? undefined : after);
    const reason = this.#reasonOf(type, before, after);
    if (reason === undefined) return;
    const verb = type === "ADDED" ? "create" : type === "DELETED" ? "delete" : "patch";
    const { plural } = this.resource;
    this.#writes.push({
      atMs,
      verb,
      resource: plural,
      ...(namespace && { namespace }),
      name,
      reason,
    });
    this.lastChangeMs = atMs;
    this.#look(atMs);
  }

  /** Every single write is a moment of its own, and was looked at when it was seen. */
  look(): void {}

  take(): readonly RecordedWrite[] {
    const writes = this.#writes;
    this.#writes = [];
    return writes;
  }

  components(): readonly PlannedComponent[] {
    const kept = new Set([...this.#before].filter((cluster) => this.#listed.has(cluster)));
    let missing = 0;
    let mostMissing = 0;
    for (const { cluster, by } of this.#gaps) {
      if (kept.has(cluster)) missing += by;
      mostMissing = Math.max(mostMissing, missing);
    }
    return [
      {
        name: this.#name,
        desired: this.#listed.size,
        lowestAvailable: kept.size - mostMissing,
        promisedAvailable: this.#isRolling ? kept.size : 0,
        peakSurge: this.#mostTwice,
        keptClusters: kept.size,
      },
    ];
  }

  curves(): ReadonlyMap<string, readonly CurvePoint[]> {
    return new Map([[this.#name, this.#curve]]);
  }

  peakExtra(): Readonly<Record<string, number>> {
    return {};
  }

  /** After it was counted; undefined where nothing that matters is different. */
  #reasonOf(
    type: SeenChange,
    before: PlacementDecision | undefined,
    after: PlacementDecision,
  ): string | undefined {
    if (type === "ADDED") return reasons.create;
    if (type === "DELETED") return reasons.delete;
    const [old, now] = [clustersIn(before), clustersIn(after)];
    const [was, is] = [new Set(old), new Set(now)];
    const gained = now.filter((cluster) => !was.has(cluster));
    const dropped = old.filter((cluster) => !is.has(cluster));
    if (gained.length > 0 || dropped.length > 0) return this.#reasonOfList(gained, dropped);
    const { labels } = after.metadata;
    return isSameJson(before?.metadata.labels ?? {}, labels ?? {}) ? undefined : reasons.relabel;
  }

  #reasonOfList(gained: readonly string[], dropped: readonly string[]): string {
    const isTwice = gained.some((cluster) => (this.#listed.get(cluster) ?? 0) > 1);
    if (dropped.length === 0) return isTwice ? reasons.surge : reasons.grow;
    const isNowhere = dropped.some((cluster) => !this.#listed.has(cluster));
    const mayBeLost = isNowhere && !this.#isRolling;
    if (gained.length > 0) return mayBeLost ? reasons.replace : reasons.change;
    if (mayBeLost) return reasons.lose;
    return isNowhere ? reasons.deselect : reasons.finalize;
  }

  #look(atMs: number): void {
    const available = this.#listed.size;
    if (this.#curve.at(-1)?.available !== available) this.#curve.push({ atMs, available });
  }

  /** What appears is counted first: a cluster within one decision before and after was never missing. */
  #count(before: PlacementDecision | undefined, after: PlacementDecision | undefined): void {
    for (const cluster of clustersIn(after)) {
      const count = this.#listed.get(cluster) ?? 0;
      if (count === 0) this.#gaps.push({ cluster, by: -1 });
      this.#listed.set(cluster, count + 1);
      this.#entries++;
    }
    for (const cluster of clustersIn(before)) {
      const count = (this.#listed.get(cluster) ?? 1) - 1;
      this.#entries--;
      if (count > 0) this.#listed.set(cluster, count);
      else {
        this.#listed.delete(cluster);
        this.#gaps.push({ cluster, by: 1 });
      }
    }
    this.#mostTwice = Math.max(this.#mostTwice, this.#entries - this.#listed.size);
  }
}

const clustersIn = (decision: PlacementDecision | undefined): readonly string[] =>
  decision === undefined ? [] : clustersOf(decision);
