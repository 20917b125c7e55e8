/** How many pods a gang scheduler may wait for: those that can be made now, and none that wait themselves. Pure. */
import type { DefaultedRole } from "../../api/rbg/defaults.ts";
import type { ObservedRole } from "./observe.ts";

/**
 * Pods of a role that is started once others are ready, of a batch that is not open yet, or of a kind that the cluster
 * does not serve are made by nobody before the gang has a place: it would never get one.
 */
export function gangSize(
  roles: readonly ObservedRole[],
  waiting: ReadonlyMap<string, unknown>,
): number {
  const pods = roles
    .filter(({ role, seen }) => !waiting.has(role.name) && seen.needs === undefined)
    .map(({ role, seen }) => {
      const units = Math.min(role.replicas, seen.openUnits ?? role.replicas);
      return units * podsPerUnit(role);
    });
  // Schedulers refuse a gang of nothing.
  return Math.max(
    1,
    pods.reduce((sum, count) => sum + count, 0),
  );
}

/** Under LeaderWorkerSet a unit is a leader with its workers. */
export const podsPerUnit = ({ workload, leaderWorkerSet }: DefaultedRole): number =>
  workload.kind === "LeaderWorkerSet" ? leaderWorkerSet.size : 1;
