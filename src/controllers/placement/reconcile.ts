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
import type { Observed, PlacementSources } from "./observe.ts";
import { observe } from "./observe.ts";
import type { DecisionPlan } from "./plan.ts";
import { plan } from "./plan.ts";
import { isSurging, writeFailed } from "./state.ts";
import { figuresOf, placementStatus } from "./status.ts";

export type PlacementTools = KindTools<Placement, PlacementStatus>;

/** What is kept of one Placement between two reconciles. */
interface Kept {
  /** Under which its clusters count in Balance of others. */
  key?: string;
  failure?: Failure | undefined;
  /** A status counts the selected clusters, but not those that are listed already. */
  figures?: RolloutFigures;
}

/** That a surge begins, and the end of everything. What else is said of writing decisions is soon out of date. */
export const isUrgent = (placement: Placement, status: PlacementStatus): boolean =>
  !isConditionTrue(status, rolloutConditionTypes.progressing) ||
  (isSurging(status) && !isSurging(placement.status));

export function placementReconciler(
  sources: PlacementSources,
  { clock, events, memory }: PlacementTools,
  gauges: PlacementGauges,
): Kind<Placement, PlacementStatus, Observed, DecisionPlan> {
  const { usage } = sources;
  const emitter = placementEvents(events, memory);
  const kept = memory.perOwner<Kept>(
    () => ({}),
    ({ key }) => key !== undefined && usage.forget(key),
  );
  /** In the same turn as the plan is made, so that whoever is scheduled next counts with it. */
  const count = ({ placement }: Observed, { schedule }: DecisionPlan): void => {
    const key = keyOf(placement);
    kept.of(placement).key = key;
    if (schedule === undefined) return usage.forget(key);
    const clusters = schedule.groups.flatMap((group) => group.clusters);
    return usage.plan(key, clusters);
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
      const figures = figuresOf(observed, planned);
      Object.assign(kept.of(observed.placement), { failure, figures });
      return placementStatus(observed, planned, failure);
    },
    figures: (placement) => kept.of(placement).figures,
    emit: (observed, planned) => {
      gauges.show(observed, planned);
      emitter.emit(observed, planned, kept.of(observed.placement).failure);
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
