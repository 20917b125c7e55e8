/** From how a set's replicas stand to what each of them should become. Pure. */
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
  replicaRecreatePolicy,
  resolveBudget,
} from "../../../planner/index.ts";
import type { SetRevision } from "../set-revisions.ts";
import { isSurgeReleased, lastProgressMs } from "./deadline.ts";
import type { Overdue } from "./gang-termination.ts";
import { overdueReplicas } from "./gang-termination.ts";
import type { ReplicaState } from "./replica-state.ts";
import { assessReplicas } from "./replica-state.ts";
import type { Observed } from "./observe.ts";

/**
 * - `keep`: stays on the revision it has; what is lost comes back as it was;
 * - `move`: its components are told of the target and move in their own ways;
 * - `recreate`: everything of another revision is deleted, then it starts anew on the target;
 * - `restart`: its gang was broken for too long, so everything starts anew as it was;
 * - `remove`: it goes for good.
 */
export type ReplicaAim = "keep" | "move" | "recreate" | "restart" | "remove";

export interface ReplicaPlan {
  readonly index: number;
  readonly aim: ReplicaAim;
  /** Undefined where nothing of it exists yet. */
  readonly replica: ReplicaState | undefined;
  /** The name of the revision it starts from, where it does so now. */
  readonly born?: string;
}

export interface Plan {
  readonly target: SetRevision;
  readonly replicas: readonly ReplicaState[];
  readonly decision: Decision;
  readonly aims: readonly ReplicaPlan[];
  /** Replicas on their way to the target, by index. */
  readonly updating: readonly number[];
  readonly overdue: Overdue;
}

export const desiredReplicas = ({ spec }: Pick<Observed, "spec">): number => spec.replicas;

export function policyOf({ spec }: Pick<Observed, "spec">): Policy {
  const { type, rollingUpdate = {}, partition = 0 } = spec.updateStrategy;
  if (type === "OnDelete") {
    const budget = { maxUnavailable: spec.replicas, maxSurge: 0 };
    return { kind: "onDelete", budget, pacing: "parallel", scaleIn: "highestOrdinal" };
  }
  if (isRolling(type)) {
    const oneAtATime = { maxUnavailable: 1, maxSurge: 0 };
    return { ...replicaRecreatePolicy(oneAtATime, partition), maxInFlight: 1 };
  }
  return replicaRecreatePolicy(resolveBudget(rollingUpdate, spec.replicas), partition);
}

export function plan(observed: Observed, target: SetRevision): Plan {
  const replicas = assessReplicas(observed, target);
  const underWay = replicasUnderWay(observed, target);
  const snapshot: Snapshot = {
    nowMs: observed.nowMs,
    rollout: rolloutOf(observed, target, replicas),
    units: replicas.map((replica) => unitOf(observed, replica, target, underWay)),
    requested: nothingRequested,
  };
  const decision = decide(snapshot, policyOf(observed));
  const done = new Set(replicas.filter(({ isComplete }) => isComplete).map(({ index }) => index));
  const chosen = ordinals(decision, "replace");
  const updating = [...new Set([...underWay, ...chosen])]
    .filter((index) => index < observed.spec.replicas && (chosen.has(index) || !done.has(index)))
    .toSorted((a, b) => a - b);
  const overdue = overdueReplicas(observed, replicas, new Set(updating));
  const planned = { target, replicas, decision, updating, overdue };
  return { ...planned, aims: aimsOf(observed, planned) };
}

/** What an earlier pass chose and wrote down, if it was for this very target. */
function replicasUnderWay({ set, spec }: Observed, target: SetRevision): ReadonlySet<number> {
  const { currentGenerationHash, updateProgress } = set.status ?? {};
  const isSame = currentGenerationHash === target.hash;
  if (!isSame || spec.updateStrategy.type === "OnDelete") return new Set();
  return new Set((updateProgress?.currentlyUpdating ?? []).map(({ replicaIndex }) => replicaIndex));
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
  const isSurge = index >= spec.replicas;
  return {
    name: `${name}-${index}`,
    id: `${name}-${index}`,
    ordinal: index,
    revision: needsUpdate && !isMoving ? "outdated" : target.name,
    health: exists ? healthOf(replica, isMoving || (isSurge && !needsUpdate)) : "terminating",
    scheduled: replica.isScheduled,
    createdAtMs: replica.createdAtMs,
  };
}

/** A replica on its way counts as down until it is whole; one at rest serves with what it must have. */
function healthOf(replica: ReplicaState, mustBeWhole: boolean): UnitHealth {
  if (mustBeWhole ? replica.isComplete : replica.isAvailable) return "available";
  return replica.troubles.length > 0 ? "unavailable" : "pending";
}

function rolloutOf(
  observed: Observed,
  target: SetRevision,
  replicas: readonly ReplicaState[],
): Rollout {
  const { name, set, spec } = observed;
  const { paused = false, progressDeadlineSeconds, onStuck = "Wait" } = spec.updateStrategy;
  return {
    name,
    targetRevision: target.name,
    previousRevision: set.status?.currentRevision,
    desired: spec.replicas,
    paused,
    surgeReleased: isSurgeReleased(target),
    ...(progressDeadlineSeconds === undefined
      ? {}
      : {
          deadline: {
            afterMs: progressDeadlineSeconds * 1000,
            lastProgressAtMs: lastProgressMs(observed, target, replicas),
            onStuck,
          },
        }),
  };
}

type Planned = Omit<Plan, "aims">;

function aimsOf(observed: Observed, planned: Planned): ReplicaPlan[] {
  const { decision, updating, overdue } = planned;
  const chosen: Chosen = {
    created: new Map(
      decision.actions.flatMap((action) =>
        action.kind === "create" ? [[action.ordinal, action.revision] as const] : [],
      ),
    ),
    deleted: ordinals(decision, "delete"),
    updating: new Set(updating),
    overdue: new Set([...overdue.indices, ...overdue.halfway]),
  };
  const known = new Map(planned.replicas.map((replica) => [replica.index, replica]));
  return [...new Set([...known.keys(), ...chosen.created.keys()])]
    .toSorted((a, b) => a - b)
    .map((index) => {
      const replica = known.get(index);
      const aim = aimOf(observed, { ...chosen, target: planned.target }, index, replica);
      return { index, replica, aim, born: chosen.created.get(index) };
    });
}

/** Replicas by what was decided for them. */
interface Chosen {
  /** The names of the revisions that they start from. */
  readonly created: ReadonlyMap<number, string>;
  readonly deleted: ReadonlySet<number>;
  readonly updating: ReadonlySet<number>;
  readonly overdue: ReadonlySet<number>;
}

function aimOf(
  { spec }: Observed,
  { created, deleted, updating, overdue, target }: Chosen & Pick<Plan, "target">,
  index: number,
  replica: ReplicaState | undefined,
): ReplicaAim {
  const born = created.get(index);
  // Below the partition what is lost comes back as it was.
  if (born !== undefined && born !== target.name) return "keep";

  if (replica === undefined || born !== undefined) return "move";
  const isLeaving = !replica.exists && index >= spec.replicas;
  if (deleted.has(index) || isLeaving) return "remove";
  if (overdue.has(index)) return "restart";
  if (spec.updateStrategy.type === "OnDelete" || !replica.needsUpdate) return "move";
  if (!updating.has(index)) return "keep";
  return isRolling(spec.updateStrategy.type) ? "move" : "recreate";
}
