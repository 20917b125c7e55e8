/** How far the decisions of a Placement are, and what is being done about them. */
import type { PlacementStatus } from "../../api/ocm/placement.ts";
import { clustersOf } from "../../api/ocm/placement.ts";
import type { PlannedDecision } from "../../planner/index.ts";
import { NameConflictProblem } from "../engine/perform.ts";
import type { Failure } from "../engine/reconcile.ts";
import type { RolloutState } from "../engine/rollout-conditions.ts";
import { rolloutConditionTypes } from "../engine/rollout-conditions.ts";
import { homesOf } from "./decision-objects.ts";
import type { Observed } from "./observe.ts";
import type { DecisionPlan, Stage } from "./plan.ts";

export function stateOf(
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
