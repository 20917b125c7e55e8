/** From the state of a set's replicas to what each of them should become, and the writes for it. Pure. */
import { isRolling } from "../../../api/grove/update-strategy.ts";
import type {
  Decision,
  Policy,
  Rollout,
  Snapshot,
  Unit,
  UnitHealth,
} from "../../../planner/index.ts";
import {
  decide,
  nothingRequested,
  onDeletePolicy,
  replicaRecreatePolicy,
  resolveBudget,
} from "../../../planner/index.ts";
import { progressDeadline } from "../../engine/progress-deadline.ts";
import type { Planned } from "../../engine/reconcile.ts";
import type { WritePlan } from "../../engine/write.ts";
import type { ClaimNeeds } from "../align-claims.ts";
import { earliest } from "../../engine/live-reads.ts";
import type { SetRevision } from "../set-revisions.ts";
import { hasLackedRoom } from "../update-condition.ts";
import type { Acceptance } from "./accept.ts";
import { chooseRevision, historyWrites } from "./choose-revision.ts";
import {
  isSurgeReleased,
  lastProgressMs,
  rollbackTarget,
  rollbackWrite,
  surgeReleaseWrites,
} from "./deadline.ts";
import { writesOfReplicas } from "./replica-writes.ts";
import { replicasUnderWay } from "./replicas-under-way.ts";
import type { ReplicaRestarts } from "./gang-termination.ts";
import { overdueReplicas } from "./gang-termination.ts";
import type { ReplicaState } from "./replica-state.ts";
import { assessReplicas } from "./replica-state.ts";
import type { Observed } from "./observe.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import { podCliqueSetLevel, replicasUpTo } from "../claim-sharing.ts";

/**
 * - `keep`: stays on the revision it has; what is lost comes back as it was;
 * - `move`: its components get the target and move in their own ways;
 * - `recreate`: everything of another revision is deleted, then it is created again on the target;
 * - `restart`: its gang was broken for too long, so everything is created again as it was;
 * - `remove`: it is deleted for good.
 */
export type ReplicaAction = "keep" | "move" | "recreate" | "restart" | "remove";

export interface ReplicaPlan {
  readonly index: number;
  readonly action: ReplicaAction;
  /** Undefined where nothing of it exists yet. */
  readonly replica: ReplicaState | undefined;
  /** The name of the revision it starts from, where it does so now. */
  readonly startsFrom?: string;
}

export interface Plan extends Planned {
  readonly target: SetRevision;
  readonly replicas: readonly ReplicaState[];
  readonly decision: Decision;
  readonly replicaPlans: readonly ReplicaPlan[];
  /** Replicas that are being updated to the target, by index. */
  readonly updating: readonly number[];
  readonly overdue: ReplicaRestarts;
  /** The revision that the set is rolled back to now, because its rollout is stuck. */
  readonly rollback: SetRevision | undefined;
  /** What the replicas share, if anything. */
  readonly claims: ClaimNeeds | undefined;
}

export function policyOf({ spec }: Pick<Observed, "spec">): Policy {
  const { type, rollingUpdate = {}, partition = 0 } = spec.updateStrategy;
  if (type === "OnDelete") {
    return onDeletePolicy(spec.replicas, "highestOrdinal");
  }
  if (isRolling(type)) {
    const oneAtATime = { maxUnavailable: 1, maxSurge: 0 };
    return { ...replicaRecreatePolicy(oneAtATime, partition), maxInFlight: 1 };
  }
  return replicaRecreatePolicy(resolveBudget(rollingUpdate, spec.replicas), partition);
}

export function plan(observed: Observed, acceptance: Acceptance): Plan {
  const { target, record } = chooseRevision(observed);
  const decided = decideReplicas(observed, target);
  const { decision, overdue } = decided;
  const rollback = rollbackTarget(observed, decision, acceptance);
  const phases: readonly WritePlan[] =
    rollback === undefined
      ? [
          ...surgeReleaseWrites(decision, target),
          writesOfReplicas(observed, decided),
          ...historyWrites(observed, target),
        ]
      : // Everything else waits for the changed spec.
        [rollbackWrite(observed, rollback)];
  return {
    ...decided,
    rollback,
    claims: rollback === undefined ? claimNeeds(observed, decided) : undefined,
    record,
    phases,
    requeueAfterMs: earliest([decision.recheckAfterMs, overdue.recheckAfterMs]),
  };
}

type Decided = Omit<Plan, keyof Planned | "rollback" | "claims">;

function decideReplicas(observed: Observed, target: SetRevision): Decided {
  const replicas = assessReplicas(observed, target);
  const policy = policyOf(observed);
  const { maxUnavailable } = policy.budget;
  const underWay = replicasUnderWay(observed, target, { replicas, maxUnavailable });
  const snapshot: Snapshot = {
    nowMs: observed.nowMs,
    rollout: rolloutOf(observed, target, replicas),
    units: replicas.map((replica) => unitOf(observed, replica, target, underWay)),
    requested: nothingRequested,
  };
  const decision = decide(snapshot, policy);
  const done = new Set(replicas.filter(({ isComplete }) => isComplete).map(({ index }) => index));
  const chosen = ordinals(decision, "replace");
  const updating = [...new Set([...underWay, ...chosen])]
    .filter((index) => index < observed.spec.replicas && (chosen.has(index) || !done.has(index)))
    .toSorted((a, b) => a - b);
  const overdue = overdueReplicas(observed, replicas, new Set(updating));
  const decided = { target, replicas, decision, updating, overdue };
  return { ...decided, replicaPlans: replicaPlansOf(observed, decided) };
}

const ordinals = (decision: Decision, kind: "create" | "replace" | "delete"): Set<number> =>
  new Set(decision.actions.filter((action) => action.kind === kind).map(({ ordinal }) => ordinal));

function unitOf(
  { name, spec }: Observed,
  replica: ReplicaState,
  target: SetRevision,
  underWay: ReadonlySet<number>,
): Unit {
  const { index, exists, needsUpdate } = replica;
  const isMoving = underWay.has(index) && spec.updateStrategy.type !== "OnDelete";
  const mustBeWhole = isMoving || (index >= spec.replicas && !needsUpdate);
  return {
    name: `${name}-${index}`,
    id: `${name}-${index}`,
    ordinal: index,
    revision: needsUpdate && !isMoving ? "outdated" : target.name,
    health: exists ? healthOf(replica, mustBeWhole) : "terminating",
    scheduled: replica.isScheduled,
    createdAtMs: replica.createdAtMs,
    isServing: exists && mustBeWhole && !replica.isComplete && replica.isAvailable,
  };
}

/** A replica that is being updated is unavailable until it is complete; any other needs only its minimum. */
function healthOf(replica: ReplicaState, mustBeWhole: boolean): UnitHealth {
  if (mustBeWhole ? replica.isComplete : replica.isAvailable) return "available";
  return replica.isBroken ? "unavailable" : "pending";
}

function rolloutOf(
  observed: Observed,
  target: SetRevision,
  replicas: readonly ReplicaState[],
): Rollout {
  const { name, set, spec } = observed;
  const { paused = false, progressDeadlineSeconds, onStuck } = spec.updateStrategy;
  return {
    name,
    noun: "replica",
    targetRevision: target.name,
    previousRevision: set.status?.currentRevision,
    desired: spec.replicas,
    paused,
    surgeReleased: isSurgeReleased(target),
    surgeLackedRoom: hasLackedRoom(set.status),
    deadline: progressDeadline(
      progressDeadlineSeconds,
      lastProgressMs(observed, target, replicas),
      onStuck,
    ),
  };
}

function replicaPlansOf(observed: Observed, decided: Omit<Decided, "replicaPlans">): ReplicaPlan[] {
  const { decision, updating, overdue } = decided;
  const chosen: Chosen = {
    target: decided.target,
    created: new Map(
      decision.actions.flatMap((action) =>
        action.kind === "create" ? [[action.ordinal, action.revision] as const] : [],
      ),
    ),
    deleted: ordinals(decision, "delete"),
    updating: new Set(updating),
    overdue: new Set([...overdue.indices, ...overdue.halfway]),
  };
  const known = new Map(decided.replicas.map((replica) => [replica.index, replica]));
  return [...new Set([...known.keys(), ...chosen.created.keys()])]
    .toSorted((a, b) => a - b)
    .map((index) => {
      const replica = known.get(index);
      const action = actionOf(observed, chosen, index, replica);
      return { index, replica, action, startsFrom: chosen.created.get(index) };
    });
}

/** Replicas by what was decided for them. */
interface Chosen {
  readonly target: SetRevision;
  /** The names of the revisions that they start from. */
  readonly created: ReadonlyMap<number, string>;
  readonly deleted: ReadonlySet<number>;
  readonly updating: ReadonlySet<number>;
  readonly overdue: ReadonlySet<number>;
}

function actionOf(
  { spec }: Observed,
  { created, deleted, updating, overdue, target }: Chosen,
  index: number,
  replica: ReplicaState | undefined,
): ReplicaAction {
  const startsFrom = created.get(index);
  // Below the partition what is lost comes back as it was.
  if (startsFrom !== undefined && startsFrom !== target.name) return "keep";

  if (replica === undefined || startsFrom !== undefined) return "move";
  const isLeaving = !replica.exists && index >= spec.replicas;
  if (deleted.has(index) || isLeaving) return "remove";
  if (overdue.has(index)) return "restart";
  if (spec.updateStrategy.type === "OnDelete" || !replica.needsUpdate) return "move";
  if (!updating.has(index)) return "keep";
  return isRolling(spec.updateStrategy.type) ? "move" : "recreate";
}

/** Undefined where the set itself shares nothing. */
export function claimNeeds(
  { set, name, spec }: Observed,
  { replicaPlans }: Pick<Plan, "replicaPlans">,
): ClaimNeeds | undefined {
  const { template, replicas } = spec;
  if ((template.resourceSharing ?? []).length === 0) return undefined;
  const staying = replicaPlans
    .filter(({ action }) => action !== "remove")
    .map(({ index }) => index);
  return {
    resource: podCliqueSetResource,
    owner: set,
    level: podCliqueSetLevel(name, template),
    templates: template.resourceClaimTemplates,
    // Surge has indices of its own.
    indices: replicasUpTo(replicas, staying),
    leaving: replicaPlans.filter(({ action }) => action === "remove").map(({ index }) => index),
  };
}
