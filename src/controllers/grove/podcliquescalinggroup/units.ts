/** The replicas of a scaling group as the planner sees them: units made of parts. */
import { isTerminating } from "../../../api/object.ts";
import type { Part, PartedUnit, Unit } from "../../../planner/index.ts";
import { unitOfParts } from "../../../planner/index.ts";
import type { CliqueState } from "../clique-state.ts";
import { cliqueHealth, createdAtMs, templateHash } from "../clique-state.ts";
import { revisionAnnotation } from "../set-revisions.ts";
import type { GroupReplica, Observed } from "./observe.ts";

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
