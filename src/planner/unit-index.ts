/** Gives every unit of a snapshot a place in the fleet, and corrects what a stale view hides or still shows. */
import { byOrdinalThenId, Fleet, type Occupant } from "./fleet.ts";
import { placeOutdatedLast } from "./outdated-last.ts";
import type { Policy } from "./policy.ts";
import { firstOrdinal, type RequestedCreation, type Rollout, type Snapshot } from "./rollout.ts";
import { healthAt } from "./unit.ts";

/** Occupants and ordinals by place: the base, then surge. `surplus` units have no place and must go. */
export interface UnitIndex {
  readonly occupants: readonly (Occupant | undefined)[];
  readonly ordinals: readonly number[];
  readonly surplus: readonly Occupant[];
}

export function indexUnits(snapshot: Snapshot, policy: Policy): Fleet {
  const { rollout, nowMs } = snapshot;
  const isByWorth = policy.kind === "onDelete" && policy.scaleIn === "outdatedFirst";
  const surgeSlots =
    policy.kind === "onDelete" ? 0 : Math.min(policy.budget.maxSurge, rollout.desired);
  requirePossible(rollout.desired + surgeSlots);
  const present = presentUnits(snapshot);
  const index = isByWorth
    ? placeOutdatedLast(rollout, present)
    : placeByOrdinal(rollout, present, rollout.desired + surgeSlots);
  // Surplus units get places at the end.
  const surplus = index.surplus.toSorted(byOrdinalThenId);
  const ordinals = index.ordinals.concat(surplus.map(({ ordinal }) => ordinal));
  const occupants = index.occupants.concat(surplus);
  return new Fleet({ policy, rollout, nowMs, ordinals, surgeSlots }, occupants);
}

/** Every unit that exists, and every one that was requested and is not in the view yet. */
function presentUnits({ units, requested, rollout, nowMs }: Snapshot): readonly Occupant[] {
  const deleted = new Set(requested.deletions);
  const present: Occupant[] = [];
  for (const unit of units) {
    const health = healthAt(unit, nowMs);
    if (health === "missing") continue;
    const counted = deleted.size > 0 && deleted.has(unit.id) ? "terminating" : health;
    present.push(counted === unit.health ? unit : { ...unit, health: counted });
  }
  if (requested.creations.length === 0) return present;
  const ordinals = new Set(present.map(({ ordinal }) => ordinal));
  const unseen = requested.creations
    .filter(({ ordinal }) => !ordinals.has(ordinal))
    .map((creation) => unseenUnit(creation, rollout.name, nowMs));
  return present.concat(unseen);
}

const unseenUnit = (
  { ordinal, revision }: RequestedCreation,
  name: string,
  nowMs: number,
): Occupant => ({
  name: `${name}-${ordinal}`,
  id: "",
  ordinal,
  revision,
  health: "unseen",
  scheduled: false,
  createdAtMs: nowMs,
});

/** Far more than anybody looks after: an array of this size is still made in a moment. */
const mostPlaces = 1_000_000;

function requirePossible(places: number): void {
  if (places <= mostPlaces) return;
  throw new RangeError(`${places} units are too many to decide about: at most ${mostPlaces}`);
}

function placeByOrdinal(rollout: Rollout, present: readonly Occupant[], places: number): UnitIndex {
  const first = firstOrdinal(rollout);
  // Several times faster than Array.from, which asks its argument for every element.
  const occupants: (Occupant | undefined)[] = [];
  while (occupants.length < places) occupants.push(undefined);
  const surplus: Occupant[] = [];
  for (const candidate of present) {
    const slot = candidate.ordinal - first;
    const occupant = occupants[slot];
    const isOutside = slot < 0 || slot >= places;
    if (isOutside || (occupant !== undefined && outranks(occupant, candidate, rollout))) {
      surplus.push(candidate);
      continue;
    }
    if (occupant !== undefined) surplus.push(occupant);
    occupants[slot] = candidate;
  }
  return { occupants, surplus, ordinals: occupants.map((_, slot) => first + slot) };
}

/** Two units claim one ordinal: the one worth keeping stays. */
function outranks(a: Occupant, b: Occupant, { targetRevision }: Rollout): boolean {
  const rank = ({ health, revision }: Occupant): number =>
    Number(health !== "terminating") * 4 +
    Number(revision === targetRevision) * 2 +
    Number(health === "available");
  return rank(a) === rank(b) ? a.id < b.id : rank(a) > rank(b);
}
