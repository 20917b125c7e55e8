/** When a rollout last moved, whether its surge was released, and what onStuck asks for: from objects alone. Pure. */
import { conditionOf } from "../../engine/conditions.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import type { Pod } from "../../../api/pod.ts";
import { isReady, podCondition } from "../../../api/pod.ts";
import { parseTime } from "../../../api/time-text.ts";
import { memoizeByIdentity } from "../../engine/memoize.ts";
import { movingSinceMs } from "../../engine/progress-deadline.ts";
import { rolloutConditionTypes } from "../../engine/rollout-conditions.ts";
import { createdAtMs } from "../clique-state.ts";
import type { SetRevision } from "../set-revisions.ts";
import type { ReplicaState } from "./replica-state.ts";
import type { Observed } from "./observe.ts";
import { controllerRevisionResource } from "../../../api/apps.ts";
import type { Decision } from "../../../planner/index.ts";
import type { Write } from "../../engine/write.ts";
import { patchOf, updateOf } from "../../engine/write.ts";
import { withPodsOf } from "../accepted-spec.ts";
import type { Acceptance } from "./accept.ts";

/** On the ControllerRevision of a rollout that continues without its surge. */
const surgeReleasedAnnotation = "lockstep.dev/surge-released";

export const isSurgeReleased = ({ object }: SetRevision): boolean =>
  object.metadata.annotations?.[surgeReleasedAnnotation] === "true";

export function lastProgressMs(
  { set, nowMs }: Observed,
  target: SetRevision,
  replicas: readonly ReplicaState[],
): number {
  const { currentGenerationHash, updateProgress: progress } = set.status ?? {};
  // Another target begins now, whatever happened to the one before.
  if (currentGenerationHash !== undefined && currentGenerationHash !== target.hash) return nowMs;
  const written = [
    progress?.updateStartedAt,
    ...(progress?.currentlyUpdating ?? []).map(({ updateStartedAt }) => updateStartedAt),
    target.object.metadata.creationTimestamp,
  ].map((text) => parseTime(text ?? "") ?? 0);
  const moments = replicas.map((replica) => movedAtMs(replica, target));
  // A rollback that is announced and not written yet is no progress.
  const movingMs = isRollingBack(set) ? 0 : (movingSinceMs(set.status, nowMs) ?? 0);
  const last = [...written, ...moments].reduce((a, b) => Math.max(a, b), movingMs);
  return last === 0 ? nowMs : last;
}

/** When a pod of the target was last created or began to serve in a replica; 0 where there is none. */
const movedAtMs = memoizeByIdentity(({ pods }: ReplicaState, target: SetRevision): number => {
  const hashes = new Set(Object.values(target.cliqueHashes));
  return pods
    .filter(({ metadata }) => hashes.has(metadata.labels?.[labelKeys.podTemplateHash] ?? ""))
    .reduce((last, pod) => Math.max(last, lastMoveMs(pod)), 0);
});

export const rollingBackReason = "RollingBack";

const isRollingBack = ({ status }: PodCliqueSet): boolean =>
  conditionOf(status, rolloutConditionTypes.progressing)?.reason === rollingBackReason;

const lastMoveMs = (pod: Pod): number =>
  isReady(pod)
    ? (parseTime(podCondition(pod, "Ready")?.lastTransitionTime ?? "") ?? 0)
    : createdAtMs(pod);

/** The revision that a set is rolled back to now; undefined where it is not. */
export function rollbackTarget(
  { revisions }: Observed,
  { remedy }: Decision,
  { isAccepted }: Acceptance,
): SetRevision | undefined {
  // A spec that waits to be corrected must not be overwritten.
  if (remedy.kind !== "rollback" || !isAccepted) return undefined;
  return revisions.find(({ name }) => name === remedy.toRevision);
}

export const rollbackWrite = ({ set }: Observed, previous: SetRevision): Write =>
  updateOf(podCliqueSetResource, { ...set, spec: withPodsOf(set.spec, previous) });

/** Recorded with the revision, so that a restarted operator does not bring the surge back. */
export function surgeReleaseWrites({ remedy }: Decision, target: SetRevision): readonly Write[] {
  if (remedy.kind !== "releaseSurge" || isSurgeReleased(target)) return [];
  const body = { metadata: { annotations: { [surgeReleasedAnnotation]: "true" } } };
  const patch = { type: "merge", body } as const;
  return [patchOf(controllerRevisionResource, target.object, { patch })];
}
