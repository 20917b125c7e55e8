/** Adds units above desired, so that serving ones can be replaced without being missed. */
import type { CreateAction } from "./decision.ts";
import type { Fleet } from "./fleet.ts";
import { surgeAllowed } from "./room.ts";

/** `replaced` serving units leave in this same step and need nobody to stand in for them. */
export function createSurge(fleet: Fleet, replaced: number): CreateAction[] {
  const { policy, rollout } = fleet.shape;
  if (policy.kind === "onDelete" || rollout.paused) return [];
  const allowed = surgeAllowed(fleet);
  const useful = Math.min(allowed, fleet.sets.serving.size - replaced);
  const present = fleet.sets.extra.size - fleet.sets.extraOutdated.size;
  const count = Math.min(useful - present, allowed - fleet.sets.extra.size);
  return emptySurgeSlots(fleet, count).map((slot) => ({
    kind: "create",
    ordinal: fleet.ordinalAt(slot),
    revision: rollout.targetRevision,
    code: "Surge",
  }));
}

function emptySurgeSlots(fleet: Fleet, count: number): number[] {
  const found: number[] = [];
  const end = fleet.desired + fleet.shape.surgeSlots;
  for (let slot = fleet.desired; slot < end && found.length < count; slot += 1) {
    if (fleet.occupancyAt(slot) === "missing") found.push(slot);
  }
  return found;
}
