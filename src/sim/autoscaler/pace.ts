/** How fast an autoscaler may follow what it measures: windows of calm and steps per period, as upstream. Pure. */

export interface ScalingPolicy {
  readonly type: string;
  readonly value: number;
  readonly periodSeconds: number;
}

export interface ScalingRules {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: string;
  readonly policies?: readonly ScalingPolicy[];
}

export interface Behavior {
  readonly scaleUp?: ScalingRules;
  readonly scaleDown?: ScalingRules;
}

/** What an autoscaler remembers of its last hour: what it wanted, and by how much it changed the target. */
export interface ScalingHistory {
  readonly wanted: readonly { readonly atMs: number; readonly replicas: number }[];
  readonly changes: readonly { readonly atMs: number; readonly by: number }[];
}

export const noHistory: ScalingHistory = { wanted: [], changes: [] };

const longestMs = 3_600_000;

const defaults = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    policies: [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ],
  },
  scaleDown: {
    stabilizationWindowSeconds: 300,
    policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
  },
} as const;

export interface Paced {
  readonly replicas: number;
  readonly history: ScalingHistory;
  /** Why it is not what was measured. */
  readonly limit?: "ScaleDownStabilized" | "ScaleUpStabilized" | "ScaleUpLimit" | "ScaleDownLimit";
}

export interface Sizing {
  readonly current: number;
  readonly wanted: number;
  readonly nowMs: number;
}

export function pace(
  sizing: Sizing,
  behavior: Behavior | undefined,
  before: ScalingHistory,
): Paced {
  const { current, wanted, nowMs } = sizing;
  const history = recent(before, sizing);
  const up = { ...defaults.scaleUp, ...behavior?.scaleUp };
  const down = { ...defaults.scaleDown, ...behavior?.scaleDown };
  const since = (seconds: number): number[] =>
    history.wanted
      .filter(({ atMs }) => atMs >= nowMs - seconds * 1000)
      .map(({ replicas }) => replicas);
  // Up to the smallest and down to the largest of what was wanted lately.
  const floor = Math.min(...since(up.stabilizationWindowSeconds));
  const ceiling = Math.max(...since(down.stabilizationWindowSeconds));
  const steady = Math.min(Math.max(current, floor), ceiling);
  const [bound, limit] =
    steady > current
      ? [Math.min(steady, highest(current, up, history, nowMs)), "ScaleUpLimit" as const]
      : [Math.max(steady, lowest(current, down, history, nowMs)), "ScaleDownLimit" as const];
  const stabilized = wanted < current ? "ScaleDownStabilized" : "ScaleUpStabilized";
  const why = bound !== steady ? limit : steady !== wanted ? stabilized : undefined;
  return { replicas: bound, history, ...(why === undefined ? {} : { limit: why }) };
}

/** To be kept after the target was changed. */
export const withChange = (history: ScalingHistory, by: number, atMs: number): ScalingHistory => ({
  ...history,
  changes: [...history.changes, { atMs, by }],
});

/** A target that was just found counts as wanted: nothing is scaled down before the window is over. */
function recent({ wanted, changes }: ScalingHistory, sizing: Sizing): ScalingHistory {
  const { nowMs: atMs, current } = sizing;
  const isRecent = (each: { readonly atMs: number }): boolean => each.atMs > atMs - longestMs;
  const before = wanted.length === 0 ? [{ atMs, replicas: current }] : wanted.filter(isRecent);
  // A new load must be able to scale up at once.
  const kept = wanted.length === 0 && sizing.wanted > current ? [] : before;
  return {
    wanted: [...kept, { atMs, replicas: sizing.wanted }],
    changes: changes.filter(isRecent),
  };
}

type Rules = Required<Omit<ScalingRules, "selectPolicy">> & Pick<ScalingRules, "selectPolicy">;

/** The sum of the changes in one direction within a policy's period. */
const changedBy = ({ changes }: ScalingHistory, direction: 1 | -1, sinceMs: number): number =>
  changes
    .filter(({ atMs, by }) => atMs > sinceMs && Math.sign(by) === direction)
    .reduce((sum, { by }) => sum + by, 0);

function highest(current: number, rules: Rules, history: ScalingHistory, nowMs: number): number {
  if (rules.selectPolicy === "Disabled") return current;
  const bounds = rules.policies.map(({ type, value, periodSeconds }) => {
    const start = current - changedBy(history, 1, nowMs - periodSeconds * 1000);
    return type === "Pods" ? start + value : Math.ceil(start * (1 + value / 100));
  });
  return rules.selectPolicy === "Min" ? Math.min(...bounds) : Math.max(...bounds);
}

function lowest(current: number, rules: Rules, history: ScalingHistory, nowMs: number): number {
  if (rules.selectPolicy === "Disabled") return current;
  const bounds = rules.policies.map(({ type, value, periodSeconds }) => {
    const start = current - changedBy(history, -1, nowMs - periodSeconds * 1000);
    return type === "Pods" ? start - value : Math.floor(start * (1 - value / 100));
  });
  return rules.selectPolicy === "Min" ? Math.max(...bounds) : Math.min(...bounds);
}
