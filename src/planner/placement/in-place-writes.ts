/** The `All` strategy: every PlacementDecision is written in place, in the order users know. */
import { isSameGroup, isSameList } from "./decisions.ts";
import { obsoleteDeletes } from "./obsolete-deletes.ts";
import type { DecisionWrite, ObservedDecision, PlannedDecision, WritePhase } from "./decisions.ts";

/**
 * Ascending numbers, one after the other, then the deletes. A decision whose list changes keeps its
 * labels until the next pass. One thing is better than in the original: deletes are a phase of
 * their own, so they do not run after a failed update and take a cluster's last home away.
 */
export function inPlaceWrites(
  placement: string,
  observed: readonly ObservedDecision[],
  planned: readonly PlannedDecision[],
): readonly WritePhase[] {
  const before = new Map(observed.map((decision) => [decision.name, decision]));
  return [
    {
      phase: "update",
      writes: planned.flatMap((decision) => updateWrites(decision, before.get(decision.name))),
    },
    { phase: "delete", writes: obsoleteDeletes(placement, observed, planned) },
  ];
}

function updateWrites(
  { name, group, clusters }: PlannedDecision,
  before: ObservedDecision | undefined,
): readonly DecisionWrite[] {
  const writes: DecisionWrite[] = [];
  if (before === undefined) writes.push({ kind: "create", name, group });
  if (before?.isOwned === false) writes.push({ kind: "adopt", name });
  if (!isSameList(before?.clusters ?? [], clusters)) {
    writes.push({ kind: "list", name, clusters });
  } else if (before !== undefined && !isSameGroup(before.group, group)) {
    writes.push({ kind: "relabel", name, group });
  }
  return writes;
}
