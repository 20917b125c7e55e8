/** What the PodCliqueScalingGroup controller brings to the engine. */
import { eventReasons } from "../../../api/grove/conditions.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import type {
  PodCliqueScalingGroup,
  ScalingGroupStatus,
} from "../../../api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import { stillThere } from "../../engine/live-reads.ts";
import type { Kind, KindTools } from "../../engine/reconcile.ts";
import type { Write } from "../../engine/write.ts";
import { surgeReleasedEvent } from "../update-condition.ts";
import { sizeProblem } from "../../engine/size-limits.ts";
import type { ClaimWatch } from "../claim-watch.ts";
import { adoptionOf, nameConflicts } from "../orphans.ts";
import type { Observed, ScalingGroupReaders } from "./observe.ts";
import { observe } from "./observe.ts";
import type { Plan } from "./plan.ts";
import { isSurgeReleased, plan } from "./plan.ts";
import { figuresOf, groupStatus } from "./status.ts";

export const scalingGroupReconciler = (
  readers: ScalingGroupReaders,
  { clock, events }: KindTools<PodCliqueScalingGroup, ScalingGroupStatus>,
  claims: ClaimWatch,
): Kind<PodCliqueScalingGroup, ScalingGroupStatus, Observed, Plan> => ({
  resource: scalingGroupResource,
  reports: "beforeActing",
  nameConflicts,
  adoption: adoptionOf(({ orphans }) => orphans),
  observe: (key) => observe(readers, key, clock.now()),
  objectOf: ({ group }) => group,
  guards: ({ group }, { creations }) =>
    creations.length > 0 && group.status !== undefined
      ? [stillThere(scalingGroupResource, group)]
      : [],
  tooLarge: ({ group, spec }) => {
    const parts = group.spec.cliqueNames.reduce((sum, member) => {
      const template = spec.template.cliques.find(({ name }) => name === member);
      return sum + 1 + (template?.spec.replicas ?? 1);
    }, 0);
    const count = (group.spec.replicas ?? 1) * parts;
    return sizeProblem("spec.replicas", count, "cliques and pods");
  },
  plan: (observed) => claims.first(plan(observed)),
  status: groupStatus,
  figures: figuresOf,
  performedActions: (observed, writes) => ({
    about: observed.set,
    actions: { removed: removedReplicas(observed, writes) },
  }),
  emit: (observed, { terminated, decision }, status) => {
    const { group, set } = observed;
    if (!isSurgeReleased(observed) && status?.updateProgress?.surgeReleased === true) {
      const causes = observed.replicas.flatMap(({ members }) =>
        members.flatMap((member) => member.causes),
      );
      events.record(set, surgeReleasedEvent(decision, causes));
    }
    const reason = eventReasons.scalingGroupReplicaDeleted;
    for (const index of terminated) {
      const message = `replica ${index} starts over: it was below minAvailable for longer than terminationDelay`;
      events.record(group, { type: "Warning", reason, message });
    }
  },
});

/** Replicas of which a member was deleted. */
function removedReplicas({ group, replicas }: Observed, writes: readonly Write[]): string[] {
  const deleted = new Set(
    writes.flatMap((write) =>
      write.verb === "delete" && write.resource === podCliqueResource ? [write.uid] : [],
    ),
  );
  return replicas
    .filter(({ members }) => members.some(({ object }) => deleted.has(object?.metadata.uid ?? "")))
    .map(({ index }) => `${group.metadata.name}-${index}`);
}

/** Counters may wait a moment; what others act on may not. */
export const isUrgent = (
  { status: before }: PodCliqueScalingGroup,
  after: ScalingGroupStatus,
): boolean => before === undefined || phaseOf(before) !== phaseOf(after);

function phaseOf(status: ScalingGroupStatus): string {
  const { observedGeneration, observedRevision, conditions, updateProgress, ...rest } = status;
  return JSON.stringify([
    observedGeneration,
    observedRevision,
    rest.currentPodCliqueSetGenerationHash,
    updateProgress?.podCliqueSetGenerationHash,
    updateProgress?.updateEndedAt,
    updateProgress?.surgeReleased,
    (conditions ?? []).map(({ type, status: value }) => `${type}=${value}`).toSorted(),
  ]);
}
