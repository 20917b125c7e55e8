/** What the PodCliqueScalingGroup controller brings to the engine. */
import { eventReasons } from "../../../api/grove/conditions.ts";
import type {
  PodCliqueScalingGroup,
  ScalingGroupStatus,
} from "../../../api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import { stillThere } from "../../engine/live-reads.ts";
import type { Kind, KindTools } from "../../engine/reconcile.ts";
import { claimsRead } from "../align-claims.ts";
import type { ClaimWatch } from "../claim-watch.ts";
import { adoptionOf, nameConflicts } from "../orphans.ts";
import type { Observed, ScalingGroupReaders } from "./observe.ts";
import { observe } from "./observe.ts";
import type { Plan } from "./plan.ts";
import { plan } from "./plan.ts";
import { groupStatus } from "./status.ts";

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
  plan: (observed) => {
    const planned = plan(observed);
    if (planned.claims === undefined) return planned;
    return { ...planned, phases: [claimsRead(planned.claims, claims.start), ...planned.phases] };
  },
  status: groupStatus,
  emit: ({ group }, { terminated }) => {
    const reason = eventReasons.scalingGroupReplicaDeleted;
    for (const index of terminated) {
      const message = `replica ${index} starts over: it was below minAvailable for longer than terminationDelay`;
      events.record(group, { type: "Warning", reason, message });
    }
  },
});

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
