/** A replica that waits for its turn must not keep moving towards a revision that was abandoned meanwhile. */
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../../../api/grove/scaling-group.ts";
import { isRolling } from "../../../api/grove/update-strategy.ts";
import type { CliqueState } from "../clique-state.ts";
import { templateHash } from "../clique-state.ts";
import type { SetRevision } from "../set-revisions.ts";
import { revisionAnnotation } from "../set-revisions.ts";
import type { GroupState } from "./replica-state.ts";

/** The clique with its strategy paused, or undefined where it does not move anyway. */
export function pausedClique({ object, live }: CliqueState): PodClique | undefined {
  if (object === undefined || !mayMove(object)) return undefined;
  const isMoving = live.some((pod) => templateHash(pod) !== templateHash(object));
  return isMoving
    ? { ...object, spec: { ...object.spec, updateStrategy: paused(object) } }
    : undefined;
}

/** The group with its strategy paused, or undefined where it does not move anyway. */
export function pausedGroup(
  { object, replicas }: GroupState,
  revisions: readonly SetRevision[],
): PodCliqueScalingGroup | undefined {
  if (object === undefined || !mayMove(object)) return undefined;
  const action = object.metadata.annotations?.[revisionAnnotation];
  const hashes = revisions.find(({ name }) => name === action)?.cliqueHashes ?? {};
  const isMoving = [...replicas.values()]
    .flat()
    .some(
      (member) =>
        member.object !== undefined && templateHash(member.object) !== hashes[member.clique],
    );
  return isMoving
    ? { ...object, spec: { ...object.spec, updateStrategy: paused(object) } }
    : undefined;
}

const mayMove = ({ metadata, spec }: PodClique | PodCliqueScalingGroup): boolean =>
  metadata.deletionTimestamp === undefined &&
  isRolling(spec.updateStrategy?.type) &&
  spec.updateStrategy?.paused !== true;

const paused = ({ spec }: PodClique | PodCliqueScalingGroup) => ({
  ...spec.updateStrategy,
  type: spec.updateStrategy?.type ?? ("RollingRecreate" as const),
  paused: true,
});
