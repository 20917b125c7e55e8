/** What is to be done about a group now: its revision, how far its roles go, and every write for it. Pure. */
import type { PodTemplate } from "../../api/apps.ts";
import { isReadyUnit } from "../../planner/index.ts";
import type { Planned } from "../engine/reconcile.ts";
import type { WritePlan } from "../engine/write.ts";
import { deletesOf } from "../engine/write.ts";
import type { GroupRevision } from "./group-revisions.ts";
import { chooseRevision, historyWrites } from "./group-revisions.ts";
import type { Observed, ObservedRole } from "./observe.ts";
import { podTemplateOf } from "./pod-template.ts";
import { gangSize } from "./gang-size.ts";
import { podGroupReads } from "./pod-group.ts";
import type { Restarts } from "./restarts.ts";
import { planRestarts } from "./restarts.ts";
import { labelWrites, nextLabelInMs, valuesAtBirth } from "./revision-labels.ts";
import type { Rollout } from "./rollouts.ts";
import { planRollouts } from "./rollouts.ts";
import { adapterWrites } from "./role-adapters.ts";
import { growingRoles } from "./scaling.ts";
import { stallsInMs } from "./stall.ts";
import { supportingWrites } from "./supporting-objects.ts";

export interface GroupPlan extends Planned {
  readonly target: GroupRevision;
  readonly rollouts: readonly Rollout[];
  /** Roles that wait for others before they are started, and for which. */
  readonly waiting: ReadonlyMap<string, readonly string[]>;
  /** Pods that are replaced because a container restarted. */
  readonly restarts: Restarts;
}

export function plan(observed: Observed): GroupPlan {
  const { group, spec, revisions, services, configMap, adapters, obsolete } = observed;
  const { target, record } = chooseRevision(group, spec.roles, revisions);
  const recorded = {
    revisions: [...revisions.filter((each) => each.name !== target.name), target],
  };
  const rollouts = planRollouts(observed, target);
  const waiting = waitingRoles(observed.roles);
  const roleWrites = rollouts.flatMap((rollout) => {
    const paired = valuesAtBirth(rollout, { ...recorded, hashes: target.roleHashes });
    return rollout.roles
      .filter(({ role }) => !waiting.has(role.name))
      .map((role) => ({
        inOrder: workloadWrites(role, rollout, {
          revisions: recorded.revisions,
          target,
          pairedBy: paired[role.role.name] ?? rollout.revision,
          scaledTo: observed.scaling.sizes.get(role.role.name),
        }),
      }));
  });
  const labels = rollouts.flatMap((rollout) =>
    labelWrites(rollout, { ...recorded, hashes: target.roleHashes, nowMs: observed.nowMs }),
  );
  const restarts = planRestarts(observed, target.roleHashes);
  return {
    target,
    rollouts,
    waiting,
    restarts,
    record,
    phases: [
      {
        sideBySide: [
          ...supportingWrites(group, spec.roles, { services, configMap }),
          ...adapterWrites(group, spec.roles, adapters),
          ...podGroupReads({
            group,
            policy: spec.podGroupPolicy,
            minMember: gangSize(observed.roles, waiting),
            configMap,
            templates: observed.roles.flatMap(({ seen }) => seen.template ?? []),
          }),
        ],
      },
      ...restarts.writes,
      { sideBySide: [...roleWrites, ...labels], pace: { atOnce: 32 } },
      { inOrder: obsolete.flatMap(({ resource, objects }) => deletesOf(resource, objects)) },
      { inOrder: historyWrites(revisions, target, (each) => isUsed(each, observed.roles)) },
    ],
    requeueAfterMs: requeueAfterMs(observed, { rollouts, restarts, target }),
  };
}

interface Recorded {
  readonly revisions: readonly GroupRevision[];
  readonly target: GroupRevision;
  readonly pairedBy: string;
  readonly scaledTo: number | undefined;
}

function workloadWrites(
  observed: ObservedRole,
  { decision, policy }: Rollout,
  { revisions, target, pairedBy, scaledTo }: Recorded,
): readonly WritePlan[] {
  const { role, group, seen, workload } = observed;
  const decided = decision?.roles.find((each) => each.role === role.name);
  const templateOf = (revision: string): PodTemplate | undefined => {
    const of = revisions.findLast(({ roleHashes }) => roleHashes[role.name] === revision);
    const recorded = of?.roles.find(({ name }) => name === role.name);
    return recorded && podTemplateOf(group, recorded, revision);
  };
  return workload.writes(observed, seen, {
    revision: target.roleHashes[role.name] ?? "",
    cursor: decided?.cursor.ordinal ?? 0,
    ahead: decided?.cursor.ahead ?? [],
    maxUnavailable: policy.limits[role.name]?.maxUnavailable ?? 1,
    pairedBy,
    ...(scaledTo === undefined ? {} : { scaledTo }),
    templateOf,
  });
}

/** A role is started once the roles that it depends on are ready; what was started is never stopped for that. */
function waitingRoles(roles: readonly ObservedRole[]): ReadonlyMap<string, readonly string[]> {
  const ready = new Set(roles.filter(isRoleReady).map(({ role }) => role.name));
  return new Map(
    roles.flatMap(({ role, seen }) => {
      const unready = role.dependencies.filter((name) => !ready.has(name));
      return seen.exists || unready.length === 0 ? [] : [[role.name, unready] as const];
    }),
  );
}

/** As many of its units are ready as it is to have now; what is surge, or on its way out, need not be. */
export const isRoleReady = ({ role, seen }: ObservedRole): boolean =>
  seen.exists && seen.units.filter(isReadyUnit).length >= role.replicas;

const isUsed = ({ roleHashes }: GroupRevision, roles: readonly ObservedRole[]): boolean =>
  roles.some(({ role, seen }) =>
    seen.pods.some(({ revision }) => revision === roleHashes[role.name]),
  );

/** When time alone changes what is done or said. */
function requeueAfterMs(
  observed: Observed,
  { rollouts, restarts, target }: Pick<GroupPlan, "rollouts" | "restarts" | "target">,
): number | undefined {
  const waiting = [
    ...rollouts.filter(({ decision }) => decision?.kind === "hold"),
    ...growingRoles(observed),
  ];
  const waits = [
    restarts.requeueAfterMs,
    ...rollouts.flatMap((rollout) => [
      rollout.decision?.recheckAfterMs,
      nextLabelInMs(rollout, observed.nowMs),
    ]),
    ...waiting.map((each) => stallsInMs(observed, each, target)).filter((ms) => ms > 0),
  ].filter((ms) => ms !== undefined);
  return waits.length === 0 ? undefined : Math.min(...waits);
}
