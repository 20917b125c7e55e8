/** Roles that are scaled together: how many units each may have now, and in words what the others wait for. Pure. */
import type { ScalingCoordination } from "../../api/rbg/coordination.ts";
import type { DefaultedRole } from "../../api/rbg/defaults.ts";
import { timeText } from "../../api/time-text.ts";
import type { ScaledRole, ScalingProgression } from "../../planner/index.ts";
import { isReadyUnit, scaleTogether } from "../../planner/index.ts";
import { defaultProgressDeadlineSeconds } from "../engine/progress-deadline.ts";
import type { RolloutState } from "../engine/rollout-conditions.ts";
import type { Observed, ObservedRole } from "./observe.ts";
import type { GroupPlan } from "./plan.ts";
import type { ObservedWorkload } from "./role-workload.ts";
import { stallsInMs } from "./rollout-state.ts";

interface SeenRole {
  readonly role: DefaultedRole;
  readonly seen: ObservedWorkload;
}

export interface Scaling {
  /** By role; roles that nothing scales together are not in it. */
  readonly sizes: ReadonlyMap<string, number>;
  /** What the next units wait for, by coordination. */
  readonly waits: readonly string[];
}

/** Where a role is in several coordinations, the smallest of its sizes counts. */
export function scalingOf(
  scalings: readonly ScalingCoordination[],
  roles: readonly SeenRole[],
): Scaling {
  const sizes = new Map<string, number>();
  const waits: string[] = [];
  for (const { name, roles: members, ...policy } of scalings) {
    const scaled = roles.filter(({ role }) => members.includes(role.name)).map(scaledRole);
    const decision = scaleTogether(scaled, policy);
    for (const { role, size } of decision.sizes)
      sizes.set(role, Math.min(size, sizes.get(role) ?? size));
    const { waitsFor } = decision;
    if (waitsFor.length > 0)
      waits.push(
        `${name} waits until ${waitsFor.join(" and ")} ${untilText(waitsFor, policy.progression)}`,
      );
  }
  return { sizes, waits };
}

function untilText(roles: readonly string[], progression: ScalingProgression): string {
  const have = roles.length === 1 ? "has" : "have";
  return progression === "OrderReady" ? `${have} every pod ready` : `${have} a node for every pod`;
}

function scaledRole({ role, seen }: SeenRole): ScaledRole {
  const { units, size } = seen;
  const count = (holds: (unit: (typeof units)[number]) => boolean): number =>
    units.filter(holds).length;
  return {
    role: role.name,
    desired: role.replicas,
    current: size,
    scheduled: count(({ scheduled }) => scheduled),
    ready: count(isReadyUnit),
  };
}

/** Undefined where every role may have all of its units. */
export function scalingState(
  observed: Observed,
  { target }: Pick<GroupPlan, "target">,
): RolloutState | undefined {
  const growing = growingRoles(observed);
  if (growing.length === 0) return undefined;
  const sizes = growing.map(
    ({ role, wanted }) => `${role.name} grows to ${role.replicas} of ${wanted}`,
  );
  const message = [...sizes, ...observed.scaling.waits].join("; ");
  const leftMs = scalingStallsInMs(observed, { target }) ?? Infinity;
  if (leftMs > 0) return { phase: "moving", reason: "Scaling", message };
  const sinceMs = observed.nowMs + leftMs - defaultProgressDeadlineSeconds * 1000;
  const since = `no progress since ${timeText(sinceMs)}`;
  return { phase: "stalled", reason: "ProgressDeadlineExceeded", message: `${since}: ${message}` };
}

const growingRoles = ({ roles }: Observed): readonly ObservedRole[] =>
  roles.filter(({ role, wanted }) => role.replicas < wanted);

/** How long roles may still wait for each other to grow; undefined where none does. */
export function scalingStallsInMs(
  observed: Observed,
  { target }: Pick<GroupPlan, "target">,
): number | undefined {
  const roles = growingRoles(observed);
  if (roles.length === 0) return undefined;
  return stallsInMs(observed, { roles, deadlineSeconds: defaultProgressDeadlineSeconds }, target);
}
