/** One reconcile of a scaling group: observe, plan, report, act. */
import { scalingGroupResource } from "../../api/grove/scaling-group.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Outcome, Reconcile } from "../../runtime/controller.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import { QuietStatus } from "../quiet-status.ts";
import { UnconfirmedDeletes } from "../unconfirmed-deletes.ts";
import { act } from "./act.ts";
import type { ScalingGroupCaches } from "./observe.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { groupStatus } from "./status.ts";

export interface ReconcileOptions {
  readonly caches: ScalingGroupCaches;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

export function scalingGroupReconcile({ caches, clock, events }: ReconcileOptions): Reconcile {
  const deletes = new UnconfirmedDeletes();
  const statuses = new QuietStatus(clock);
  return async (key, client) => {
    const owner = `${key.namespace}/${key.name}`;
    if (await deletes.confirm(client, owner)) return { recheckAfterMs: 0 };
    const observed = observe(caches, key, clock.now());
    if (observed === undefined) return statuses.forget(owner);
    if (observed.group.metadata.deletionTimestamp !== undefined) return undefined;
    const planned = plan(observed);
    const tellAfterMs = await statuses.write(client, owner, {
      resource: scalingGroupResource,
      object: observed.group,
      status: groupStatus(observed, planned),
      phase: phaseOf,
    });
    await act({ client, deletes, events, owner }, observed, planned);
    return soonest(planned.decision.recheckAfterMs, planned.terminateInMs, tellAfterMs);
  };
}

export function soonest(...delays: readonly (number | undefined)[]): Outcome {
  const known = delays.filter((delay) => delay !== undefined);
  return known.length === 0 ? {} : { recheckAfterMs: Math.max(0, Math.min(...known)) };
}

/** Counters may wait a moment; what others act on may not. */
function phaseOf(status: Readonly<Record<string, unknown>>): string {
  const { observedGeneration, conditions, updateProgress, currentPodCliqueSetGenerationHash } =
    status as {
      observedGeneration?: number;
      conditions?: readonly { type: string; status: string }[];
      updateProgress?: { updateEndedAt?: string; podCliqueSetGenerationHash: string };
      currentPodCliqueSetGenerationHash?: string;
    };
  return JSON.stringify([
    observedGeneration,
    currentPodCliqueSetGenerationHash,
    updateProgress?.podCliqueSetGenerationHash,
    updateProgress?.updateEndedAt,
    (conditions ?? []).map(({ type, status: value }) => `${type}=${value}`).toSorted(),
  ]);
}
