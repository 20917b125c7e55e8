/** Decides which clusters get what is rolled out now, and says why the others wait. */
import { byName } from "../placement/decisions.ts";
import type { AssessedCluster } from "./assess-cluster.ts";
import { assessCluster } from "./assess-cluster.ts";
import type {
  ClusterGroup,
  ClusterRolloutDecision,
  ClusterRolloutPolicy,
  ClusterRolloutSnapshot,
  GroupReference,
} from "./cluster-rollout.ts";
import { explainRollout } from "./explain-rollout.ts";
import { resolveRolloutSize } from "./rollout-size.ts";

/** Clusters that are rolled out together, and how many of them may be under way or fail. */
export interface Stage {
  /** As messages name it; undefined for all clusters. */
  readonly group: string | undefined;
  readonly clusters: readonly string[];
  readonly maxConcurrency: number;
  readonly maxFailures: number;
  /** Failures that count, where they are not those of its own clusters. */
  readonly failuresOf?: readonly string[];
}

/** What a stage allows now. */
export interface StageAnswer {
  readonly stage: Stage;
  readonly apply: readonly string[];
  readonly isStopped: boolean;
  /** Nothing of it is to be applied or under way, failures aside. */
  readonly isOver: boolean;
}

/** Pure: the order in which groups and clusters arrive changes nothing. */
export function decideClusterRollout(
  snapshot: ClusterRolloutSnapshot,
  policy: ClusterRolloutPolicy,
): ClusterRolloutDecision {
  const groups = orderedGroups(snapshot.groups);
  const assessed = assessAll(snapshot, policy);
  const answer = firstOpen(stagesOf(groups, policy), assessed);
  const current = [...new Set(groups.flatMap(({ clusters }) => clusters))].toSorted(byName);
  const states = current.map((name) => assessed.get(name) ?? newCluster(name));
  const known = new Map(snapshot.known.map((cluster) => [cluster.name, cluster]));
  const selected = new Set(current);
  return {
    apply: answer?.apply ?? [],
    underWay: states.flatMap(({ name, takesSlot }) => {
      const cluster = known.get(name);
      return takesSlot && cluster !== undefined ? [cluster] : [];
    }),
    failed: namesOf(states, "Failed"),
    timedOut: namesOf(states, "TimeOut"),
    removed: [...known.keys()].filter((name) => !selected.has(name)).toSorted(byName),
    isStopped: answer?.isStopped ?? false,
    recheckAfterMs: earliest(states, snapshot.nowMs),
    reason: explainRollout(states, answer),
  };
}

const newCluster = (name: string): AssessedCluster => ({
  name,
  state: "ToApply",
  takesSlot: false,
  hasFailed: false,
  changesAtMs: undefined,
});

/** By index, each cluster in the first group that lists it: a change in progress may list it twice. */
function orderedGroups(groups: readonly ClusterGroup[]): readonly ClusterGroup[] {
  const taken = new Set<string>();
  return groups
    .toSorted((a, b) => a.index - b.index || byName(a.name, b.name))
    .map((group) => {
      const clusters = group.clusters.filter((name) => !taken.has(name)).toSorted(byName);
      for (const name of clusters) taken.add(name);
      return { ...group, clusters };
    });
}

function assessAll(
  { nowMs, known }: ClusterRolloutSnapshot,
  policy: ClusterRolloutPolicy,
): ReadonlyMap<string, AssessedCluster> {
  const minSuccessMs = policy.type === "All" ? 0 : policy.minSuccessMs;
  const patience = { nowMs, minSuccessMs, deadlineMs: policy.deadlineMs };
  return new Map(known.map((cluster) => [cluster.name, assessCluster(cluster, patience)]));
}

function stagesOf(groups: readonly ClusterGroup[], policy: ClusterRolloutPolicy): readonly Stage[] {
  const everything = groups.flatMap(({ clusters }) => clusters);
  if (policy.type === "All") {
    const unlimited = { maxConcurrency: Infinity, maxFailures: Infinity };
    return [{ group: undefined, clusters: everything, ...unlimited }];
  }
  const isMandatory = (group: ClusterGroup): boolean =>
    policy.mandatoryGroups.some((reference) => isMeant(reference, group));
  const mandatory = groups.filter(isMandatory).map((group) => groupStage(group, 0));
  const rest = groups.filter((group) => !isMandatory(group));
  if (policy.type === "ProgressivePerGroup") {
    const failures = ({ clusters }: ClusterGroup): number =>
      resolveRolloutSize(policy.maxFailures, clusters.length, 0);
    return [...mandatory, ...rest.map((group) => groupStage(group, failures(group)))];
  }
  const clusters = rest.flatMap((group) => group.clusters);
  const maxFailures = resolveRolloutSize(policy.maxFailures, everything.length, 0);
  const maxConcurrency = resolveRolloutSize(
    policy.maxConcurrency,
    clusters.length,
    clusters.length,
  );
  const all = { group: undefined, clusters, maxConcurrency, maxFailures, failuresOf: everything };
  return [...mandatory, all];
}

/** A reference by name means every group of that name; upstream cuts a long one into several. */
const isMeant = (reference: GroupReference, group: ClusterGroup): boolean =>
  "name" in reference ? reference.name === group.name : reference.index === group.index;

const groupStage = ({ index, name, clusters }: ClusterGroup, maxFailures: number): Stage => ({
  group: name === "" ? `group ${index}` : `group ${name} (${index})`,
  clusters,
  maxConcurrency: clusters.length,
  maxFailures,
});

/** The first stage that is not over; undefined where all are. */
function firstOpen(
  stages: readonly Stage[],
  assessed: ReadonlyMap<string, AssessedCluster>,
): StageAnswer | undefined {
  for (const stage of stages) {
    const answer = answerOf(stage, assessed);
    if (!answer.isOver) return answer;
  }
  return undefined;
}

function answerOf(stage: Stage, assessed: ReadonlyMap<string, AssessedCluster>): StageAnswer {
  const statesOf = (names: readonly string[]): readonly AssessedCluster[] =>
    names.map((name) => assessed.get(name) ?? newCluster(name));
  const states = statesOf(stage.clusters);
  const failures = statesOf(stage.failuresOf ?? stage.clusters).filter(
    ({ hasFailed }) => hasFailed,
  );
  const isStopped = failures.length > stage.maxFailures;
  // What was decided for somewhere else comes before what nobody has looked at yet.
  const waiting = states
    .filter(({ state }) => state === "ToApply")
    .toSorted((a, b) => rankOf(a, assessed) - rankOf(b, assessed) || byName(a.name, b.name));
  const taken = states.filter(({ takesSlot }) => takesSlot).length;
  const room = Math.max(0, stage.maxConcurrency - taken);
  const isOver =
    !isStopped &&
    states.every(
      ({ state, takesSlot, hasFailed }) => hasFailed || !(takesSlot || state === "ToApply"),
    );
  const apply = isStopped ? [] : waiting.slice(0, room).map(({ name }) => name);
  return { stage, apply, isStopped, isOver };
}

const rankOf = ({ name }: AssessedCluster, assessed: ReadonlyMap<string, unknown>): number =>
  assessed.has(name) ? 0 : 1;

const namesOf = (states: readonly AssessedCluster[], wanted: string): string[] =>
  states.filter(({ state }) => state === wanted).map(({ name }) => name);

function earliest(states: readonly AssessedCluster[], nowMs: number): number | undefined {
  const firstMs = states.reduce(
    (first, { changesAtMs = Infinity }) => Math.min(first, changesAtMs),
    Infinity,
  );
  return firstMs === Infinity ? undefined : firstMs - nowMs;
}
