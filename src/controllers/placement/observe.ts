/** Everything a Placement depends on, read at one moment. */
import type { ObjectKey } from "../../api/object.ts";
import type { ManagedCluster, ManagedClusterSet } from "../../api/ocm/managed-cluster.ts";
import type { Placement, PlacementDecision } from "../../api/ocm/placement.ts";
import { isSchedulingDisabled } from "../../api/ocm/placement.ts";
import { parseTime } from "../../api/time-text.ts";
import { keyOf } from "../../runtime/object-store.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";
import type { PlacementReaders } from "./caches.ts";
import { indexNames } from "./caches.ts";
import type { ClusterScore } from "./cel-selector.ts";
import { factsOf } from "./cluster-facts.ts";
import { eligibleSets, membersOf, UnreadableSet } from "./cluster-sets.ts";
import type { ClusterUsage, UsageBesides } from "./cluster-usage.ts";
import { isOurs } from "./decision-objects.ts";
import type { MisconfiguredPlacement, ParsedPlacement } from "./parse-placement.ts";
import { parsePlacement } from "./parse-placement.ts";

export interface Observed {
  readonly nowMs: number;
  readonly placement: Placement;
  readonly parsed: ParsedPlacement | MisconfiguredPlacement;
  /** Names of the sets that are bound to the namespace, and of those that the Placement may use. */
  readonly boundSets: readonly string[];
  readonly eligibleSets: readonly string[];
  /** Why the clusters of a set cannot be determined. */
  readonly setProblem: string | undefined;
  /** Clusters of the eligible sets that are there to stay. */
  readonly clusters: readonly ManagedCluster[];
  /** Ours, or left behind by a Placement of this name. */
  readonly decisions: readonly PlacementDecision[];
  /** Names of objects with our label that are somebody else's. */
  readonly foreign: readonly string[];
  readonly usage: UsageBesides;
  /** Of one cluster; the scores that are given are those that count now. */
  readonly scoresOf: (cluster: string, resourceName: string) => Scores | undefined;
}

export interface Scores {
  readonly scores: readonly ClusterScore[];
  /** When they stop counting; undefined for never. */
  readonly untilMs: number | undefined;
}

export interface PlacementSources {
  readonly readers: PlacementReaders;
  readonly usage: ClusterUsage;
}

/** Undefined where there is nothing to do: it is gone, or somebody else writes its decisions. */
export function observe(
  { readers, usage }: PlacementSources,
  key: ObjectKey,
  nowMs: number,
): Observed | undefined {
  const placement = readers.placements.get(key);
  if (placement === undefined || isSchedulingDisabled(placement)) return undefined;
  const { bound, eligible } = eligibleSets(readers, placement);
  const labelled = decisionsOf(readers.decisions, placement);
  const own = labelled.filter((decision) => isOurs(placement, decision));
  const foreign = labelled.filter((decision) => !isOurs(placement, decision));
  return {
    nowMs,
    placement,
    parsed: parsePlacement(placement),
    boundSets: bound,
    eligibleSets: eligible.map(({ metadata }) => metadata.name ?? ""),
    ...clustersOfSets(readers.clusters, eligible),
    decisions: own,
    foreign: foreign.map(({ metadata }) => metadata.name ?? "").toSorted(),
    usage: usage.besides(keyOf(placement)),
    scoresOf: (cluster, resourceName) =>
      scoresOf(readers.scores, { namespace: cluster, name: resourceName }),
  };
}

/** By label as consumers find them, and by owner: a label that somebody removed is written again. */
function decisionsOf(
  decisions: PlacementReaders["decisions"],
  placement: Placement,
): readonly PlacementDecision[] {
  const { uid = "", namespace } = placement.metadata;
  const labelled = decisions.byIndex(indexNames.byPlacement, keyOf(placement));
  const owned = decisions
    .byIndex(indexNames.byOwner, uid)
    .filter((decision) => decision.metadata.namespace === namespace);
  return [...new Set([...labelled, ...owned])];
}

const noClusters: readonly ManagedCluster[] = [];

/** The very same list for all Placements that select from the same sets, as long as none of their clusters changes. */
const stayingClusters = memoizeByIdentity(
  (first: readonly ManagedCluster[], ...others: readonly (readonly ManagedCluster[])[]) => {
    const all = others.length === 0 ? first : [...new Set([first, ...others].flat())];
    return all.filter((cluster) => !factsOf(cluster).isTerminating);
  },
);

function clustersOfSets(
  clusters: PlacementReaders["clusters"],
  sets: readonly ManagedClusterSet[],
): Pick<Observed, "clusters" | "setProblem"> {
  try {
    const [first = noClusters, ...others] = sets.map((set) => membersOf(clusters, set));
    return { clusters: stayingClusters(first, ...others), setProblem: undefined };
  } catch (error) {
    if (!(error instanceof UnreadableSet)) throw error;
    return { clusters: [], setProblem: error.message };
  }
}

function scoresOf(scores: PlacementReaders["scores"], key: ObjectKey): Scores | undefined {
  const status = scores.get(key)?.status;
  if (status === undefined) return undefined;
  const { validUntil } = status;
  const untilMs =
    validUntil === undefined || validUntil === null ? undefined : parseTime(validUntil);
  return { scores: status.scores ?? [], untilMs };
}
