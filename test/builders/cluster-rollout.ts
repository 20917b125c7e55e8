/** Draws rollouts over clusters for tests: groups, what is known of each cluster, and policies. */
import type {
  ClusterRolloutPolicy,
  ClusterRolloutSnapshot,
  ClusterState,
  KnownCluster,
} from "../../src/planner/cluster-rollout/cluster-rollout.ts";

export const nowMs = 1_000_000;
const paced = { minSuccessMs: 0, deadlineMs: Infinity, maxFailures: 0, mandatoryGroups: [] };

type Change = Partial<Extract<ClusterRolloutPolicy, { type: "Progressive" }>>;
export const all = (deadlineMs = Infinity): ClusterRolloutPolicy => ({ type: "All", deadlineMs });
export const progressive = (change: Change = {}): ClusterRolloutPolicy => ({
  ...paced,
  maxConcurrency: 2,
  ...change,
  type: "Progressive",
});
export const perGroup = ({
  maxConcurrency: _unused,
  ...change
}: Change = {}): ClusterRolloutPolicy => ({
  ...paced,
  ...change,
  type: "ProgressivePerGroup",
});

const states: Readonly<Record<string, ClusterState>> = {
  "+": "Succeeded",
  "~": "Progressing",
  "!": "Failed",
  "#": "TimeOut",
  "-": "Skip",
  "?": "ToApply",
};

/**
 * `canary: a+90 b~ | c d` draws two groups. A mark says what is known of a cluster: `+` succeeded, `~` progressing,
 * `!` failed, `#` timed out, `-` skipped, `?` to be applied; the number, for how many seconds.
 */
export function drawnRollout(drawing: string): ClusterRolloutSnapshot {
  const known: KnownCluster[] = [];
  const groups = drawing.split("|").map((text, index) => {
    const [, name = "", members = ""] = /^(?:\s*(\w+):)?(.*)$/.exec(text) ?? [];
    const clusters = members.split(" ").flatMap((word) => {
      const [, cluster, mark, seconds] = /^([a-z]+[0-9]*)([+~!#?-])?([0-9]+)?$/.exec(word) ?? [];
      if (cluster === undefined) return [];
      const sinceMs = seconds === undefined ? undefined : nowMs - Number(seconds) * 1000;
      const state = states[mark ?? ""];
      if (state !== undefined) {
        known.push({ name: cluster, state, ...(sinceMs === undefined ? {} : { sinceMs }) });
      }
      return [cluster];
    });
    return { index, name, clusters };
  });
  return { nowMs, groups, known };
}
