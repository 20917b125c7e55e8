/** The whole status of a group, rebuilt every time from the same view the decisions were made on. Pure. */
import type {
  RoleBasedGroup,
  RoleBasedGroupStatus,
  RoleStatus,
} from "../../api/rbg/rolebasedgroup.ts";
import { isPaused } from "../../api/rbg/labels.ts";
import { isSameJson } from "../../api/same-json.ts";
import { isReadyUnit } from "../../planner/index.ts";
import type { ConditionText } from "../engine/conditions.ts";
import { mergeConditions } from "../engine/conditions.ts";
import type { RolloutState } from "../engine/rollout-conditions.ts";
import { rolloutConditions } from "../engine/rollout-conditions.ts";
import type { RolloutFigures } from "../engine/rollout-gauges.ts";
import { batchStates } from "./batch-state.ts";
import { coordinationState, turnsOf } from "./coordination-state.ts";
import type { RoleHashes } from "./group-revisions.ts";
import type { Observed, ObservedRole } from "./observe.ts";
import type { GroupPlan } from "./plan.ts";
import { isRoleReady } from "./plan.ts";
import { standOf } from "./rollout-state.ts";
import { scalingState } from "./scaling.ts";

export function groupStatus(observed: Observed, plan: GroupPlan): RoleBasedGroupStatus {
  const { group, nowMs } = observed;
  const stands = plan.rollouts.map((rollout) => ({
    rollout,
    stand: standOf(observed, rollout, plan),
  }));
  const scaling = scalingState(observed, plan);
  const whole = wholeState([
    ...stands.map(({ stand }) => stand),
    ...(scaling === undefined ? [] : [scaling]),
  ]);
  const hashes = plan.target.roleHashes;
  const states = [
    ...stands.flatMap((each) => coordinationState(each, { group, hashes, nowMs }) ?? []),
    ...batchStates(
      observed,
      stands.map(({ stand }) => stand),
      hashes,
    ),
  ];
  const ours = [
    readyCondition(observed.roles),
    ...conditionsOf(
      observed,
      plan,
      whole,
      stands.flatMap(({ stand }) => stand.causes),
    ),
  ];
  const isComplete = whole.phase === "resting" && whole.reason === "RolledOut";
  const { name } = plan.target;
  return {
    observedGeneration: group.metadata.generation ?? 0,
    conditions: mergeConditions(group.status?.conditions, ours, nowMs),
    roleStatuses: observed.roles.map((role) => roleStatus(role, hashes)),
    ...(states.length === 0 ? {} : { coordinationState: states }),
    ...(plan.restarts.records.length === 0 ? {} : { restarts: plan.restarts.records }),
    currentRevision: isComplete ? name : (group.status?.currentRevision ?? name),
    updateRevision: name,
  };
}

/** What is wrong is all that can be said of a group whose spec cannot be followed; nothing of it is touched. */
export function rejectedStatus({ group, problems, nowMs }: Observed): RoleBasedGroupStatus {
  const message = `the spec cannot be followed, so nothing is changed: ${problems.join("; ")}`;
  const stalled = { phase: "stalled", reason: "InvalidSpec", message } as const;
  const report = { ...stalled, available: 0, needed: 0, desired: 0, noun: "role", causes: [] };
  const ours = rolloutConditions(report).filter(({ type }) => type !== "Available");
  const ready = { type: "Ready", status: "False", reason: "InvalidSpec", message } as const;
  return {
    ...group.status,
    observedGeneration: group.metadata.generation ?? 0,
    conditions: mergeConditions(group.status?.conditions, [ready, ...ours], nowMs),
  };
}

/** What the gauges show of a group: its pods, whatever their role. */
export function figuresOf(group: RoleBasedGroup, status: RoleBasedGroupStatus): RolloutFigures {
  const { roleStatuses = [], conditions = [], currentRevision, updateRevision } = status;
  const counted = group.spec.roles.map(({ name, replicas = 1 }) => ({
    replicas,
    now: roleStatuses.find((role) => role.name === name),
  }));
  const sum = (count: (role: (typeof counted)[number]) => number): number =>
    counted.reduce((all, role) => all + Math.min(role.replicas, count(role)), 0);
  const moving = conditions.find(({ type, status: is }) => type === "Progressing" && is === "True");
  return {
    desired: sum(({ replicas }) => replicas),
    available: sum(({ now }) => now?.availableReplicas ?? 0),
    updated: sum(({ now }) => now?.updatedReplicas ?? 0),
    surge: 0,
    paused: isPaused(group),
    isOutdated: currentRevision !== updateRevision,
    outdatedSince: moving?.lastTransitionTime,
  };
}

function roleStatus({ role, seen }: ObservedRole, hashes: RoleHashes): RoleStatus {
  const count = (holds: (unit: (typeof seen.units)[number]) => boolean): number =>
    seen.units.filter(holds).length;
  return {
    name: role.name,
    replicas: seen.units.length,
    readyReplicas: count(isReadyUnit),
    updatedReplicas: count(
      ({ revision, health }) => revision === hashes[role.name] && health !== "terminating",
    ),
    availableReplicas: count(({ health }) => health === "available"),
  };
}

function readyCondition(roles: readonly ObservedRole[]): ConditionText {
  const unready = roles.filter((each) => each.role.replicas < each.wanted || !isRoleReady(each));
  if (unready.length === 0) {
    const message =
      roles.length === 1 ? "its role is ready" : `all ${roles.length} roles are ready`;
    return { type: "Ready", status: "True", reason: "AllRolesReady", message };
  }
  const parts = unready.map(({ role, wanted, seen }) => {
    const ready = seen.units.filter(isReadyUnit);
    return `${role.name} has ${ready.length} of ${wanted} ready`;
  });
  return { type: "Ready", status: "False", reason: "RoleNotReady", message: parts.join("; ") };
}

/** Stalled before moving before at rest; what all rest for is said once. */
function wholeState(stands: readonly RolloutState[]): RolloutState {
  const of = (phase: RolloutState["phase"]): readonly RolloutState[] =>
    stands.filter((stand) => stand.phase === phase);
  const phase =
    of("stalled").length > 0 ? "stalled" : of("moving").length > 0 ? "moving" : "resting";
  const reporting =
    phase === "resting" ? stands.filter(({ reason }) => reason !== "RolledOut") : of(phase);
  const [first] = reporting;
  if (first === undefined) {
    return { phase, reason: "RolledOut", message: "every role runs the revision of the spec" };
  }
  const isFailing = ({ reason }: RolloutState): boolean => reason === "RoleFailing";
  const failing = reporting.filter(isFailing);
  const { reason } = failing[0] ?? first;
  const gravestFirst = [...failing, ...reporting.filter((stand) => !isFailing(stand))];
  const messages = new Set(gravestFirst.map(({ message }) => message));
  return { phase, reason, message: [...messages].join("; ") };
}

function conditionsOf(
  { roles }: Observed,
  { rollouts }: GroupPlan,
  state: RolloutState,
  podCauses: readonly string[],
): readonly ConditionText[] {
  const short = rollouts.flatMap(({ roles: members, policy }) =>
    members.flatMap(({ role, wanted, seen }) => {
      const available = seen.units.filter(({ health }) => health === "available").length;
      const budget = policy.limits[role.name]?.maxUnavailable ?? 1;
      const needed = Math.max(Math.min(1, wanted), wanted - budget);
      if (available >= needed) return [];
      return [`${role.name} has ${available} of ${wanted} pods available, ${needed} needed`];
    }),
  );
  const conditions = rolloutConditions({
    ...state,
    available: roles.length - short.length,
    needed: roles.length,
    desired: roles.length,
    noun: "role",
    causes: podCauses,
  });
  return conditions.map((condition) =>
    condition.type === "Available" && short.length > 0
      ? { ...condition, message: `${condition.message}; ${short.join("; ")}` }
      : condition,
  );
}

/** Whether somebody waits for what this status says and the written one does not: more than counters and sentences. */
export const isUrgent = (group: RoleBasedGroup, status: RoleBasedGroupStatus): boolean =>
  group.status === undefined || !isSameJson(turns(group.status), turns(status));

const turns = ({
  conditions = [],
  coordinationState: states = [],
  ...rest
}: RoleBasedGroupStatus) => ({
  generation: rest.observedGeneration,
  revisions: [rest.currentRevision, rest.updateRevision],
  // A replacement that is not recorded would not be waited for.
  restarts: (rest.restarts ?? []).map(({ name, count }) => [name, count]),
  // Ready comes and goes with every step; whoever waits for it waits for the end of the rollout.
  conditions: conditions
    .filter(({ type }) => type !== "Ready")
    .map(({ type, status, reason }) => [type, status, reason]),
  states: states.map((state) => [state.name, turnsOf(state)]),
});
