/** Gives every unit of a snapshot its place in a fleet; what a stale view hides or still shows is corrected here. */
import { Fleet } from "./fleet.ts";
import { isOutdatedMark, markOf, occupancyOf } from "./mark.ts";
import type { Policy } from "./policy.ts";
import { firstOrdinal, type RequestedCreation, type Snapshot } from "./rollout.ts";
import { seatOutdatedLast } from "./scale-in-order.ts";
import { byOrdinalThenId, type Seated, type Seating } from "./seating.ts";
import { healthAt, type Unit } from "./unit.ts";

export function seat(snapshot: Snapshot, policy: Policy): Fleet {
  const { rollout, nowMs } = snapshot;
  const isByCount = policy.kind === "onDelete" && policy.scaleIn === "outdatedFirst";
  const surgeSlots =
    policy.kind === "onDelete" ? 0 : Math.min(policy.budget.maxSurge, rollout.desired);
  const seating = isByCount
    ? seatOutdatedLast(rollout, allPresent(snapshot))
    : seatByOrdinal(snapshot, rollout.desired + surgeSlots);
  const { ordinals, ...holders } = withStrays(seating);
  return new Fleet({ policy, rollout, nowMs, ordinals, surgeSlots }, holders);
}

/** Who fits nowhere gets a place at the end. */
function withStrays(seating: Seating): Seating {
  if (seating.strays.length === 0) return seating;
  const strays = seating.strays.toSorted(byOrdinalThenId);
  const size = seating.units.length;
  const marks = new Uint8Array(size + strays.length);
  const ordinals = new Int32Array(size + strays.length);
  const bornAtMs = new Float64Array(size + strays.length);
  marks.set(seating.marks);
  ordinals.set(seating.ordinals);
  bornAtMs.set(seating.bornAtMs);
  strays.forEach(({ unit, mark }, at) => {
    marks[size + at] = mark;
    ordinals[size + at] = unit.ordinal;
    bornAtMs[size + at] = unit.createdAtMs;
  });
  const units = seating.units.concat(strays.map(({ unit }) => unit));
  return { units, marks, bornAtMs, ordinals, strays };
}

type Visit = (unit: Unit, mark: number) => void;

/** Every unit that exists, and every one that was asked for and is not in the view yet. */
function forEachPresent({ units, requested, rollout, nowMs }: Snapshot, visit: Visit): void {
  const { targetRevision } = rollout;
  const deleted = new Set(requested.deletions);
  const ordinals = new Set<number>();
  for (const unit of units) {
    const health = healthAt(unit, nowMs);
    if (health === "missing") continue;
    if (requested.creations.length > 0) ordinals.add(unit.ordinal);
    const occupancy = deleted.size > 0 && deleted.has(unit.id) ? "terminating" : health;
    visit(unit, markOf(occupancy, unit.revision !== targetRevision, unit.failed === true));
  }
  for (const creation of requested.creations) {
    if (ordinals.has(creation.ordinal)) continue;
    const isOutdated = creation.revision !== targetRevision;
    visit(unseen(creation, rollout.name, nowMs), markOf("unseen", isOutdated, false));
  }
}

function allPresent(snapshot: Snapshot): Seated[] {
  const seated: Seated[] = [];
  forEachPresent(snapshot, (unit, mark) => seated.push({ unit, mark }));
  return seated;
}

const unseen = ({ ordinal, revision }: RequestedCreation, name: string, nowMs: number): Unit => ({
  name: `${name}-${ordinal}`,
  id: "",
  ordinal,
  revision,
  health: "pending",
  scheduled: false,
  createdAtMs: nowMs,
});

function seatByOrdinal(snapshot: Snapshot, places: number): Seating {
  const first = firstOrdinal(snapshot.rollout);
  const units = emptyPlaces(places);
  const marks = new Uint8Array(places);
  const bornAtMs = new Float64Array(places);
  const strays: Seated[] = [];
  forEachPresent(snapshot, (unit, mark) => {
    const slot = unit.ordinal - first;
    const isOutside = slot < 0 || slot >= places;
    const holder = units[slot];
    const held = marks[slot] ?? 0;
    const loses = holder !== undefined && outranks({ unit: holder, mark: held }, { unit, mark });
    if (isOutside || loses) {
      strays.push({ unit, mark });
      return;
    }
    if (holder !== undefined) strays.push({ unit: holder, mark: held });
    units[slot] = unit;
    marks[slot] = mark;
    bornAtMs[slot] = unit.createdAtMs;
  });
  const ordinals = new Int32Array(places);
  for (let slot = 0; slot < places; slot += 1) ordinals[slot] = first + slot;
  return { units, marks, bornAtMs, strays, ordinals };
}

/** Several times faster than Array.from, which asks its argument for every element. */
function emptyPlaces(count: number): (Unit | undefined)[] {
  const places: (Unit | undefined)[] = [];
  while (places.length < count) places.push(undefined);
  return places;
}

/** Two units claim one ordinal: the one worth keeping stays. */
function outranks(a: Seated, b: Seated): boolean {
  const rank = ({ mark }: Seated): number =>
    Number(occupancyOf(mark) !== "terminating") * 4 +
    Number(!isOutdatedMark(mark)) * 2 +
    Number(occupancyOf(mark) === "available");
  return rank(a) === rank(b) ? a.unit.id < b.unit.id : rank(a) > rank(b);
}
