/** OnDelete scale-in of units whose ordinal is only a label: outdated ones leave first, wherever they are. */
import { isOutdatedMark, occupancyOf } from "./mark.ts";
import { firstOrdinal, type Rollout } from "./rollout.ts";
import { byOrdinalThenId, type Seated, type Seating } from "./seating.ts";

export function seatOutdatedLast(rollout: Rollout, seated: readonly Seated[]): Seating {
  const isLeaving = ({ mark }: Seated): boolean => occupancyOf(mark) === "terminating";
  const live = seated.filter((candidate) => !isLeaving(candidate));
  const worthFirst = live.toSorted((a, b) => worth(b) - worth(a) || byAge(a, b));
  const settled = worthFirst.slice(0, rollout.desired);
  const seats: (Seated | undefined)[] = Array.from({ length: rollout.desired });
  const displaced = settled.filter((candidate) => !claim(seats, candidate, rollout));
  // Who leaves keeps its place while that is empty: a successor takes over the ordinal, not another one.
  const leaving = seated.filter(isLeaving).toSorted(byOrdinalThenId);
  const unseated = [...displaced, ...leaving];
  const free = freeOrdinals(rollout, seated);
  let [nextUnseated, nextFree] = [0, 0];
  const ordinals = new Int32Array(rollout.desired).map((_, slot) => {
    seats[slot] ??= unseated[nextUnseated++];
    return seats[slot]?.unit.ordinal ?? free[nextFree++] ?? slot;
  });
  return {
    units: seats.map((holder) => holder?.unit),
    marks: Uint8Array.from(seats, (holder) => holder?.mark ?? 0),
    bornAtMs: Float64Array.from(seats, (holder) => holder?.unit.createdAtMs ?? 0),
    ordinals,
    strays: [...worthFirst.slice(rollout.desired), ...unseated.slice(nextUnseated)],
  };
}

/** The target revision weighs more than readiness: what leaves is what an update would replace anyway. */
function worth({ unit, mark }: Seated): number {
  const occupancy = occupancyOf(mark);
  const isReady = occupancy === "available" || occupancy === "ready";
  return (
    Number(!isOutdatedMark(mark)) * 8 +
    Number(isReady) * 4 +
    Number(occupancy === "available") * 2 +
    Number(unit.scheduled)
  );
}

/** Older units are worth more: they have proved themselves. */
const byAge = (a: Seated, b: Seated): number =>
  a.unit.createdAtMs - b.unit.createdAtMs || byOrdinalThenId(a, b);

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
