/** The replicas of a scaling group: scheduled, whole, available, and units made of parts for the planner. */
import type { GroupReplica, Observed } from "./observe.ts";
import { desiredReplicas } from "./observe.ts";
import { isTerminating } from "../../../api/object.ts";
import type { Part, PartedUnit, Unit } from "../../../planner/index.ts";
import { unitOfParts } from "../../../planner/index.ts";
import type { CliqueState } from "../clique-state.ts";
import { cliqueHealth, createdAtMs, templateHash } from "../clique-state.ts";
import { revisionAnnotation } from "../set-revisions.ts";
import { conditionOf } from "../../engine/conditions.ts";
import { conditionTypes } from "../../../api/grove/conditions.ts";
import { parseTime } from "../../../api/time-text.ts";
import type { Overdue } from "../breach.ts";
import { breachedSinceMs, overdueAmong } from "../breach.ts";
import { earliest } from "../../engine/live-reads.ts";
import { isUnderWay } from "../update-condition.ts";

export const isReplicaOutdated = ({ members }: GroupReplica): boolean =>
  members.some(
    (member) => member.isOutdated && member.object !== undefined && !isTerminating(member.object),
  );

/**
 * One outdated member makes the whole replica outdated, and all its members count as of that one revision: a member
 * whose template the update does not touch is no sign of a torn replica.
 */
export function partedUnit(observed: Observed, replica: GroupReplica): PartedUnit {
  const isOutdated = isReplicaOutdated(replica);
  const revision = isOutdated ? ownRevision(replica) : observed.target.name;
  return {
    name: `${observed.group.metadata.name}-${replica.index}`,
    id: replica.members.map(({ object }) => object?.metadata.uid ?? "").join("/"),
    ordinal: replica.index,
    partNames: observed.group.spec.cliqueNames,
    parts: replica.members.map((member) => partOf(observed, member, { revision, isOutdated })),
  };
}

/** The revision of its members, in a form that is never the name of the target. */
function ownRevision({ members }: GroupReplica): string {
  const outdated = members.find(({ isOutdated, object }) => isOutdated && object !== undefined);
  const name = outdated?.object?.metadata.annotations?.[revisionAnnotation];
  return `${name ?? "unknown"} (outdated)`;
}

function partOf(
  { target }: Observed,
  member: CliqueState,
  replica: { readonly revision: string; readonly isOutdated: boolean },
): Part {
  const isLeft = member.object === undefined;
  const hashes = member.leftovers.map(templateHash);
  const leftBehind = hashes.find((hash) => hash !== target.cliqueHashes[member.clique]);
  return {
    name: member.clique,
    revision: isLeft ? (leftBehind ?? target.name) : replica.revision,
    health: cliqueHealth(member, !replica.isOutdated),
    scheduled: member.scheduled >= member.minAvailable,
    createdAtMs: createdAtMs(member.object),
  };
}

export const unitOf = (observed: Observed, replica: GroupReplica): Unit =>
  unitOfParts(partedUnit(observed, replica), observed.target.name);

export const isReplicaScheduled = ({ members }: GroupReplica): boolean =>
  members.every(
    ({ object, scheduled, minAvailable }) =>
      object !== undefined && !isTerminating(object) && scheduled >= minAvailable,
  );

/** Scheduled with all it needs, and not breached: a replica that starts over does not count until it is back. */
export const isWhole = (replica: GroupReplica): boolean =>
  isReplicaScheduled(replica) &&
  replica.members.every(({ object }) => breachedSinceMs(object) === undefined);

export const isAvailable = (replica: GroupReplica): boolean =>
  isReplicaScheduled(replica) &&
  replica.members.every((member) => cliqueHealth(member, false) === "available");

/** Since when every member has had enough pods on nodes, by its own status; 0 where one does not say so. */
export const scheduledSinceMs = ({ members }: GroupReplica): number =>
  members
    .map(({ object }) => {
      const condition = conditionOf(object?.status, conditionTypes.podCliqueScheduled);
      return condition?.status === "True"
        ? (parseTime(condition.lastTransitionTime ?? "") ?? 0)
        : 0;
    })
    .reduce((a, b) => Math.min(a, b), Infinity);

const brokenSinceMs = ({ members }: GroupReplica): number | undefined =>
  earliest(members.map(({ object }) => breachedSinceMs(object)));

/** Replicas whose gang has been broken for too long: they start over, if enough others are whole. */
export function overdueReplicas(observed: Observed): Overdue {
  const { group, spec, nowMs, minAvailable } = observed;
  const desired = observed.replicas.filter(({ index }) => index < desiredReplicas(observed));
  // Too few replicas are whole: the set restarts the whole replica that the group is in.
  if (isUnderWay(group.status?.updateProgress) || desired.filter(isWhole).length < minAvailable) {
    return { indices: [], recheckAfterMs: undefined };
  }
  const { terminationDelay } = spec.template;
  // Conditions may be as old as an operator was away.
  const down = desired.filter((replica) => !isAvailable(replica));
  return overdueAmong(down, brokenSinceMs, { terminationDelay, nowMs });
}
