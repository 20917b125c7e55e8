/** What the Placement controller brings to the engine. */
import type { Placement, PlacementStatus } from "../../api/ocm/placement.ts";
import { placementResource } from "../../api/ocm/placement.ts";
import { isConflict } from "../../api/status.ts";
import type { EventText } from "../../runtime/event-recorder.ts";
import { keyOf } from "../../runtime/object-store.ts";
import { isConditionTrue } from "../engine/conditions.ts";
import { stillThere } from "../engine/live-reads.ts";
import type { Failure, Kind, KindTools } from "../engine/reconcile.ts";
import { rolloutConditionTypes } from "../engine/rollout-conditions.ts";
import type { RolloutFigures } from "../engine/rollout-gauges.ts";
import { placementEvents } from "./events.ts";
import type { PlacementGauges } from "./gauges.ts";
import type { PlacementReaders } from "./caches.ts";
import type { ClusterUsage } from "./cluster-usage.ts";
import type { Observed } from "./observe.ts";
import { observe } from "./observe.ts";
import type { DecisionPlan } from "./plan.ts";
import { plan } from "./plan.ts";
import { figuresOf, placementStatus, writeFailed } from "./status.ts";

export type PlacementTools = KindTools<Placement, PlacementStatus>;

export interface PlacementSources {
  readonly readers: PlacementReaders;
  readonly usage: ClusterUsage;
}

/** While decisions are being written somebody may wait; what is said then is soon out of date. */
export const isUrgent = (_placement: Placement, status: PlacementStatus): boolean =>
  !isConditionTrue(status, rolloutConditionTypes.progressing);

export function placementReconciler(
  { readers, usage }: PlacementSources,
  { clock, events, memory }: PlacementTools,
  gauges: PlacementGauges,
): Kind<Placement, PlacementStatus, Observed, DecisionPlan> {
  const emitter = placementEvents(events, memory);
  const failures = memory.perOwner<{ last?: Failure | undefined }>(() => ({}));
  /** A status counts the selected clusters, but not those that are listed already. */
  const figures = memory.perOwner<{ last?: RolloutFigures | undefined }>(() => ({}));
  const sources = { readers, usageBesides: (placement: string) => usage.besides(placement) };
  const planned = memory.perOwner<{ key?: string }>(
    () => ({}),
    ({ key }) => key !== undefined && usage.forget(key),
  );
  /** In the same turn as the plan is made, so that whoever is scheduled next counts with it. */
  const count = ({ placement }: Observed, { schedule }: DecisionPlan): void => {
    const key = keyOf(placement);
    planned.of(placement).key = key;
    if (schedule === undefined) usage.forget(key);
    else
      usage.plan(
        key,
        schedule.groups.flatMap(({ clusters }) => clusters),
      );
  };
  return {
    resource: placementResource,
    reports: "afterActing",
    observe: (key) => observe(sources, key, clock.now()),
    objectOf: ({ placement }) => placement,
    plan: (observed) => {
      const decided = plan(observed);
      count(observed, decided);
      return decided;
    },
    // Decisions of a deleted Placement are collected at once, and a new one of its name must not inherit ours.
    guards: ({ placement }, { phases }) =>
      phases.length === 0 ? [] : [stillThere(placementResource, placement)],
    status: (observed, planned, failure) => {
      failures.of(observed.placement).last = failure;
      figures.of(observed.placement).last = figuresOf(observed, planned);
      return placementStatus(observed, planned, failure);
    },
    figures: (placement) => figures.of(placement).last,
    emit: (observed, planned) => {
      gauges.show(observed, planned);
      emitter.emit(observed, planned, failures.of(observed.placement).last);
    },
    failureEvent,
  };
}

function failureEvent(
  _observed: Observed,
  _planned: DecisionPlan,
  failure: Failure,
): EventText | undefined {
  if (isConflict(failure.cause)) return undefined;
  return { type: "Warning", reason: "DecisionsNotWritten", message: writeFailed(failure) };
}
