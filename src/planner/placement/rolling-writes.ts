/** RollingUpdate of PlacementDecisions: first everything grows, only then anything shrinks. */
import { byName, isSameList } from "./decisions.ts";
import { obsoleteDeletes } from "./obsolete-deletes.ts";
import { labelsAtCreation, orderRelabels } from "./order-relabels.ts";
import type {
  DecisionWrite,
  GroupLabels,
  ObservedDecision,
  PlannedDecision,
  WritePhase,
} from "./decisions.ts";

/** A planned decision beside what the server holds under its name. */
interface Change {
  readonly planned: PlannedDecision;
  readonly observed: ObservedDecision | undefined;
}

/**
 * When the surge is over every staying cluster is listed by its final home, so the later phases
 * may shrink and delete in any order without hiding one. The union is taken with what the server
 * holds, never with a target kept in memory: a crash after any write leaves nothing to forget.
 */
export function rollingWrites(
  placement: string,
  observed: readonly ObservedDecision[],
  planned: readonly PlannedDecision[],
): readonly WritePhase[] {
  const byDecision = new Map(observed.map((decision) => [decision.name, decision]));
  const changes = planned.map((decision) => ({
    planned: decision,
    observed: byDecision.get(decision.name),
  }));
  const moving = movingClusters(observed, changes);
  const surged = changes.map((change) => surgedList(change, moving));
  const created = labelsAtCreation(observed, planned);
  return [
    {
      phase: "surge",
      writes: changes.flatMap((change, at) => surgeWrites(change, surged[at], created)),
    },
    { phase: "relabel", writes: orderRelabels(observed, planned) },
    { phase: "finalize", writes: changes.flatMap((change, at) => shrink(change, surged[at])) },
    { phase: "delete", writes: obsoleteDeletes(placement, observed, planned) },
  ];
}

/** Clusters that are listed somewhere now, but not by the decision that shall hold them. */
function movingClusters(
  observed: readonly ObservedDecision[],
  changes: readonly Change[],
): ReadonlySet<string> {
  const listed = new Set(observed.flatMap((decision) => decision.clusters));
  const moving = new Set<string>();
  for (const { planned, observed: before } of changes) {
    const atHome = new Set(before?.clusters);
    for (const cluster of planned.clusters) {
      if (listed.has(cluster) && !atHome.has(cluster)) moving.add(cluster);
    }
  }
  return moving;
}

/**
 * The list a decision holds after the surge. A new decision starts with its final list. One that
 * no moving cluster leaves or joins skips the surge: its staying clusters are at home already, so
 * a single write in the finalize phase cannot hide them.
 */
function surgedList(change: Change, moving: ReadonlySet<string>): readonly string[] {
  const { planned, observed } = change;
  if (observed === undefined) return planned.clusters;
  const isTouched = [...observed.clusters, ...planned.clusters].some((name) => moving.has(name));
  if (!isTouched) return observed.clusters;
  const union = new Set([...observed.clusters, ...planned.clusters]);
  const gainsNothing = union.size === new Set(observed.clusters).size;
  return gainsNothing ? observed.clusters : [...union].toSorted(byName);
}

function surgeWrites(
  { planned, observed }: Change,
  surged: readonly string[] = [],
  created: ReadonlyMap<string, GroupLabels>,
) {
  const writes: DecisionWrite[] = [];
  const { name } = planned;
  const group = created.get(name) ?? planned.group;
  if (observed === undefined) writes.push({ kind: "create", name, group });
  if (observed?.isOwned === false) writes.push({ kind: "adopt", name });
  if (!isSameList(observed?.clusters ?? [], surged)) {
    writes.push({ kind: "list", name, clusters: surged });
  }
  return writes;
}

function shrink({ planned }: Change, surged: readonly string[] = []): readonly DecisionWrite[] {
  if (isSameList(surged, planned.clusters)) return [];
  return [{ kind: "list", name: planned.name, clusters: planned.clusters }];
}
