/** `status.coordinationState`: where every coordination stands, in words and numbers. Pure. */
import type { CoordinationState, RoleBasedGroup } from "../../api/rbg/rolebasedgroup.ts";
import { isSameJson } from "../../api/same-json.ts";
import { timeText } from "../../api/time-text.ts";
import type { StepProgress } from "../../planner/index.ts";
import type { RoleHashes } from "./group-revisions.ts";
import type { ObservedRole } from "./observe.ts";
import { promotionText } from "./promotion.ts";
import type { RolloutStand } from "./rollout-state.ts";
import type { Rollout } from "./rollouts.ts";

interface Stood {
  readonly rollout: Rollout;
  readonly stand: RolloutStand;
}

interface Context {
  readonly group: RoleBasedGroup;
  readonly hashes: RoleHashes;
  readonly nowMs: number;
}

/** Undefined for a role on its own, which roleStatuses and conditions are enough for. */
export function coordinationState(
  { rollout, stand }: Stood,
  { group, hashes, nowMs }: Context,
): CoordinationState | undefined {
  const { coordination, decision, revision, roles } = rollout;
  if (coordination === undefined) return undefined;
  const { name } = coordination;
  const messages = new Map(stand.roles.map((role) => [role.role, role]));
  const next: CoordinationState = {
    name,
    state: stand.state,
    message: stand.message,
    revision,
    progress: Object.fromEntries(
      roles.map((role) => {
        const { state = "Waiting", message = "" } = messages.get(role.role.name) ?? {};
        return [
          role.role.name,
          { strategy: "RollingUpdate", state, ...countsOf(role, hashes), message },
        ];
      }),
    ),
    ...stepFields(name, decision?.steps, stand),
  };
  return withUpdateTime(group, next, nowMs);
}

/** When it entered its state: as long as it is in the same one, the time that is written stays. */
export function withUpdateTime(
  group: RoleBasedGroup,
  next: CoordinationState,
  nowMs: number,
): CoordinationState {
  const before = group.status?.coordinationState?.find(({ name }) => name === next.name);
  const isSame = before !== undefined && isSameJson(turnsOf(before), turnsOf(next));
  return { ...next, lastUpdateTime: isSame ? before.lastUpdateTime : timeText(nowMs) };
}

/** What makes a new state, counters and sentences aside. */
export function turnsOf({ state, revision, progress = {}, steps, promotion }: CoordinationState) {
  const roles = Object.entries(progress).map(([role, each]) => [role, each.state]);
  return { state, revision, roles: Object.fromEntries(roles), steps, promotion };
}

export function countsOf({ role, wanted, seen }: ObservedRole, hashes: RoleHashes) {
  const updated = seen.units.filter(
    ({ revision, health }) => revision === hashes[role.name] && health !== "terminating",
  );
  return {
    replicas: wanted,
    updatedReplicas: updated.length,
    availableReplicas: updated.filter(({ health }) => health === "available").length,
  };
}

function stepFields(
  name: string,
  steps: StepProgress | undefined,
  { state }: RolloutStand,
): Pick<CoordinationState, "steps" | "promotion"> {
  if (steps === undefined) return {};
  const { revision, passed, reachedAtMs } = steps;
  const reached = reachedAtMs === undefined ? {} : { reachedAt: timeText(reachedAtMs) };
  const isWaiting = state === "AwaitingPromotion";
  return {
    steps: { revision, passed, ...reached },
    ...(isWaiting ? { promotion: promotionText(name, { revision, passed: passed + 1 }) } : {}),
  };
}
