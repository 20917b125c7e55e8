/** Who sits where, before a fleet is built from it. */
import type { Unit } from "./unit.ts";

export interface Seated {
  readonly unit: Unit;
  readonly mark: number;
}

/** Seats by place: the base, then surge. `strays` fit nowhere and must go. */
export interface Seating {
  readonly units: (Unit | undefined)[];
  readonly marks: Uint8Array;
  /** When the holder of each place was created, beside it: units lie scattered in memory. */
  readonly bornAtMs: Float64Array;
  readonly ordinals: Int32Array;
  readonly strays: readonly Seated[];
}

export const byOrdinalThenId = (a: Seated, b: Seated): number =>
  a.unit.ordinal - b.unit.ordinal || (a.unit.id < b.unit.id ? -1 : Number(a.unit.id > b.unit.id));
