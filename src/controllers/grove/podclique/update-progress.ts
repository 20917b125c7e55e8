/** The progress of a clique's update, for its status. */
import { isTerminating } from "../../../api/object.ts";
import type { PodClique, PodCliqueUpdateProgress } from "../../../api/grove/podclique.ts";
import { timeText } from "../../../api/time-text.ts";
import { isUnderWay } from "../update-condition.ts";
import type { Observed } from "./observe.ts";
import type { CliquePodState, Plan } from "./plan.ts";
import { isReleasing, isSurgeReleased } from "./plan.ts";
import { isOnDelete, rollsItself } from "./identity.ts";
import { generationHash, generationOf } from "./templates.ts";

/** Undefined for a clique that was never updated. An update that is not in a written status yet began all the same. */
export function updateProgressOf(
  observed: Observed,
  plan: Plan,
  old: PodCliqueUpdateProgress | undefined,
): PodCliqueUpdateProgress | undefined {
  const { clique, nowMs } = observed;
  const target = targetOf(observed, plan);
  const isForTarget =
    old?.podTemplateHash === target.podTemplateHash &&
    old.podCliqueSetGenerationHash === target.podCliqueSetGenerationHash;
  // An update that is under way follows its clique wherever it is sent, back to where it came from included.
  if (!isForTarget && !isUnderWay(old) && !hasBegun(observed, plan)) return old;
  if (isForTarget && !isUnderWay(old) && !isOutdatedAgain(observed, plan)) return old;
  const now = timeText(nowMs);
  const updateStartedAt = isForTarget && isUnderWay(old) ? old.updateStartedAt : now;
  const isOver = isOnDelete(clique) || plan.decision.kind === "done";
  return {
    updateStartedAt,
    ...(isOver ? { updateEndedAt: now } : unitsOnTheWay(observed, plan)),
    ...releaseOf(clique, plan),
    ...target,
  };
}

const releaseOf = (clique: PodClique, plan: Plan): Pick<PodCliqueUpdateProgress, "surgeReleased"> =>
  isSurgeReleased(clique) || isReleasing(plan) ? { surgeReleased: true } : {};

type Target = Pick<PodCliqueUpdateProgress, "podTemplateHash" | "podCliqueSetGenerationHash">;

function targetOf({ clique, revisions }: Observed, { targetRevision }: Plan): Target {
  const known = clique.status?.updateProgress?.podCliqueSetGenerationHash;
  const current = clique.status?.currentPodCliqueSetGenerationHash;
  return {
    podTemplateHash: targetRevision,
    podCliqueSetGenerationHash: generationHash(clique, revisions) ?? known ?? current ?? "",
  };
}

/** A clique that has been something else before is updated; one that waits for its turn has not begun. */
function hasBegun(observed: Observed, plan: Plan): boolean {
  const { clique, revisions } = observed;
  const current = currentGeneration(observed, plan);
  const generation = generationHash(clique, revisions) ?? current;
  const isDifferent = plan.currentRevision !== plan.targetRevision || generation !== current;
  return (isAsked(clique) || isOnDelete(clique)) && isDifferent;
}

/** The set's revision that the clique has been of so far. */
export function currentGeneration(observed: Observed, plan: Plan): string | undefined {
  const { clique, revisions } = observed;
  const reported = clique.status?.currentPodCliqueSetGenerationHash;
  if (reported !== undefined) return reported;
  return plan.currentRevision === plan.targetRevision
    ? generationHash(clique, revisions)
    : generationOf(plan.currentRevision, revisions);
}

/** A strategy was switched or a partition lowered: what was left alone moves now. A pod that is lost is no update. */
function isOutdatedAgain({ clique }: Observed, { pods, policy, targetRevision }: Plan): boolean {
  if (policy.kind !== "rolling" || !isAsked(clique)) return false;
  return pods.some(
    ({ isLeftover, ordinal, revision }) =>
      !isLeftover && ordinal >= policy.partition && revision !== targetRevision,
  );
}

const isAsked = (clique: PodClique): boolean =>
  rollsItself(clique) && clique.spec.updateStrategy?.paused !== true;

function unitsOnTheWay({ clique }: Observed, plan: Plan): Partial<PodCliqueUpdateProgress> {
  const own = plan.pods.filter(({ isLeftover }) => !isLeftover);
  const names = (holds: (state: CliquePodState) => boolean): string[] =>
    own.filter(holds).map(({ pod }) => pod.metadata.name ?? "");
  const leaving = names(
    (state) => isTerminating(state.pod) && state.revision !== plan.targetRevision,
  );
  const surge = names(
    (state) => !isTerminating(state.pod) && state.ordinal >= clique.spec.replicas,
  );
  const [current] = leaving;
  return {
    ...(current === undefined
      ? {}
      : { readyPodsSelectedToUpdate: { current }, updatingPods: leaving }),
    ...(surge.length === 0 ? {} : { surgePods: surge }),
  };
}
