/** Roles that are scaled together: how many units each may have now, and in words what the others wait for. Pure. */
import type { ScalingCoordination } from "../../api/rbg/coordination.ts";
import type { DefaultedRole } from "../../api/rbg/defaults.ts";
import type { ScaledRole, ScalingProgression } from "../../planner/index.ts";
import { isReadyUnit, scaleTogether } from "../../planner/index.ts";
import { defaultProgressDeadlineSeconds } from "../engine/progress-deadline.ts";
import type { RolloutState } from "../engine/rollout-conditions.ts";
import type { Observed } from "./observe.ts";
import type { GroupPlan } from "./plan.ts";
import type { ObservedWorkload } from "./role-workload.ts";
import type { Rollout } from "./rollouts.ts";
import { overdue } from "./stall.ts";

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
  const [growing] = growingRoles(observed);
  if (growing === undefined) return undefined;
  const sizes = growing.roles.map(
    ({ role, wanted }) => `${role.name} grows to ${role.replicas} of ${wanted}`,
  );
  const sentence = [...sizes, ...observed.scaling.waits].join("; ");
  const stall = overdue(observed, growing, { sentence, target });
  if (stall !== undefined) return { phase: "stalled", ...stall };
  return { phase: "moving", reason: "Scaling", message: sentence };
}

/** Roles that wait for each other to grow, and how long they may; none where every role has its size. */
export function growingRoles({
  roles,
}: Observed): readonly Pick<Rollout, "roles" | "deadlineSeconds">[] {
  const growing = roles.filter(({ role, wanted }) => role.replicas < wanted);
  if (growing.length === 0) return [];
  return [{ roles: growing, deadlineSeconds: defaultProgressDeadlineSeconds }];
}
