/** Who sits where, before a fleet is built from it. */
import type { Occupancy } from "./fleet.ts";
import type { Unit } from "./unit.ts";

export interface Seated {
  readonly unit: Unit;
  readonly occupancy: Occupancy;
}

/** Seats by place: the base, then surge. `strays` fit nowhere and must go. */
export interface Seating {
  readonly seats: readonly (Seated | undefined)[];
  readonly strays: readonly Seated[];
  readonly ordinals: readonly number[];
}
