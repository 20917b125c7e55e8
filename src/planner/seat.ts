/** Gives every unit of a snapshot its place in a fleet; what a stale view hides or still shows is corrected here. */
import { Fleet } from "./fleet.ts";
import type { Policy } from "./policy.ts";
import { firstOrdinal, type RequestedCreation, type Snapshot } from "./rollout.ts";
import { healthAt, type Unit } from "./unit.ts";
import { seatOutdatedLast } from "./scale-in-order.ts";
import type { Seated, Seating } from "./seating.ts";

export function seat(snapshot: Snapshot, policy: Policy): Fleet {
  const seated = present(snapshot);
  const byCount = policy.kind === "onDelete" && policy.scaleIn === "outdatedFirst";
  const surgeSlots =
    policy.kind === "onDelete" ? 0 : Math.min(policy.budget.maxSurge, snapshot.rollout.desired);
  const seating = byCount
    ? seatOutdatedLast(snapshot.rollout, seated)
    : seatByOrdinal(snapshot, seated, surgeSlots);
  const strays = seating.strays.toSorted(byOrdinalThenName);
  const fleet = new Fleet({
    policy,
    rollout: snapshot.rollout,
    nowMs: snapshot.nowMs,
    ordinals: seating.ordinals.concat(strays.map(({ unit }) => unit.ordinal)),
    surgeSlots,
  });
  for (const [slot, taken] of seating.seats.entries()) {
    fleet.place(slot, taken?.unit, taken?.occupancy ?? "missing");
  }
  for (const [index, { unit, occupancy }] of strays.entries()) {
    fleet.place(seating.ordinals.length + index, unit, occupancy);
  }
  return fleet;
}

const byOrdinalThenName = (a: Seated, b: Seated): number =>
  a.unit.ordinal - b.unit.ordinal || (a.unit.id < b.unit.id ? -1 : Number(a.unit.id > b.unit.id));

function present({ units, requested, rollout, nowMs }: Snapshot): Seated[] {
  const deleted = new Set(requested.deletions);
  const seated: Seated[] = [];
  const ordinals = new Set<number>();
  for (const unit of units) {
    const health = healthAt(unit, nowMs);
    if (health === "missing") continue;
    if (requested.creations.length > 0) ordinals.add(unit.ordinal);
    seated.push({ unit, occupancy: deleted.has(unit.id) ? "terminating" : health });
  }
  for (const creation of requested.creations) {
    if (!ordinals.has(creation.ordinal)) seated.push(unseen(creation, rollout.name, nowMs));
  }
  return seated;
}

function unseen({ ordinal, revision }: RequestedCreation, name: string, nowMs: number): Seated {
  const unit: Unit = {
    name: `${name}-${ordinal}`,
    id: "",
    ordinal,
    revision,
    health: "pending",
    scheduled: false,
    createdAtMs: nowMs,
  };
  return { unit, occupancy: "unseen" };
}

function seatByOrdinal(snapshot: Snapshot, seated: Seated[], surgeSlots: number): Seating {
  const { rollout } = snapshot;
  const first = firstOrdinal(rollout);
  const places = rollout.desired + surgeSlots;
  const seats: (Seated | undefined)[] = Array.from({ length: places });
  const strays: Seated[] = [];
  for (const candidate of seated) {
    const slot = candidate.unit.ordinal - first;
    if (slot < 0 || slot >= places) {
      strays.push(candidate);
      continue;
    }
    const holder = seats[slot];
    const wins = holder === undefined || outranks(candidate, holder, rollout.targetRevision);
    if (wins) seats[slot] = candidate;
    const loser = wins ? holder : candidate;
    if (loser !== undefined) strays.push(loser);
  }
  return { seats, strays, ordinals: Array.from({ length: places }, (_, slot) => first + slot) };
}

/** Two units claim one ordinal: the one worth keeping stays. */
function outranks(a: Seated, b: Seated, targetRevision: string): boolean {
  const rank = ({ unit, occupancy }: Seated): number =>
    Number(occupancy !== "terminating") * 4 +
    Number(unit.revision === targetRevision) * 2 +
    Number(occupancy === "available");
  return rank(a) === rank(b) ? a.unit.id < b.unit.id : rank(a) > rank(b);
}
