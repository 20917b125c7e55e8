/** Which replicas start over, as their gang was broken for longer than terminationDelay, and what is written. Pure. */
import { memoizeOnce } from "../../engine/memoize.ts";
import type { Overdue } from "../breach.ts";
import { breachedSinceMs, overdueAmong } from "../breach.ts";
import { earliest } from "../../engine/live-reads.ts";
import type { GroupState, ReplicaState } from "./replica-state.ts";
import type { Observed } from "./observe.ts";
import { objectsOf } from "./observe.ts";
import { conditionReasons, conditionTypes } from "../../../api/grove/conditions.ts";
import { headlessServiceName } from "../../../api/grove/names.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../../../api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import { isTerminating } from "../../../api/object.ts";
import { parseTime, timeText } from "../../../api/time-text.ts";
import { isConditionTrue, mergeConditions } from "../../engine/conditions.ts";
import type { Write, WritePlan } from "../../engine/write.ts";
import { deletesOf } from "../../engine/write.ts";
import { createdAtMs } from "../clique-state.ts";
import { liveReplicasWrites } from "./components.ts";
import type { ReplicaObjects } from "./replica-objects.ts";

export interface ReplicaRestarts extends Overdue {
  /** Begun by an earlier reconcile that did not finish. */
  readonly halfway: readonly number[];
}

/**
 * Replicas that are being updated are skipped: what is missing there is missing on purpose. So are those that serve:
 * the conditions of their parts may be as old as an operator was away.
 */
export function overdueReplicas(
  observed: Observed,
  replicas: readonly ReplicaState[],
  updating: ReadonlySet<number>,
): ReplicaRestarts {
  const { spec, nowMs } = observed;
  const halfway = replicas
    .filter((replica) => cliquesToRestart(observed, replica).length > 0)
    .map(({ index }) => index);
  const others = replicas.filter(
    ({ index, isAvailable }) =>
      !isAvailable && index < spec.replicas && !updating.has(index) && !halfway.includes(index),
  );
  const { terminationDelay } = spec.template;
  return { ...overdueAmong(others, brokenSinceMs, { terminationDelay, nowMs }), halfway };
}

const brokenSinceMs = memoizeOnce(({ standalone, groups }: ReplicaState) => {
  // A replica that lacks a clique is being restored already.
  if (standalone.some(({ object }) => object === undefined)) return undefined;
  return earliest([
    ...standalone.map(({ object }) => breachedSinceMs(object)),
    ...groups.filter((group) => !isRestarting(group)).map(({ object }) => breachedSinceMs(object)),
  ]);
});

/** One restart per episode: the condition stays True until the group is whole again. */
const isRestarting = ({ object }: GroupState): boolean => object !== undefined && isMarked(object);

/** On the service of a replica: cliques created up to this moment start over. In the server's own time. */
const restartAnnotation = "lockstep.dev/restart-up-to";

/** How far a mark may be ahead of our clock, which may have been set back since. */
const mostAheadMs = 24 * 60 * 60 * 1000;

/** An operator that takes over half way finds the mark and deletes the rest of what it covers, nothing newer. */
export function restartWrites(observed: Observed, replica: ReplicaState): readonly WritePlan[] {
  const left = cliquesToRestart(observed, replica);
  if (left.length > 0) {
    return [...markGroups(observed, replica), ...deletesOf(podCliqueResource, left)];
  }
  const upToMs = replica.cliques.map(createdAtMs).reduce((a, b) => Math.max(a, b), 0);
  return [
    ...liveReplicasWrites(observed, replica, { [restartAnnotation]: timeText(upToMs) }),
    ...markGroups(observed, replica),
    { sideBySide: deletesOf(podCliqueResource, replica.cliques) },
  ];
}

/** Those that are still there of a restart that has begun: a replica starts over whole or not at all. */
function cliquesToRestart(observed: Observed, { index, cliques }: ReplicaState): PodClique[] {
  const upToMs = restartUpToMs(objectsOf(observed, index));
  // Whatever would be made before that moment would be deleted at once, again and again.
  if (upToMs === undefined || upToMs > observed.nowMs + mostAheadMs) return [];
  return cliques.filter((clique) => !isTerminating(clique) && createdAtMs(clique) <= upToMs);
}

const restartUpToMs = memoizeOnce(({ set, index, services }: ReplicaObjects) => {
  const serviceName = headlessServiceName(set, index);
  const service = services.find(({ metadata }) => metadata.name === serviceName);
  return parseTime(service?.metadata.annotations?.[restartAnnotation] ?? "");
});

/** The scaling groups of the replica learn that its gang starts over, so that it is not restarted again meanwhile. */
function markGroups({ nowMs }: Observed, { groups, index }: ReplicaState): readonly Write[] {
  const condition = {
    type: conditionTypes.gangTerminationInProgress,
    status: "True",
    reason: conditionReasons.gangTerminationActive,
    message: `replica ${index} was below minAvailable for longer than terminationDelay`,
  } as const;
  return groups.flatMap(({ object }): Write[] => {
    if (object?.status === undefined || isMarked(object)) return [];
    const conditions = mergeConditions(object.status.conditions, [condition], nowMs);
    const next = { ...object, status: { ...object.status, conditions } };
    return [
      { verb: "update", resource: scalingGroupResource, object: next, subresource: "status" },
    ];
  });
}

export const isMarked = ({ status }: PodCliqueScalingGroup): boolean =>
  isConditionTrue(status, conditionTypes.gangTerminationInProgress);
