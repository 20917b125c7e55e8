/** Adds units above desired, so that available ones can be replaced without losing capacity. */
import type { CreateAction } from "./decision.ts";
import type { Fleet } from "./fleet.ts";
import { surgeAllowed } from "./room.ts";

/** `replaced` available units are deleted in this same step within the budget, so they need no surge. */
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
