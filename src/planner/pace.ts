/** When an ordered rollout may take the next unit. */
import type { Fleet } from "./fleet.ts";
import type { RollingPolicy } from "./policy.ts";

/**
 * A round takes outdated units only. No unit joins it between the first deletion and the moment
 * at which the last of its units is available again.
 */
export const roundIsOpen = (fleet: Fleet): boolean => fleet.sets.returning.size === 0;

/**
 * The candidates that leave no updated, available unit between two that are down. With 4 down and 3
 * available, 2 has to wait; with 4 available and 3 down it may go.
 */
export function unbrokenRun(
  fleet: Fleet,
  { ordering }: RollingPolicy,
  candidates: readonly number[],
): number[] {
  // Age says nothing about neighbours, so there a strict order can only mean whole rounds.
  if (ordering === "oldestFirst") return roundIsOpen(fleet) ? [...candidates] : [];
  const [first] = candidates;
  if (first === undefined) return [];
  const isOutOfTurn =
    ordering === "descendingOrdinal" ? downwards(fleet, first) : upwards(fleet, first);
  const end = candidates.findIndex(isOutOfTurn);
  return end < 0 ? [...candidates] : candidates.slice(0, end);
}

/** Whether a finished place lies between `slot` and a higher one that is down or about to be. */
function downwards({ sets, desired }: Fleet, first: number): (slot: number) => boolean {
  const { finished, inFlight } = sets;
  return (slot) => {
    const back = finished.next(slot + 1);
    return back >= 0 && Math.max(inFlight.previous(desired - 1), first) > back;
  };
}

function upwards(
  { sets: { finished, inFlight } }: Fleet,
  first: number,
): (slot: number) => boolean {
  const lowestDown = inFlight.size === 0 ? first : Math.min(inFlight.next(), first);
  return (slot) => {
    const back = slot === 0 ? -1 : finished.previous(slot - 1);
    return back >= 0 && lowestDown < back;
  };
}
