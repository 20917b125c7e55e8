/** Which Placements a change concerns: a change that cannot alter a result brings none back. */
import type { AddOnPlacementScore, ManagedCluster } from "../../api/ocm/managed-cluster.ts";
import type { Placement } from "../../api/ocm/placement.ts";
import { isSameJson } from "../../api/same-json.ts";
import type { Change } from "../../runtime/cache.ts";
import { keyOf } from "../../runtime/object-store.ts";
import type { PlacementReaders } from "./caches.ts";
import { indexNames } from "./caches.ts";
import type { ScoresByName } from "./cel-selector.ts";
import { factsOf, groupOf, isMatch } from "./cluster-facts.ts";
import {
  eligibleSets,
  isEligible,
  membersOf,
  placementsOfCluster,
  UnreadableSet,
} from "./cluster-sets.ts";
import { parsePlacement } from "./parse-placement.ts";

export function concernedByCluster(
  readers: PlacementReaders,
  change: Change<ManagedCluster>,
): readonly string[] {
  const isConcerned =
    change.type === "updated"
      ? updateConcerns(readers, change.old, change.object)
      : arrivalConcerns(readers, change.object);
  return candidates(readers, change).filter(isConcerned).map(keyOf);
}

/** Where no field changed that scheduling reads, only an expression can tell the versions apart. */
function candidates(
  readers: PlacementReaders,
  change: Change<ManagedCluster>,
): readonly Placement[] {
  if (change.type !== "updated") return [...placementsOfCluster(readers, [change.object])];
  const { old, object } = change;
  if (factsOf(old).fingerprint === factsOf(object).fingerprint) {
    return readers.placements.byIndex(indexNames.byExpression, "all");
  }
  return [...placementsOfCluster(readers, [old, object])];
}

/** A cluster that comes or goes concerns those that would select it, and those whose sets it leaves or finds empty. */
const arrivalConcerns =
  (readers: PlacementReaders, cluster: ManagedCluster) =>
  (placement: Placement): boolean =>
    isFeasible(readers, placement, cluster) || isNearlyEmpty(readers, placement);

const updateConcerns =
  (readers: PlacementReaders, old: ManagedCluster, cluster: ManagedCluster) =>
  (placement: Placement): boolean =>
    effectOf(readers, placement, old) !== effectOf(readers, placement, cluster);

function isFeasible(
  readers: PlacementReaders,
  placement: Placement,
  cluster: ManagedCluster,
): boolean {
  const parsed = parsePlacement(placement);
  if (parsed.kind !== "valid" || !isEligible(readers, placement, cluster)) return false;
  return isMatch(parsed, cluster, scoresOf(readers, cluster));
}

/** All that a Placement sees of one version of a cluster, in one text; empty where it cannot select it. */
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
    groupOf(parsed, cluster),
    isRanked && weights.cpu !== 0 ? facts.cpu : undefined,
    isRanked && weights.memory !== 0 ? facts.memory : undefined,
  ]);
}

/** Whether the first cluster of its sets has just come, or the last has gone. */
function isNearlyEmpty(readers: PlacementReaders, placement: Placement): boolean {
  try {
    const { eligible } = eligibleSets(readers, placement);
    return eligible.every((set) => membersOf(readers.clusters, set).length <= 1);
  } catch (error) {
    if (!(error instanceof UnreadableSet)) throw error;
    return true;
  }
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
