/** What a Placement says of itself: the conditions that its users know, its groups, and how far its decisions are. */
import type { PlacementStatus } from "../../api/ocm/placement.ts";
import { clustersOf } from "../../api/ocm/placement.ts";
import { isConflict } from "../../api/status.ts";
import type { PlannedDecision } from "../../planner/index.ts";
import { mergeConditions } from "../engine/conditions.ts";
import type { Failure } from "../engine/reconcile.ts";
import { rolloutConditions } from "../engine/rollout-conditions.ts";
import type { RolloutFigures } from "../engine/rollout-gauges.ts";
import type { Observed } from "./observe.ts";
import type { DecisionPlan } from "./plan.ts";
import { misconfiguredCondition, satisfiedCondition } from "./satisfied.ts";
import { stateOf } from "./state.ts";

/** Undefined where a race was lost: the next reconcile knows more. */
export function placementStatus(
  observed: Observed,
  planned: DecisionPlan,
  failure: Failure | undefined,
): PlacementStatus | undefined {
  if (failure !== undefined && isConflict(failure.cause)) return undefined;
  const { placement, nowMs } = observed;
  const { decided } = planned;
  const old = placement.status;
  const satisfied = isSettled(planned, failure)
    ? [satisfiedCondition(observed, planned, failure)]
    : [];
  const counts = countsOf(observed, planned);
  const conditions = [
    ...satisfied,
    misconfiguredCondition(planned),
    ...rolloutConditions({
      ...stateOf(observed, planned, failure),
      ...counts,
      needed: counts.desired,
      noun: "selected cluster",
      served: "listed",
      causes: [],
    }),
  ].map((condition) => ({ ...condition, observedGeneration: placement.metadata.generation ?? 0 }));
  return {
    ...old,
    ...(decided.kind === "done" && failure === undefined ? selection(decided.planned) : {}),
    conditions: mergeConditions(old?.conditions, conditions, nowMs),
  };
}

/** While decisions are being written, what was said of the selection before stays true. */
const isSettled = ({ stage }: DecisionPlan, failure: Failure | undefined): boolean =>
  stage === "none" || failure !== undefined;

function selection(
  planned: readonly PlannedDecision[],
): Pick<PlacementStatus, "numberOfSelectedClusters" | "decisionGroups"> {
  const groups = new Map<number, PlannedDecision[]>();
  for (const decision of planned) {
    groups.set(decision.group.index, [...(groups.get(decision.group.index) ?? []), decision]);
  }
  return {
    numberOfSelectedClusters: clusterCount(planned),
    decisionGroups: [...groups].map(([index, decisions]) => ({
      decisionGroupIndex: index,
      decisionGroupName: decisions[0]?.group.name ?? "",
      decisions: decisions.map(({ name }) => name),
      clusterCount: clusterCount(decisions),
    })),
  };
}

const clusterCount = (decisions: readonly PlannedDecision[]): number =>
  decisions.reduce((sum, { clusters }) => sum + clusters.length, 0);

/** How many clusters are selected, and how many of them some decision lists. */
function countsOf({ decisions }: Observed, { decided, schedule }: DecisionPlan) {
  const listed = new Set(decisions.flatMap(clustersOf));
  const wanted =
    decided.kind === "hold" ? [...listed] : decided.planned.flatMap(({ clusters }) => clusters);
  const available = wanted.filter((cluster) => listed.has(cluster)).length;
  return { desired: schedule?.selected ?? wanted.length, available };
}

/** Of the gauges: units are the selected clusters, and surge is what decisions list besides them or twice. */
export function figuresOf(observed: Observed, planned: DecisionPlan): RolloutFigures {
  const { available, desired } = countsOf(observed, planned);
  const listed = observed.decisions.flatMap(clustersOf).length;
  return {
    desired,
    available,
    updated: available,
    surge: Math.max(0, listed - available),
    // Nothing is reported of a Placement whose scheduling is disabled.
    paused: false,
    isOutdated: false,
  };
}
