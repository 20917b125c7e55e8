/** Units made of parts that are replaced whole: parts of two revisions never run side by side. */
import type { Unit, UnitHealth } from "./unit.ts";

export interface Part {
  readonly name: string;
  readonly revision: string;
  readonly health: UnitHealth;
  readonly scheduled: boolean;
  readonly createdAtMs: number;
}

export interface PartedUnit {
  readonly name: string;
  readonly id: string;
  readonly ordinal: number;
  /** Names of the parts a whole unit has. */
  readonly partNames: readonly string[];
  /** How many of them must be available for the unit to serve; all unless said otherwise. */
  readonly partsNeeded?: number;
  readonly parts: readonly Part[];
}

const isLive = ({ health }: Part): boolean => health !== "terminating" && health !== "missing";
const exists = ({ health }: Part): boolean => health !== "missing";

/** What the planner sees of it: one unit with one revision and one health. */
export function unitOfParts(parted: PartedUnit, targetRevision: string): Unit {
  const { name, id, ordinal } = parted;
  const present = parted.parts.filter(exists);
  const live = present.filter(isLive);
  return {
    name,
    id,
    ordinal,
    revision: revisionOf(live.length > 0 ? live : present, targetRevision),
    health: healthOf(parted, present, live),
    scheduled: live.some((part) => part.scheduled),
    createdAtMs: present.map(({ createdAtMs }) => createdAtMs).toSorted((a, b) => a - b)[0] ?? 0,
  };
}

/** One part of another revision makes the whole outdated; the target counts only when it is alone. */
function revisionOf(parts: readonly Part[], targetRevision: string): string {
  const others = parts.map(({ revision }) => revision).filter((name) => name !== targetRevision);
  return others.toSorted()[0] ?? targetRevision;
}

function healthOf(parted: PartedUnit, present: readonly Part[], live: readonly Part[]): UnitHealth {
  if (present.length === 0) return "missing";
  if (live.length === 0) return "terminating";
  const isTorn = new Set(present.map(({ revision }) => revision)).size > 1;
  if (isTorn || live.some(({ health }) => health === "unavailable")) return "unavailable";
  const needed = parted.partsNeeded ?? parted.partNames.length;
  const having = (...healths: UnitHealth[]): number =>
    live.filter(({ health }) => healths.includes(health)).length;
  if (having("available") >= needed) return "available";
  return having("available", "ready") >= needed ? "ready" : "pending";
}

/**
 * The parts to create now for a unit of this revision. None while any part of another revision is
 * left, even one that is already terminating: old gone before new starts.
 */
export function partsToCreate(parted: PartedUnit, revision: string): readonly string[] {
  const present = parted.parts.filter(exists);
  if (present.some((part) => part.revision !== revision)) return [];
  const taken = new Set(present.map(({ name }) => name));
  return parted.partNames.filter((name) => !taken.has(name));
}
