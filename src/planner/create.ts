/** Fills empty places of the base, as fast as the pacing lets units start. */
import type { CreateAction } from "./decision.ts";
import type { Fleet } from "./fleet.ts";
import { lowest } from "./slot-set.ts";

export function createMissing(fleet: Fleet): CreateAction[] {
  return lowest(fleet.sets.missing, startable(fleet)).map((slot) => ({
    kind: "create",
    ordinal: fleet.ordinalAt(slot),
    revision: revisionFor(fleet, slot),
    code: "UnitMissing",
  }));
}

function startable({ shape: { policy }, sets }: Fleet): number {
  const { missing, down, starting } = sets;
  switch (policy.pacing) {
    case "parallel":
      return missing.size;
    case "rounds":
      return missing.size > 0 && missing.next() === down.next() ? 1 : 0;
    case "strict":
      return Math.max(0, Math.max(1, policy.budget.maxUnavailable) - starting.size);
  }
}

/** Below the partition a lost unit is recreated on its previous revision. */
function revisionFor(fleet: Fleet, slot: number): string {
  const { policy, rollout } = fleet.shape;
  const isKept = policy.kind === "rolling" && fleet.isKept(slot);
  return isKept ? (rollout.previousRevision ?? rollout.targetRevision) : rollout.targetRevision;
}
