/** What a Placement says of itself: the conditions that its users know, its groups, and how far its decisions are. */
import type { PlacementStatus } from "../../api/ocm/placement.ts";
import { clustersOf } from "../../api/ocm/placement.ts";
import { isConflict } from "../../api/status.ts";
import type { PlannedDecision, Schedule } from "../../planner/index.ts";
import type { ConditionText } from "../engine/conditions.ts";
import { mergeConditions } from "../engine/conditions.ts";
import { NameConflictProblem } from "../engine/perform.ts";
import type { Failure } from "../engine/reconcile.ts";
import type { RolloutState } from "../engine/rollout-conditions.ts";
import { rolloutConditions, rolloutConditionTypes } from "../engine/rollout-conditions.ts";
import type { RolloutFigures } from "../engine/rollout-gauges.ts";
import { homesOf } from "./decision-objects.ts";
import type { Observed } from "./observe.ts";
import type { DecisionPlan, Stage } from "./plan.ts";

export const placementConditions = {
  satisfied: "PlacementSatisfied",
  misconfigured: "PlacementMisconfigured",
} as const;

/** Undefined where a race was lost: the next reconcile knows more. */
export function placementStatus(
  observed: Observed,
  planned: DecisionPlan,
  failure: Failure | undefined,
): PlacementStatus | undefined {
  if (failure !== undefined && isConflict(failure.cause)) return undefined;
  const { placement, nowMs } = observed;
  const old = placement.status;
  const isFinal = planned.decided.kind === "done" && failure === undefined;
  const satisfied = isSettled(planned, failure)
    ? [satisfiedCondition(observed, planned, failure)]
    : [];
  const conditions = [
    ...satisfied,
    misconfiguredCondition(planned),
    ...rolloutConditions(reportOf(observed, planned, failure)),
  ].map((condition) => ({ ...condition, observedGeneration: placement.metadata.generation ?? 0 }));
  return {
    ...old,
    ...(isFinal && planned.decided.kind === "done" ? selection(planned.decided.planned) : {}),
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

/** The first that applies, in the order that users of Open Cluster Management know. */
function satisfiedCondition(
  observed: Observed,
  { decided, schedule }: DecisionPlan,
  failure: Failure | undefined,
): ConditionText {
  const { boundSets, eligibleSets, setProblem, clusters, placement } = observed;
  const not = (reason: string, message: string): ConditionText => ({
    type: placementConditions.satisfied,
    status: "False",
    reason,
    message,
  });
  if (boundSets.length === 0) {
    const message = "No valid ManagedClusterSetBindings found in placement namespace";
    return not("NoManagedClusterSetBindings", message);
  }
  if (eligibleSets.length === 0) {
    const wanted = (placement.spec.clusterSets ?? []).join(",");
    return not(
      "NoIntersection",
      `None of ManagedClusterSets [${wanted}] is bound to placement namespace`,
    );
  }
  if (clusters.length === 0 && setProblem === undefined) {
    const message = `All ManagedClusterSets [${eligibleSets.join(",")}] have no member ManagedCluster`;
    return not("AllManagedClusterSetsEmpty", message);
  }
  if (failure !== undefined) return not("NotAllDecisionsScheduled", failure.message);
  if (schedule === undefined) return not("NotAllDecisionsScheduled", decided.reason.message);
  if (schedule.selected === 0) return not("NoManagedClusterMatched", whyNone(observed, schedule));
  if (schedule.unscheduled > 0) {
    return not("NotAllDecisionsScheduled", `${schedule.unscheduled} cluster decisions unscheduled`);
  }
  return {
    type: placementConditions.satisfied,
    status: "True",
    reason: "AllDecisionsScheduled",
    message: "All cluster decisions scheduled",
  };
}

function whyNone({ placement }: Observed, { feasible, tainted }: Schedule): string {
  if (feasible > 0 && placement.spec.numberOfClusters === 0)
    return "spec.numberOfClusters is 0, so no ManagedCluster is selected";
  if (tainted === undefined) return "No ManagedCluster matches any of the cluster predicate";
  const { clusters, first, taint } = tainted;
  const text = `${taint.key}${taint.value === "" ? "" : `=${taint.value}`}:${taint.effect}`;
  const which = `${first} has ${text}`;
  return clusters === 1
    ? `1 ManagedCluster matches, but spec.tolerations does not tolerate its taint: ${which}`
    : `${clusters} ManagedClusters match, but each has a taint that spec.tolerations does not tolerate: ${which}`;
}

const misconfiguredCondition = ({ misconfigured }: DecisionPlan): ConditionText =>
  misconfigured === undefined
    ? {
        type: placementConditions.misconfigured,
        status: "False",
        reason: "Succeedconfigured",
        message: "Placement configurations check pass",
      }
    : {
        type: placementConditions.misconfigured,
        status: "True",
        reason: "Misconfigured",
        message: misconfigured,
      };

function reportOf(observed: Observed, planned: DecisionPlan, failure: Failure | undefined) {
  const listed = new Set(observed.decisions.flatMap(clustersOf));
  const { decided, schedule } = planned;
  const wanted =
    decided.kind === "hold" ? [...listed] : decided.planned.flatMap(({ clusters }) => clusters);
  const desired = schedule?.selected ?? wanted.length;
  return {
    ...stateOf(observed, planned, failure),
    available: wanted.filter((cluster) => listed.has(cluster)).length,
    needed: desired,
    desired,
    noun: "selected cluster",
    served: "listed",
    causes: [],
  };
}

/** Of the gauges: units are the selected clusters, and surge is what decisions list besides them or twice. */
export function figuresOf(observed: Observed, planned: DecisionPlan): RolloutFigures {
  const { available, desired } = reportOf(observed, planned, undefined);
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

function stateOf(
  observed: Observed,
  { decided, misconfigured, stage }: DecisionPlan,
  failure: Failure | undefined,
): RolloutState {
  if (failure !== undefined) {
    const isForPeople = failure.cause instanceof NameConflictProblem;
    return isForPeople
      ? { phase: "stalled", reason: "NameConflict", message: failure.message }
      : { phase: "moving", reason: "WriteFailed", message: writeFailed(failure) };
  }
  if (decided.kind === "hold") {
    const reason = misconfigured === undefined ? "SelectionFailed" : "Misconfigured";
    return { phase: "stalled", reason, message: decided.reason.message };
  }
  if (decided.kind === "done") {
    return { phase: "resting", reason: "RolledOut", message: decided.reason.message };
  }
  const isMove = movesClusters(observed, decided.planned);
  return { phase: "moving", ...((isMove ? undefined : withoutMove[stage]) ?? stageTexts[stage]) };
}

/** Whether a cluster that some decision lists belongs to another one now. */
function movesClusters({ decisions }: Observed, planned: readonly PlannedDecision[]): boolean {
  const homes = homesOf(planned);
  return decisions.some((decision) =>
    clustersOf(decision).some(
      (cluster) => (homes.get(cluster) ?? decision.metadata.name) !== decision.metadata.name,
    ),
  );
}

export const writeFailed = ({ message }: Failure): string =>
  `writing decisions failed and is tried again, what they list stays until then: ${message}`;

const surging = "Surging";
const relabelled = "decisions get the labels of their groups";

export const isSurging = (status: PlacementStatus | undefined): boolean =>
  status?.conditions?.some(
    ({ type, reason }) => type === rolloutConditionTypes.progressing && reason === surging,
  ) === true;

const stageTexts: Readonly<Record<Stage, Omit<RolloutState, "phase">>> = {
  adopt: {
    reason: "Adopting",
    message: "decisions of an earlier Placement of this name are taken over",
  },
  surge: {
    reason: surging,
    message: "clusters move between decisions: each is listed by both until the move is over",
  },
  relabel: { reason: surging, message: relabelled },
  finalize: {
    reason: "Finalizing",
    message: "every decision lists its own clusters; what they list besides is removed",
  },
  delete: { reason: "Finalizing", message: "decisions that are not needed any more are deleted" },
  update: { reason: "Updating", message: "decisions are written in place" },
  none: { reason: "RolledOut", message: "" },
};

/** Where no cluster moves between decisions, what comes before shrinking is no surge. */
const withoutMove: Partial<typeof stageTexts> = {
  surge: {
    reason: "Updating",
    message: "decisions are created or grow: no cluster moves between them",
  },
  relabel: { reason: "Updating", message: relabelled },
};
