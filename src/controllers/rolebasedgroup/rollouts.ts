/** Asks the planner how far every role may go: roles of one coordination together, each other role on its own. Pure. */
import type { RollingCoordination } from "../../api/rbg/coordination.ts";
import { isRolling } from "../../api/rbg/coordination.ts";
import type {
  CoordinatedRole,
  CoordinationDecision,
  CoordinationPolicy,
} from "../../planner/index.ts";
import { decideCoordination, resolveCoordination } from "../../planner/index.ts";
import { defaultProgressDeadlineSeconds } from "../engine/progress-deadline.ts";
import type { GroupRevision, RoleHashes } from "./group-revisions.ts";
import { sharedHash } from "./group-revisions.ts";
import type { Observed, ObservedRole } from "./observe.ts";
import { stepProgress } from "./promotion.ts";

export interface Rollout {
  /** Of the coordination, or of the role that is on its own. */
  readonly name: string;
  readonly coordination: RollingCoordination | undefined;
  /** What its pods carry in the end, in the label that routers read. */
  readonly revision: string;
  readonly roles: readonly ObservedRole[];
  /** Those that were started. */
  readonly started: readonly ObservedRole[];
  readonly policy: CoordinationPolicy;
  /** Undefined while no role of it was started. */
  readonly decision: CoordinationDecision | undefined;
  readonly deadlineSeconds: number;
}

interface Members {
  readonly name: string;
  readonly coordination: RollingCoordination | undefined;
  readonly roles: readonly ObservedRole[];
}

type Target = Pick<GroupRevision, "name" | "roleHashes">;

export function planRollouts(observed: Observed, target: Target): readonly Rollout[] {
  return membersOf(observed).map((members) => planRollout(observed, target, members));
}

function membersOf({ spec, roles }: Observed): readonly Members[] {
  const together = spec.coordinations.filter(isRolling).map((coordination) => ({
    name: coordination.name,
    coordination,
    roles: roles.filter(({ role }) => coordination.roles.includes(role.name)),
  }));
  const coordinated = new Set(together.flatMap(({ coordination }) => coordination.roles));
  const alone = roles
    .filter(({ role }) => !coordinated.has(role.name))
    .map((role) => ({ name: role.role.name, coordination: undefined, roles: [role] }));
  return [...together, ...alone];
}

/** It has a workload with a cursor. */
const isStarted = ({ seen }: ObservedRole): boolean =>
  seen.exists && !seen.isTerminating && seen.cursor !== undefined;

function planRollout(
  observed: Observed,
  { name: targetName, roleHashes: hashes }: Target,
  members: Members,
): Rollout {
  const { coordination, roles, name } = members;
  const revision = sharedHash(
    Object.fromEntries(roles.map(({ role }) => [role.name, hashes[role.name] ?? ""])),
  );
  const policy = policyOf(members);
  const started = roles.filter(isStarted);
  const inForce = isRollback(observed, roles, revision) ? allTheWayBack(policy) : policy;
  const steps = stepProgress(observed.group, name, revision);
  const decision =
    started.length === 0
      ? undefined
      : decideCoordination(
          {
            nowMs: observed.nowMs,
            targetRevision: revision,
            targetName,
            paused: observed.isPaused || (coordination === undefined && isPausedAlone(roles)),
            roles: started.map((role) => coordinatedRole(role, hashes, revision)),
            ...(steps === undefined ? {} : { steps }),
          },
          isAllNew(started, hashes) ? withoutSteps(inForce) : inForce,
        );
  return {
    name,
    coordination,
    revision,
    roles,
    started,
    policy,
    decision,
    deadlineSeconds: coordination?.progressDeadlineSeconds ?? defaultProgressDeadlineSeconds,
  };
}

/** With nothing outdated there is nothing to pause for: a new group is not promoted step by step. */
const isAllNew = (roles: readonly ObservedRole[], hashes: RoleHashes): boolean =>
  roles.every((each) => isNew(each, hashes[each.role.name]));

/** Pods that are not seen yet may be outdated, unless their workload lets nothing be. */
function isNew({ role, seen }: ObservedRole, hash: string | undefined): boolean {
  if (seen.cursor === 0 && seen.templateRevision === hash) return true;
  const updated = seen.units.filter(
    ({ ordinal, revision }) => ordinal < role.replicas && revision === hash,
  );
  return updated.length === seen.units.length && updated.length >= role.replicas;
}

const withoutSteps = (policy: CoordinationPolicy): CoordinationPolicy =>
  policy.pace.kind === "steps"
    ? { ...policy, pace: { kind: "skew", maxSkewPercent: undefined } }
    : policy;

/** The roles are to be again what was rolled out completely last. */
function isRollback(
  { group, revisions }: Observed,
  roles: readonly ObservedRole[],
  target: string,
): boolean {
  const last = revisions.findLast(({ name }) => name === group.status?.currentRevision);
  const hashes = roles.map(({ role: { name } }) => [name, last?.roleHashes[name] ?? ""] as const);
  return last !== undefined && sharedHash(Object.fromEntries(hashes)) === target;
}

/**
 * Whoever takes a rollout back waits for nobody's consent, and leaves no pod of it behind: what a partition keeps is
 * the revision that was rolled out before, and that is the target itself.
 */
function allTheWayBack({ limits, pace }: CoordinationPolicy): CoordinationPolicy {
  const whole = Object.entries(limits).map(([role, each]) => [role, { ...each, partition: 0 }]);
  const open = { limits: Object.fromEntries(whole), pace };
  if (pace.kind !== "steps") return open;
  const steps = pace.steps.map((step) => ({ ...step, pause: { kind: "none" } as const }));
  return { ...open, pace: { kind: "steps", steps } };
}

const isPausedAlone = (roles: readonly ObservedRole[]): boolean =>
  roles.some(({ role }) => role.rollingUpdate.paused);

/** Roles are compared by one revision that stands for what each of them is to be. */
function coordinatedRole(
  { role, seen }: ObservedRole,
  hashes: RoleHashes,
  target: string,
): CoordinatedRole {
  const hash = hashes[role.name];
  const inCommon = (revision: string): string => (revision === hash ? target : revision);
  return {
    role: role.name,
    desired: role.replicas,
    units: seen.units.map((unit) => ({ ...unit, revision: inCommon(unit.revision) })),
    cursor: {
      revision: inCommon(seen.templateRevision ?? ""),
      ordinal: seen.cursor ?? 0,
      ahead: seen.ahead,
    },
    isTopDownOnly: seen.isTopDownOnly,
    observedRevision: seen.isStatusCurrent ? inCommon(seen.templateRevision ?? "") : undefined,
  };
}

/** Validation has refused what the planner would: it is asked with settings that resolve. */
function policyOf({ coordination, roles }: Members): CoordinationPolicy {
  const desired = Object.fromEntries(roles.map(({ role }) => [role.name, role.replicas]));
  const { partition, maxUnavailable } = roles[0]?.role.rollingUpdate ?? {};
  const amounts = coordination ?? {
    ...(partition === undefined ? {} : { partition }),
    ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
  };
  const resolved = resolveCoordination(amounts, desired);
  if (resolved.kind === "policy") return resolved.policy;
  throw new Error(`${resolved.problem}: ${resolved.fix}`);
}
