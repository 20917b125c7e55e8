/** OnDelete scale-in of units whose ordinal is only a label: outdated ones leave first, wherever they are. */
import { byOrdinalThenId, type Occupant } from "./fleet.ts";
import { firstOrdinal, type Rollout } from "./rollout.ts";
import type { UnitIndex } from "./unit-index.ts";

export function placeOutdatedLast(rollout: Rollout, present: readonly Occupant[]): UnitIndex {
  const isLeaving = ({ health }: Occupant): boolean => health === "terminating";
  const live = present.filter((candidate) => !isLeaving(candidate));
  const worthFirst = live.toSorted((a, b) => worth(b, rollout) - worth(a, rollout) || byAge(a, b));
  const kept = worthFirst.slice(0, rollout.desired);
  const occupants: (Occupant | undefined)[] = Array.from({ length: rollout.desired });
  const displaced = kept.filter((candidate) => !claim(occupants, candidate, rollout));
  // A terminating unit keeps its place while that is empty: a successor takes over the ordinal, not another one.
  const leaving = present.filter(isLeaving).toSorted(byOrdinalThenId);
  const unplaced = [...displaced, ...leaving];
  const free = freeOrdinals(rollout, present);
  let [nextUnplaced, nextFree] = [0, 0];
  const ordinals = occupants.map((_, slot) => {
    occupants[slot] ??= unplaced[nextUnplaced++];
    return occupants[slot]?.ordinal ?? free[nextFree++] ?? slot;
  });
  const surplus = [...worthFirst.slice(rollout.desired), ...unplaced.slice(nextUnplaced)];
  return { occupants, ordinals, surplus };
}

/** The target revision weighs more than readiness: what leaves is what an update would replace anyway. */
function worth({ health, revision, scheduled }: Occupant, { targetRevision }: Rollout): number {
  const isReady = health === "available" || health === "ready";
  return (
    Number(revision === targetRevision) * 8 +
    Number(isReady) * 4 +
    Number(health === "available") * 2 +
    Number(scheduled)
  );
}

/** Older units are worth more: they have proved themselves. */
const byAge = (a: Occupant, b: Occupant): number =>
  a.createdAtMs - b.createdAtMs || byOrdinalThenId(a, b);

function claim(
  occupants: (Occupant | undefined)[],
  candidate: Occupant,
  rollout: Rollout,
): boolean {
  const slot = candidate.ordinal - firstOrdinal(rollout);
  if (slot < 0 || slot >= occupants.length || occupants[slot] !== undefined) return false;
  occupants[slot] = candidate;
  return true;
}

/** Ordinals that no unit holds, lowest first: what the empty places get. */
function freeOrdinals(rollout: Rollout, present: readonly Occupant[]): number[] {
  const held = new Set(present.map(({ ordinal }) => ordinal));
  const free: number[] = [];
  for (let ordinal = firstOrdinal(rollout); free.length < rollout.desired; ordinal += 1) {
    if (!held.has(ordinal)) free.push(ordinal);
  }
  return free;
}
