/** One reconcile of a scaling group: observe, plan, report, act. */
import type {
  PodCliqueScalingGroup,
  ScalingGroupStatus,
} from "../../../api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import { nameConflicts } from "../orphans.ts";
import type { Clock } from "../../../runtime/clock.ts";
import type { Outcome, Reconcile } from "../../../runtime/controller.ts";
import type { EventRecorder } from "../../../runtime/event-recorder.ts";
import type { Look } from "../../engine/reconcile.ts";
import { attended } from "../../engine/reconcile.ts";
import type { ClaimKeeper } from "../claim-keeper.ts";
import { isStillThere, lookAgainMs } from "../../engine/live-reads.ts";
import { earliestRequeue } from "../../engine/requeue.ts";
import { StatusReporter } from "../../engine/status-writer.ts";
import { act } from "./act.ts";
import { claimNeeds } from "./claims.ts";
import type { Observed, ScalingGroupCaches } from "./observe.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { isFreeToStart } from "./free-to-start.ts";
import { groupStatus } from "./status.ts";

export interface ReconcileOptions {
  readonly caches: ScalingGroupCaches;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly claims: ClaimKeeper;
}

export function scalingGroupReconcile(options: ReconcileOptions): Reconcile {
  const { caches, clock, events, claims } = options;
  const resource = scalingGroupResource;
  const reporter = new StatusReporter<ScalingGroupStatus, PodCliqueScalingGroup>({
    clock,
    resource,
    isUrgent,
  });
  return attended<Observed>({
    resource,
    events,
    nameConflicts,
    observe: (key) => observe(caches, key, clock.now()),
    forget: (owner) => {
      claims.forget(owner);
      reporter.forget(owner);
    },
    objectOf: ({ group }) => group,
    orphansOf: ({ orphans }) => orphans,
    attend: (look) => attend({ ...options, reporter }, look),
  });
}

interface Companions extends ReconcileOptions {
  readonly reporter: StatusReporter<ScalingGroupStatus, PodCliqueScalingGroup>;
}

async function attend(
  { events, claims, reporter }: Companions,
  { client, deletes, owner, observed }: Look<Observed>,
): Promise<Outcome | void> {
  const planned = plan(observed);
  const isMakingAgain = planned.births.length > 0 && observed.group.status !== undefined;
  if (isMakingAgain && !(await isStillThere(client, scalingGroupResource, observed.group))) {
    return undefined;
  }
  const status = groupStatus(observed, planned);
  const tellAfterMs = await reporter.tell(client, owner, observed.group, status);
  const mayStart = planned.births.length === 0 || (await isFreeToStart(client, observed));
  const acted = mayStart ? planned : { ...planned, births: [] };
  const claimsAfterMs = await claims.keep(client, owner, claimNeeds(observed, acted));
  await act({ client, deletes, events, owner }, observed, acted);
  const lookAfterMs = mayStart ? undefined : lookAgainMs;
  const { decision, terminateInMs } = planned;
  const dueMs = [decision.recheckAfterMs, terminateInMs, claimsAfterMs];
  return earliestRequeue(...dueMs, tellAfterMs, lookAfterMs);
}

/** Counters may wait a moment; what others act on may not. */
const isUrgent = ({ status: before }: PodCliqueScalingGroup, after: ScalingGroupStatus): boolean =>
  before === undefined || phaseOf(before) !== phaseOf(after);

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
