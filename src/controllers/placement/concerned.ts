/** Which Placements a change concerns: a change that cannot alter a result brings none back. */
import type {
  AddOnPlacementScore,
  ManagedCluster,
  ManagedClusterSet,
} from "../../api/ocm/managed-cluster.ts";
import type { Placement } from "../../api/ocm/placement.ts";
import { isSameJson } from "../../api/same-json.ts";
import type { Change } from "../../runtime/cache.ts";
import { keyOf } from "../../runtime/object-store.ts";
import type { PlacementReaders } from "./caches.ts";
import { indexNames } from "./caches.ts";
import type { ScoresByName } from "./cel-selector.ts";
import { factsOf, groupOf, isMatch, isSameForSelectors } from "./cluster-facts.ts";
import {
  eligibleSets,
  isEligible,
  membersOf,
  placementsOfCluster,
  UnreadableSet,
} from "./cluster-sets.ts";
import { Effort, mostEffortForOne } from "./effort.ts";
import { Misconfigured } from "./misconfigured.ts";
import { parsePlacement } from "./parse-placement.ts";

export function concernedByCluster(
  readers: PlacementReaders,
  change: Change<ManagedCluster>,
): readonly string[] {
  const concerned =
    change.type === "updated"
      ? concernedByUpdate(readers, change.old, change.object)
      : concernedByArrival(readers, change.object);
  return concerned.map(keyOf);
}

/** A cluster that comes or goes concerns those that would select it, and those whose sets it leaves or finds empty. */
function concernedByArrival(
  readers: PlacementReaders,
  cluster: ManagedCluster,
): readonly Placement[] {
  const isSmall = smallSets(readers);
  return [...placementsOfCluster(readers, cluster)].filter(
    (placement) =>
      mayConcern(() => isFeasible(readers, placement, cluster)) ||
      eligibleSets(readers, placement).eligible.every(isSmall),
  );
}

function concernedByUpdate(
  readers: PlacementReaders,
  old: ManagedCluster,
  cluster: ManagedCluster,
): readonly Placement[] {
  if (isSameForSelectors(old, cluster)) return concernedByHeartbeat(readers, old, cluster);
  const isSmall = smallSets(readers);
  const [before, after] = [old, cluster].map((each) => placementsOfCluster(readers, each));
  return [...new Set([...(before ?? []), ...(after ?? [])])].filter((placement) => {
    const had = before?.has(placement) === true;
    const has = after?.has(placement) === true;
    const effect = (isIts: boolean, version: ManagedCluster): string =>
      isIts ? effectOf(readers, placement, version) : "";
    return (
      mayConcern(() => effect(had, old) !== effect(has, cluster)) ||
      (had !== has && eligibleSets(readers, placement).eligible.every(isSmall))
    );
  });
}

/** No field changed that scheduling reads, so neither did its sets: only an expression distinguishes the versions. */
function concernedByHeartbeat(
  readers: PlacementReaders,
  old: ManagedCluster,
  cluster: ManagedCluster,
): readonly Placement[] {
  const reading = readers.placements.byIndex(indexNames.byExpression, "all");
  if (reading.length === 0) return reading;
  const own = placementsOfCluster(readers, cluster);
  const changed = (each: Placement): boolean =>
    effectOf(readers, each, old) !== effectOf(readers, each, cluster);
  return reading.filter((each) => own.has(each) && mayConcern(() => changed(each)));
}

/** What takes too long to find out is for the reconcile, which says so. */
function mayConcern(concerns: () => boolean): boolean {
  try {
    return concerns();
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error;
    return true;
  }
}

function isFeasible(
  readers: PlacementReaders,
  placement: Placement,
  cluster: ManagedCluster,
): boolean {
  const parsed = parsePlacement(placement);
  if (parsed.kind !== "valid") return false;
  const scores = scoresOf(readers, cluster);
  return isMatch(parsed, { cluster, scores, effort: new Effort(mostEffortForOne) });
}

/** All that a Placement sees of a version of a cluster of its sets, in one text; empty where it cannot select it. */
function effectOf(
  readers: PlacementReaders,
  placement: Placement,
  cluster: ManagedCluster,
): string {
  const parsed = parsePlacement(placement);
  const facts = factsOf(cluster);
  if (parsed.kind !== "valid" || facts.isTerminating) return "";
  if (!isFeasible(readers, placement, cluster)) return "";
  const { weights, numberOfClusters } = parsed.scheduling;
  const isRanked = numberOfClusters !== undefined;
  return JSON.stringify([
    facts.taints,
    groupOf(parsed, { cluster, effort: new Effort(mostEffortForOne) }),
    isRanked && weights.cpu !== 0 ? facts.cpu : undefined,
    isRanked && weights.memory !== 0 ? facts.memory : undefined,
  ]);
}

/** Whether the first cluster of a set has just come, or the last has gone; found out once per set. */
function smallSets({ clusters }: PlacementReaders): (set: ManagedClusterSet) => boolean {
  const known = new Map<ManagedClusterSet, boolean>();
  const isSmall = (set: ManagedClusterSet): boolean => {
    try {
      return membersOf(clusters, set).length <= 1;
    } catch (error) {
      if (!(error instanceof UnreadableSet)) throw error;
      return true;
    }
  };
  return (set) => {
    const answer = known.get(set) ?? isSmall(set);
    known.set(set, answer);
    return answer;
  };
}

const scoresOf =
  ({ scores }: PlacementReaders, { metadata }: ManagedCluster): ScoresByName =>
  (name) =>
    scores.get({ namespace: metadata.name, name })?.status?.scores;

/** Scores concern the Placements that read them and may select the cluster that they are about. */
export function concernedByScore(
  readers: PlacementReaders,
  change: Change<AddOnPlacementScore>,
): readonly string[] {
  const { object } = change;
  if (change.type === "updated" && isSameJson(change.old.status, object.status)) return [];
  const { name = "", namespace = "" } = object.metadata;
  const cluster = readers.clusters.get({ name: namespace });
  if (cluster === undefined) return [];
  const reading = [name, "*"].flatMap((each) =>
    readers.placements.byIndex(indexNames.byScore, each),
  );
  return [...new Set(reading)]
    .filter((placement) => isEligible(readers, placement, cluster))
    .map(keyOf);
}
