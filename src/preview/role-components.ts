/** What is counted of a RoleBasedGroup: the roles, and what is promised of each. */
import { leaderWorkerSetLabels } from "../api/leader-worker-set.ts";
import type { KubeObject } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import { isRolling } from "../api/rbg/coordination.ts";
import type { DefaultedGroupSpec, DefaultedRole } from "../api/rbg/defaults.ts";
import { withDefaults } from "../api/rbg/defaults.ts";
import { labelKeys } from "../api/rbg/labels.ts";
import { scalingAdapterName } from "../api/rbg/names.ts";
import type { RoleBasedGroup } from "../api/rbg/rolebasedgroup.ts";
import { UserError } from "../api/user-error.ts";
import { podsPerUnit } from "../controllers/rolebasedgroup/gang-size.ts";
import { resolveAmount } from "../planner/percent.ts";
import type { Components, LiveSizes, Place } from "./components.ts";

export function roleComponents(workload: KubeObject, sizes: LiveSizes): Components {
  const { metadata, spec } = workload as unknown as RoleBasedGroup;
  const group = metadata.name ?? "";
  const defaulted = withDefaults(spec);
  const all = defaulted.roles.map((role) => {
    const desired = sizes.get(scalingAdapterName(group, role.name)) ?? role.replicas;
    return {
      name: role.name,
      desired,
      promised: Math.max(0, desired - mayBeDown(defaulted, role, desired)),
      podsPerUnit: podsPerUnit(role),
    };
  });
  return { all, placeOf: (pod) => placeInGroup(group, pod) };
}

function placeInGroup(
  group: string,
  { metadata: { name = "", labels = {} } }: Pod,
): Place | undefined {
  const role = labels[labelKeys.roleName];
  if (labels[labelKeys.groupName] !== group || role === undefined) return undefined;
  return { component: role, unit: labels[leaderWorkerSetLabels.groupIndex] ?? name };
}

/** As the planner resolves it: rounded down; at least one, except where surge stands in for it. */
function mayBeDown({ coordinations }: DefaultedGroupSpec, role: DefaultedRole, desired: number) {
  const coordination = coordinations
    .filter(isRolling)
    .find(({ roles }) => roles.includes(role.name));
  if (coordination !== undefined) {
    return Math.max(1, resolveAmount(coordination.maxUnavailable ?? 1, desired, "down"));
  }
  const { maxUnavailable, maxSurge } = role.rollingUpdate;
  const down = resolveAmount(maxUnavailable, desired, "down");
  const maySurge = role.workload.kind === "Pod" || role.workload.kind === "Deployment";
  const isReplacedBySurge = maySurge && resolveAmount(maxSurge, desired, "up") > 0;
  return isReplacedBySurge ? down : Math.max(1, down);
}

/** Nothing in a copy would make the pods of a LeaderWorkerSet. */
export function refuseForeignWorkloads(workload: KubeObject): void {
  const { roles } = withDefaults((workload as unknown as RoleBasedGroup).spec);
  const foreign = roles.find((role) => role.workload.kind === "LeaderWorkerSet");
  if (foreign === undefined) return;
  throw new UserError({
    problem:
      `role ${foreign.name} is run by a LeaderWorkerSet, whose controller is not part of Lockstep: ` +
      "a copy cannot play it",
    fix:
      `\`lockstep foresee --role ${foreign.name}=${foreign.replicas}\` shows the order of its units; ` +
      "`lockstep plan --from` plays a file in which the role has workload apps/v1 StatefulSet",
  });
}
