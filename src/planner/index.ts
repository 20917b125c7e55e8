/** What the rest of Lockstep may ask of the planner. */
export type { Budget } from "./budget.ts";
export { decide } from "./decide.ts";
export type {
  Action,
  CreateAction,
  Decision,
  DeleteAction,
  Hold,
  Reason,
  ReasonCode,
  Remedy,
  ReplaceAction,
  Step,
  Wait,
} from "./decision.ts";
export {
  foresee,
  usualPace,
  type Foresight,
  type ForeseenStep,
  type Pace,
  type FleetCounts,
} from "./foresee.ts";
export type { Ordering } from "./ordering.ts";
export { partsToCreate, unitOfParts, type Part, type PartedUnit } from "./parts.ts";
export { resolveAmount, resolveBudget, resolveStatefulSetBudget, type Amount } from "./percent.ts";
export {
  cliquePolicy,
  onDeletePolicy,
  replicaRecreatePolicy,
  scalingGroupPolicy,
  statefulSetPolicy,
  type BrokenUnits,
  type OnDeletePolicy,
  type Pacing,
  type Policy,
  type RollingPolicy,
} from "./policy.ts";
export { progressOf, type Progress } from "./progress.ts";
export {
  nothingRequested,
  type Deadline,
  type OnStuck,
  type RequestedWrites,
  type Rollout,
  type Snapshot,
} from "./rollout.ts";
export { isOutdated, isReadyUnit, type Unit, type UnitHealth } from "./unit.ts";
export {
  decideBatches,
  layOutBatches,
  openBatches,
  type Batch,
  type BatchDecision,
  type BatchLayout,
  type BatchMode,
  type BatchRole,
  type BatchSnapshot,
} from "./affinity-batches.ts";
export type {
  CoordinatedRole,
  CoordinationPolicy,
  CoordinationSnapshot,
  Cursor,
  StepProgress,
} from "./coordination/coordinated-roles.ts";
export type {
  CoordinationDecision,
  CoordinationReason,
  RoleDecision,
} from "./coordination/coordination-decision.ts";
export { decideCoordination } from "./coordination/decide-coordination.ts";
export {
  foreseeCoordination,
  type ForeseenCoordination,
  type ForeseenCoordinationStep,
  type ForeseenRole,
} from "./coordination/foresee-coordination.ts";
export {
  resolveCoordination,
  type CoordinationAmounts,
  type ResolvedCoordination,
} from "./coordination/resolve-coordination.ts";
export {
  scaleTogether,
  type ScaledRole,
  type ScalingPolicy,
  type ScalingProgression,
} from "./coordination/scale-together.ts";
export type {
  ClusterGroup,
  ClusterRolloutDecision,
  ClusterRolloutPolicy,
  ClusterRolloutReason,
  ClusterState,
  GroupReference,
  KnownCluster,
} from "./cluster-rollout/cluster-rollout.ts";
export { decideClusterRollout } from "./cluster-rollout/decide-cluster-rollout.ts";
export { isRolloutSize, progressDeadlineMs } from "./cluster-rollout/rollout-size.ts";
export {
  trackDecisions,
  type HiddenGroup,
  type TrackedDecision,
  type TrackedDecisions,
} from "./cluster-rollout/track-decisions.ts";
export { applyWrite } from "./placement/apply-write.ts";
export type {
  Candidate,
  ClusterFigures,
  Taint,
  Toleration,
  Weights,
} from "./placement/candidates.ts";
export { type GroupSize } from "./placement/decision-groups.ts";
export type {
  DecisionGroup,
  DecisionUpdateStrategy,
  DecisionWrite,
  ObservedDecision,
  PlacementSnapshot,
  PlannedDecision,
  Selection,
  WritePhase,
} from "./placement/decisions.ts";
export { decisionNumber, maxClustersPerDecision } from "./placement/lay-out-decisions.ts";
export {
  planPlacement,
  type PlacementPlan,
  type PlacementPolicy,
} from "./placement/plan-placement.ts";
export { type Score } from "./placement/prioritizers.ts";
export { scheduleClusters, type Schedule, type SchedulingPolicy } from "./placement/schedule.ts";
