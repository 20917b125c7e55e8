/** How far a rollout is, in numbers; a deadline starts anew whenever they improve. */
import type { Policy } from "./policy.ts";
import type { Snapshot } from "./rollout.ts";
import { indexUnits } from "./unit-index.ts";

export interface Progress {
  readonly desired: number;
  /** Units that serve, surge included. */
  readonly available: number;
  /** Places of the base that hold the target revision, available or not. */
  readonly updated: number;
  readonly updatedAvailable: number;
  readonly outdated: number;
  readonly surge: number;
}

export function progressOf(snapshot: Snapshot, policy: Policy): Progress {
  const fleet = indexUnits(snapshot, policy);
  const { outdated, extra } = fleet.sets;
  const places = Array.from({ length: fleet.desired }, (_, slot) => slot);
  const updated = places.filter((slot) => {
    const occupancy = fleet.occupancyAt(slot);
    return occupancy !== "missing" && occupancy !== "terminating" && !fleet.isOutdatedAt(slot);
  });
  return {
    desired: fleet.desired,
    available: fleet.available,
    updated: updated.length,
    updatedAvailable: updated.filter((slot) => fleet.occupancyAt(slot) === "available").length,
    outdated: outdated.size,
    surge: extra.size,
  };
}
