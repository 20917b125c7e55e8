/** Deletes of PlacementDecisions that no longer have a place, highest number first. */
import { byName } from "./decisions.ts";
import { decisionNumber } from "./lay-out-decisions.ts";
import type { DecisionWrite, ObservedDecision, PlannedDecision } from "./decisions.ts";

/**
 * From the top, so that group indices never show a gap to consumers that walk them. An object that
 * carries the placement's label under a foreign name goes before all of them.
 */
export function obsoleteDeletes(
  placement: string,
  observed: readonly ObservedDecision[],
  planned: readonly PlannedDecision[],
): readonly DecisionWrite[] {
  const keep = new Set(planned.map((decision) => decision.name));
  return observed
    .filter((decision) => !keep.has(decision.name))
    .map(({ name }) => ({ name, number: decisionNumber(placement, name) ?? Infinity }))
    .toSorted((a, b) => (a.number === b.number ? byName(b.name, a.name) : b.number - a.number))
    .map(({ name }) => ({ kind: "delete", name }));
}
