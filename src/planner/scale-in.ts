/** Deletes units above desired: scaled-in units, surge that is no longer needed, surge of another revision. */
import type { DeleteAction } from "./decision.ts";
import type { Fleet } from "./fleet.ts";
import { surgeAllowed } from "./room.ts";
import { highest } from "./slot-set.ts";

interface Removal {
  readonly actions: readonly DeleteAction[];
  /** How many of the removed units were available. */
  readonly spent: number;
  /** Units above desired are left, terminating ones included. */
  readonly isPending: boolean;
}

export function removeExtra(fleet: Fleet, spare: number): Removal {
  const surplus = surplusSlots(fleet);
  const isPending = surplus.length > 0 || fleet.sets.leaving.size > 0;
  const chosen =
    fleet.shape.policy.pacing === "parallel"
      ? withinSpare(fleet, surplus, spare)
      : oneByOne(fleet, surplus, spare);
  const spent = chosen.filter((slot) => serves(fleet, slot)).length;
  return { actions: chosen.map((slot) => remove(fleet, slot)), spent, isPending };
}

const serves = (fleet: Fleet, slot: number): boolean => fleet.occupancyAt(slot) === "available";

/** Surge stays to the end, because it replaces the capacity of the units that are down. */
const isSurgeDone = (fleet: Fleet): boolean => fleet.sets.unfinished.size === 0;

/** Highest first; available units last, because their removal lowers availability. */
function surplusSlots(fleet: Fleet): number[] {
  if (fleet.sets.extra.size === 0) return [];
  const kept = isSurgeDone(fleet) ? 0 : surgeAllowed(fleet);
  // Where units leave one by one, only the highest matters.
  const looked = kept === 0 && fleet.shape.policy.pacing !== "parallel" ? 1 : fleet.sets.extra.size;
  const seen = highest(fleet.sets.extra, looked).filter(
    (slot) => fleet.occupancyAt(slot) !== "unseen",
  );
  const isUseless = (slot: number): boolean =>
    fleet.sets.extraOutdated.has(slot) || fleet.sets.failed.has(slot);
  const useless = seen.filter(isUseless);
  const current = seen.filter((slot) => !isUseless(slot));
  const leastUseful = [
    ...current.filter((slot) => !serves(fleet, slot)),
    ...current.filter((slot) => serves(fleet, slot)),
  ];
  const tooMany = fleet.sets.extra.size - useless.length - kept;
  return [...useless, ...leastUseful.slice(0, Math.max(0, tooMany))];
}

function withinSpare(fleet: Fleet, surplus: readonly number[], spare: number): number[] {
  const free = surplus.filter((slot) => !serves(fleet, slot));
  const paid = surplus.filter((slot) => serves(fleet, slot));
  return [...free, ...paid.slice(0, Math.max(0, spare))];
}

/** An ordered fleet shrinks one unit at a time, from the top, and only while the base is whole. */
function oneByOne(fleet: Fleet, surplus: readonly number[], spare: number): number[] {
  if (fleet.sets.leaving.size > 0 || fleet.sets.down.size > 0) return [];
  const top = surplus.reduce((a, b) => Math.max(a, b), -1);
  return top >= 0 && (!serves(fleet, top) || spare > 0) ? [top] : [];
}

function remove(fleet: Fleet, slot: number): DeleteAction {
  const { name, id, ordinal } = fleet.unitIn(slot);
  return { kind: "delete", unit: name, id, ordinal, code: codeFor(fleet, slot) };
}

function codeFor(fleet: Fleet, slot: number): DeleteAction["code"] {
  const { desired, shape } = fleet;
  const isSurge = slot < desired + shape.surgeSlots;
  if (fleet.sets.failed.has(slot)) return "UnitFailed";
  if (!isSurge) return "ScaleIn";
  if (fleet.sets.extraOutdated.has(slot)) return "SurgeOutdated";
  return isSurgeDone(fleet) ? "SurgeDone" : "SurgeReleased";
}
