/** Which units of which roles share a topology domain, and when the next batch may start. */
import { healthAt, isReadyUnit } from "./unit.ts";
import type { Unit } from "./unit.ts";

/** A role of the batches: `ratio` of its units go into each. */
export interface BatchRole {
  readonly role: string;
  readonly desired: number;
  readonly ratio: number;
}

interface BatchMember {
  readonly role: string;
  readonly ordinals: readonly number[];
}

/** Batches are numbered from 1. Members are sorted by role. */
export interface Batch {
  readonly number: number;
  readonly members: readonly BatchMember[];
}

export type BatchLayout =
  | { readonly kind: "batches"; readonly batches: readonly Batch[] }
  | { readonly kind: "invalid"; readonly problem: string; readonly fix: string };

/**
 * Batch k takes the ordinals `[(k-1) * ratio, k * ratio)` of every role: with 2 prefill and 1
 * decode per batch, batch 2 is prefill-2, prefill-3 and decode-1.
 */
export function layOutBatches(roles: readonly BatchRole[]): BatchLayout {
  const sorted = roles.toSorted((a, b) => (a.role < b.role ? -1 : 1));
  const unusable = sorted.find(({ ratio }) => !Number.isInteger(ratio) || ratio < 1);
  if (unusable !== undefined) {
    const problem = `the ratio of ${unusable.role} is ${unusable.ratio}`;
    return { kind: "invalid", problem, fix: "give it a whole number of 1 or more" };
  }
  const counts = sorted.map(({ desired, ratio }) => desired / ratio);
  const full = Math.floor(Math.min(...counts, Infinity));
  if (counts.some((count) => count !== full)) return leftOver(sorted, full);
  return {
    kind: "batches",
    batches: Array.from({ length: full }, (_, index) => ({
      number: index + 1,
      members: sorted.map(({ role, ratio }) => ({
        role,
        ordinals: Array.from({ length: ratio }, (_each, place) => index * ratio + place),
      })),
    })),
  };
}

function leftOver(roles: readonly BatchRole[], full: number): BatchLayout {
  const left = roles
    .filter(({ desired, ratio }) => desired > full * ratio)
    .map(({ role, desired, ratio }) => `${desired - full * ratio} of ${role}`);
  // Never advise to scale everything to nothing: then the fix is to grow to one full batch.
  const wanted = Math.max(1, full);
  const replicas = roles.map(({ role, ratio }) => `${role} ${wanted * ratio}`);
  return {
    kind: "invalid",
    problem: `${full} full batches leave ${left.join(" and ")} without a batch`,
    fix: `set the replicas to ${replicas.join(", ")} (${wanted} full batches), or change the ratios`,
  };
}

export type BatchMode = "Sequential" | "Parallel";

export interface BatchSnapshot {
  readonly nowMs: number;
  readonly batches: readonly Batch[];
  readonly units: Readonly<Record<string, readonly Unit[]>>;
  /** What the names of units begin with, those too that do not exist yet: `chat-`. */
  readonly prefix?: string;
}

interface PlacedUnit {
  readonly role: string;
  readonly ordinal: number;
  readonly batch: number;
}

export type BatchDecision =
  | { readonly kind: "delete"; readonly units: readonly Unit[]; readonly message: string }
  | { readonly kind: "create"; readonly units: readonly PlacedUnit[]; readonly message: string }
  | {
      readonly kind: "hold";
      readonly batch: number;
      readonly waitingFor: readonly PlacedUnit[];
      readonly message: string;
    }
  | { readonly kind: "done"; readonly message: string };

/**
 * Names the units to delete or create now. Units of no batch go first, for they may hold the very
 * domain that a batch needs. Sequential opens a batch only when every earlier one is ready, but
 * what was started once is restored at once: a broken first batch must not keep the third down.
 */
export function decideBatches(snapshot: BatchSnapshot, mode: BatchMode): BatchDecision {
  const outside = unitsOutside(snapshot);
  if (outside.length > 0) {
    const message = `deleting ${outside.map(({ name }) => name).join(", ")}: no longer in any batch`;
    return { kind: "delete", units: outside, message };
  }
  const places = snapshot.batches.map((batch) => placesOf(batch, snapshot));
  const unready = places.flatMap((batch) => batch.filter(({ isReady }) => !isReady));
  const open = places.slice(0, openCount(places, mode));
  const absent = open.flatMap((batch) => batch.filter(isMissing));
  if (absent.length > 0) {
    const units = absent.map(({ placed }) => placed);
    return { kind: "create", units, message: `creating ${named(units, snapshot)}` };
  }
  if (unready.length === 0) return { kind: "done", message: `all ${places.length} batches ready` };
  const firstUnready = unready[0]?.placed.batch ?? Infinity;
  const waitingFor = unready.map(({ placed }) => placed).filter((it) => it.batch === firstUnready);
  const names = named(waitingFor, snapshot);
  const message = `batch ${firstUnready} waits for ${names} to become ready`;
  return { kind: "hold", batch: firstUnready, waitingFor, message };
}

/** How many batches may have units now, from the first on. */
export const openBatches = (snapshot: BatchSnapshot, mode: BatchMode): number =>
  openCount(
    snapshot.batches.map((batch) => placesOf(batch, snapshot)),
    mode,
  );

/** A batch that has a unit was opened; the next one is, once all of those are ready. */
function openCount(places: readonly (readonly Place[])[], mode: BatchMode): number {
  if (mode === "Parallel") return places.length;
  const opened = places.findLastIndex((batch) => batch.some(({ unit }) => unit !== undefined)) + 1;
  const areReady = places.slice(0, opened).every((batch) => batch.every(({ isReady }) => isReady));
  return Math.min(places.length, areReady ? opened + 1 : opened);
}

/** Highest ordinals first, as in every scale-in; terminating units need no second delete. */
function unitsOutside({ batches, units }: BatchSnapshot): readonly Unit[] {
  const inside = new Set(
    batches.flatMap(({ members }) =>
      members.flatMap(({ role, ordinals }) => ordinals.map((ordinal) => `${role}-${ordinal}`)),
    ),
  );
  return Object.entries(units)
    .flatMap(([role, all]) => all.filter(({ ordinal }) => !inside.has(`${role}-${ordinal}`)))
    .filter(({ health }) => health !== "terminating" && health !== "missing")
    .toSorted((a, b) => b.ordinal - a.ordinal || (a.name < b.name ? -1 : 1));
}

interface Place {
  readonly placed: PlacedUnit;
  readonly unit: Unit | undefined;
  readonly isReady: boolean;
}

const isMissing = ({ unit }: Place): boolean => unit === undefined;

const named = (units: readonly PlacedUnit[], { prefix = "" }: BatchSnapshot): string =>
  units.map(({ role, ordinal }) => `${prefix}${role}-${ordinal}`).join(", ");

function placesOf(batch: Batch, { units, nowMs }: BatchSnapshot): readonly Place[] {
  return batch.members.flatMap(({ role, ordinals }) => {
    const byOrdinal = new Map(units[role]?.map((unit) => [unit.ordinal, unit]));
    return ordinals.map((ordinal) => {
      const found = byOrdinal.get(ordinal);
      const unit = found?.health === "missing" ? undefined : found;
      const health = unit === undefined ? "missing" : healthAt(unit, nowMs);
      const placed = { role, ordinal, batch: batch.number };
      return { placed, unit, isReady: isReadyUnit({ health }) };
    });
  });
}
