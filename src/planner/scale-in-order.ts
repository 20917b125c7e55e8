/** OnDelete scale-in of units whose ordinal is only a label: outdated ones leave first, wherever they are. */
import type { Seated, Seating } from "./seating.ts";
import { firstOrdinal, type Rollout } from "./rollout.ts";

export function seatOutdatedLast(rollout: Rollout, seated: readonly Seated[]): Seating {
  const isLeaving = ({ occupancy }: Seated): boolean => occupancy === "terminating";
  const live = seated.filter((candidate) => !isLeaving(candidate));
  const worthFirst = live.toSorted((a, b) => worth(b, rollout) - worth(a, rollout) || byAge(a, b));
  const seats: (Seated | undefined)[] = Array.from({ length: rollout.desired });
  const settled = worthFirst.slice(0, rollout.desired);
  const displaced = settled.filter((candidate) => !claim(seats, candidate, rollout));
  const free = freeOrdinals(rollout, seated);
  let [nextDisplaced, nextFree] = [0, 0];
  const ordinals = Array.from({ length: rollout.desired }, (_, slot) => {
    seats[slot] ??= displaced[nextDisplaced++];
    return seats[slot]?.unit.ordinal ?? free[nextFree++] ?? slot;
  });
  const strays = [...worthFirst.slice(rollout.desired), ...seated.filter(isLeaving)];
  return { seats, strays, ordinals };
}

/** The target revision weighs more than readiness: what leaves is what an update would replace anyway. */
function worth({ unit, occupancy }: Seated, { targetRevision }: Rollout): number {
  const isReady = occupancy === "available" || occupancy === "ready";
  return (
    Number(unit.revision === targetRevision) * 8 +
    Number(isReady) * 4 +
    Number(occupancy === "available") * 2 +
    Number(unit.scheduled)
  );
}

const byAge = (a: Seated, b: Seated): number =>
  a.unit.createdAtMs - b.unit.createdAtMs ||
  a.unit.ordinal - b.unit.ordinal ||
  (a.unit.id < b.unit.id ? -1 : 1);

function claim(seats: (Seated | undefined)[], candidate: Seated, rollout: Rollout): boolean {
  const slot = candidate.unit.ordinal - firstOrdinal(rollout);
  if (slot < 0 || slot >= seats.length || seats[slot] !== undefined) return false;
  seats[slot] = candidate;
  return true;
}

/** Ordinals nobody holds, lowest first: what the empty places get. */
function freeOrdinals(rollout: Rollout, seated: readonly Seated[]): number[] {
  const held = new Set(seated.map(({ unit }) => unit.ordinal));
  const free: number[] = [];
  for (let ordinal = firstOrdinal(rollout); free.length < rollout.desired; ordinal += 1) {
    if (!held.has(ordinal)) free.push(ordinal);
  }
  return free;
}
