/** In which order outdated units go. Every order is total: ties fall to the ordinal. */

/**
 * - `oldestFirst`: by age, then ascending ordinal;
 * - `unscheduledThenBrokenThenOrdinal`: unavailable units first, then ascending ordinal.
 */
export type Ordering =
  | "descendingOrdinal"
  | "ascendingOrdinal"
  | "oldestFirst"
  | "unscheduledThenBrokenThenOrdinal";
