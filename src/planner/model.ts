/** A model of the world around the planner: what units do after an action, one pure function per event. */
import type { Action } from "./decision.ts";
import type { Snapshot } from "./rollout.ts";
import type { Unit, UnitHealth } from "./unit.ts";

/** Performs one action: a deletion makes the unit terminate, a creation makes it pending. */
export function perform(world: Snapshot, action: Action): Snapshot {
  if (action.kind !== "create") return setHealth(world, action.id, "terminating");
  const unit: Unit = {
    name: `${world.rollout.name}-${action.ordinal}`,
    id: `${world.rollout.name}-${action.ordinal}/${action.revision}@${world.nowMs}`,
    ordinal: action.ordinal,
    revision: action.revision,
    health: "pending",
    scheduled: true,
    createdAtMs: world.nowMs,
  };
  return { ...world, units: [...world.units, unit] };
}

export const performAll = (world: Snapshot, actions: readonly Action[]): Snapshot =>
  actions.reduce(perform, world);

/** Performs actions while the view of them lags: units stay as they look, the requests are recorded. */
export function request(view: Snapshot, actions: readonly Action[]): Snapshot {
  const { deletions, creations } = view.requested;
  const deleted = actions.flatMap((action) => (action.kind === "create" ? [] : [action.id]));
  const created = actions.flatMap((action) =>
    action.kind === "create" ? [{ ordinal: action.ordinal, revision: action.revision }] : [],
  );
  return {
    ...view,
    requested: { deletions: [...deletions, ...deleted], creations: [...creations, ...created] },
  };
}

export function setHealth(world: Snapshot, id: string, health: UnitHealth): Snapshot {
  const change = (unit: Unit): Unit =>
    unit.id === id ? { ...unit, health, healthSinceMs: world.nowMs } : unit;
  return { ...world, units: world.units.map(change) };
}

/** The unit is gone: a terminating one that ended, or one that was removed. */
export const vanish = (world: Snapshot, id: string): Snapshot => ({
  ...world,
  units: world.units.filter((unit) => unit.id !== id),
});
