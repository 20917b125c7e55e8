/** What one cluster means for a rollout now: to be applied, under way, failed, or over. */
import type { ClusterState, KnownCluster } from "./cluster-rollout.ts";

interface Patience {
  readonly nowMs: number;
  readonly minSuccessMs: number;
  readonly deadlineMs: number;
}

export interface AssessedCluster {
  readonly name: string;
  /** `TimeOut` once a deadline has passed. */
  readonly state: ClusterState;
  /** It counts against the clusters that may be under way at once. */
  readonly takesSlot: boolean;
  readonly hasFailed: boolean;
  /** When its state changes by time alone. */
  readonly changesAtMs: number | undefined;
}

export function assessCluster(cluster: KnownCluster, patience: Patience): AssessedCluster {
  const { name, state } = cluster;
  switch (state) {
    case "ToApply":
    case "Skip":
      return { name, state, takesSlot: false, hasFailed: false, changesAtMs: undefined };
    case "TimeOut":
      return { name, state, takesSlot: false, hasFailed: true, changesAtMs: undefined };
    case "Succeeded": {
      const soakedAtMs = reachedAt(cluster, patience.minSuccessMs, patience);
      const takesSlot = soakedAtMs !== undefined;
      return { name, state, takesSlot, hasFailed: false, changesAtMs: soakedAtMs };
    }
    case "Progressing":
    case "Failed": {
      const timeOutAtMs = reachedAt(cluster, patience.deadlineMs, patience);
      if (timeOutAtMs === undefined) {
        return { ...assessCluster({ name, state: "TimeOut" }, patience) };
      }
      const changesAtMs = timeOutAtMs === Infinity ? undefined : timeOutAtMs;
      return { name, state, takesSlot: true, hasFailed: state === "Failed", changesAtMs };
    }
  }
}

/** When the state has lasted for this long; undefined where that is over. */
function reachedAt(
  { sinceMs }: KnownCluster,
  lastsMs: number,
  { nowMs }: Patience,
): number | undefined {
  const atMs = (sinceMs ?? nowMs) + lastsMs;
  return nowMs < atMs ? atMs : undefined;
}
