/** In which order outdated units go. Every order is total: ties fall to the ordinal, then the name. */
import type { Unit } from "./unit.ts";

export type Ordering =
  | "descendingOrdinal"
  | "ascendingOrdinal"
  | "oldestFirst"
  | "unscheduledThenBrokenThenOrdinal";

export type Compare = (a: Unit, b: Unit) => number;

const byName: Compare = (a, b) => (a.name < b.name ? -1 : Number(a.name > b.name));
const byOrdinal: Compare = (a, b) => a.ordinal - b.ordinal || byName(a, b);

/** Serving units come last: replacing the others takes nothing away from anybody. */
const urgency = (unit: Unit): number => {
  if (!unit.scheduled) return 0;
  return unit.health === "available" ? 2 : 1;
};

const comparisons: Readonly<Record<Ordering, Compare>> = {
  ascendingOrdinal: byOrdinal,
  descendingOrdinal: (a, b) => b.ordinal - a.ordinal || byName(a, b),
  oldestFirst: (a, b) => a.createdAtMs - b.createdAtMs || byOrdinal(a, b),
  unscheduledThenBrokenThenOrdinal: (a, b) => urgency(a) - urgency(b) || byOrdinal(a, b),
};

export const compareBy = (ordering: Ordering): Compare => comparisons[ordering];
