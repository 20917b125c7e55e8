/** From what was observed to one decision, and from the decision to writes. Pure. */
import { isTerminating } from "../../../api/object.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { ChildUpdateStrategy } from "../../../api/grove/update-strategy.ts";
import { parseTime } from "../../../api/time-text.ts";
import type { Decision, Policy, Rollout, Snapshot } from "../../../planner/index.ts";
import {
  decide,
  nothingRequested,
  partsToCreate,
  resolveBudget,
  scalingGroupPolicy,
} from "../../../planner/index.ts";
import { breachedSinceMs } from "../breach.ts";
import type { CliqueState } from "../clique-state.ts";
import { createdAtMs, templateHash } from "../clique-state.ts";
import { isReady, podCondition } from "../../../api/pod.ts";
import { holdsAnotherRevision } from "../replica-revision.ts";
import type { SetRevision } from "../set-revisions.ts";
import { revisionAnnotation, revisionName } from "../set-revisions.ts";
import type { GroupReplica, Observed } from "./observe.ts";
import { overdueReplicas } from "./gang-termination.ts";
import { partedUnit, unitOf } from "./units.ts";

/** A member to be made: which replica, which clique, from what. */
export interface Birth {
  readonly index: number;
  readonly clique: string;
  readonly revision: SetRevision;
}

export interface Plan {
  readonly decision: Decision;
  readonly births: readonly Birth[];
  /** Members whose template changes in place. */
  readonly patches: readonly Birth[];
  /** One wave after the other: why a replica goes, goes last, so that half a deletion is always seen and finished. */
  readonly deletes: readonly (readonly PodClique[])[];
  /** Indices whose members go because a gang was broken for too long. */
  readonly terminated: readonly number[];
  readonly terminateInMs: number | undefined;
}

export const desiredReplicas = ({ group }: Pick<Observed, "group">): number =>
  group.spec.replicas ?? 1;

export const strategyOf = ({ group }: Pick<Observed, "group">): ChildUpdateStrategy =>
  group.spec.updateStrategy ?? { type: "RollingRecreate" };

export function policyOf(observed: Observed): Policy {
  const { type, maxUnavailable, maxSurge, partition } = strategyOf(observed);
  const desired = desiredReplicas(observed);
  if (type === "OnDelete" || type === "ReplicaRecreate") {
    const budget = { maxUnavailable: desired, maxSurge: 0 };
    return { kind: "onDelete", budget, pacing: "parallel", scaleIn: "highestOrdinal" };
  }
  return scalingGroupPolicy(resolveBudget({ maxUnavailable, maxSurge }, desired), partition ?? 0);
}

export function plan(observed: Observed): Plan {
  const snapshot: Snapshot = {
    nowMs: observed.nowMs,
    rollout: rolloutOf(observed),
    units: observed.replicas.map((replica) => unitOf(observed, replica)),
    requested: nothingRequested,
  };
  const decision = decide(snapshot, policyOf(observed));
  const overdue = overdueReplicas(observed);
  const leaving = new Set([
    ...decision.actions.filter(({ kind }) => kind !== "create").map(({ ordinal }) => ordinal),
    ...overdue.indices,
  ]);
  return {
    decision,
    births: birthsOf(observed, decision, leaving),
    patches: patchesOf(observed, leaving),
    deletes: deletesOf(observed, leaving),
    terminated: overdue.indices,
    terminateInMs: overdue.recheckAfterMs,
  };
}

function deletesOf(observed: Observed, leaving: ReadonlySet<number>): PodClique[][] {
  const members = observed.replicas
    .filter(({ index }) => leaving.has(index))
    .flatMap((replica) => replica.members);
  const isReason = ({ object, isOutdated }: CliqueState): boolean =>
    isOutdated || breachedSinceMs(object) !== undefined;
  const wave = (isLast: boolean): PodClique[] =>
    members
      .filter((member) => isReason(member) === isLast)
      .flatMap(({ object }) => object ?? [])
      .filter((object) => !isTerminating(object));
  return [wave(false), wave(true)];
}

function rolloutOf(observed: Observed): Rollout {
  const { group, target } = observed;
  const { paused, progressDeadlineSeconds } = strategyOf(observed);
  return {
    name: group.metadata.name ?? "",
    targetRevision: target.name,
    previousRevision: previousRevision(observed)?.name,
    desired: desiredReplicas(observed),
    paused: paused ?? false,
    surgeReleased: isSurgeReleased(observed),
    ...(progressDeadlineSeconds === undefined
      ? {}
      : {
          deadline: {
            afterMs: progressDeadlineSeconds * 1000,
            lastProgressAtMs: lastProgressMs(observed),
            onStuck: strategyOf(observed).onStuck === "ReleaseSurge" ? "ReleaseSurge" : "Wait",
          },
        }),
  };
}

/** What the whole group has been last: below a partition that is what a lost replica comes back as. */
function previousRevision(observed: Observed): SetRevision | undefined {
  const { group, set } = observed;
  const hash = group.status?.currentPodCliqueSetGenerationHash ?? "";
  return observed.revision(revisionName(set.metadata.name ?? "", hash));
}

/** Written down before the surge goes, so that a restarted operator does not bring it back. */
export function isSurgeReleased({ group, target }: Observed): boolean {
  const { podCliqueSetGenerationHash, surgeReleased } = group.status?.updateProgress ?? {};
  return podCliqueSetGenerationHash === target.hash && surgeReleased === true;
}

/** Told by the objects alone, so that a restarted operator knows it too. */
export function lastProgressMs({ replicas, group }: Observed): number {
  const started = parseTime(group.status?.updateProgress?.updateStartedAt ?? "") ?? 0;
  const moments = replicas
    .flatMap(({ members }) => members.filter(({ isOutdated }) => !isOutdated))
    .flatMap(({ object, live }) => [
      createdAtMs(object),
      ...live
        .filter(isReady)
        .map((pod) => parseTime(podCondition(pod, "Ready")?.lastTransitionTime ?? "") ?? 0),
    ]);
  return moments.reduce((a, b) => Math.max(a, b), Math.max(started, createdAtMs(group)));
}

/** Members that are missing where a replica should be; none while something of another revision is left there. */
function birthsOf(observed: Observed, decision: Decision, leaving: ReadonlySet<number>): Birth[] {
  const created = decision.actions.flatMap((action) => (action.kind === "create" ? action : []));
  const kept = observed.replicas.filter(
    (replica) => !leaving.has(replica.index) && hasMembers(replica),
  );
  const wanted = [
    ...created.map(({ ordinal, revision }) => ({
      ordinal,
      revision: observed.revision(revision) ?? observed.target,
    })),
    ...kept.map((replica) => ({
      ordinal: replica.index,
      revision: revisionFor(observed, replica),
    })),
  ];
  return wanted
    .toSorted((a, b) => a.ordinal - b.ordinal)
    .filter(({ revision }) => mayStart(observed, revision))
    .flatMap(({ ordinal, revision }) =>
      missingMembers(observed, ordinal).map((clique) => ({
        index: ordinal,
        clique,
        revision,
      })),
    );
}

const hasMembers = ({ members }: GroupReplica): boolean =>
  members.some(({ object }) => object !== undefined && !isTerminating(object));

/** Under ReplicaRecreate the whole replica of the set is one unit: what is old anywhere in it must be gone. */
function mayStart(observed: Observed, revision: SetRevision): boolean {
  if (strategyOf(observed).type !== "ReplicaRecreate") return true;
  return !holdsAnotherRevision(observed.neighbours, revision);
}

/** A lost member of a replica that is kept comes back as what its neighbours are. */
function revisionFor(observed: Observed, replica: GroupReplica): SetRevision {
  const { target } = observed;
  if (strategyOf(observed).type === "OnDelete") return target;
  const outdated = replica.members.find(
    ({ isOutdated, object }) => isOutdated && object !== undefined,
  );
  const name = outdated?.object?.metadata.annotations?.[revisionAnnotation];
  return (name === undefined ? undefined : observed.revision(name)) ?? target;
}

/** Nothing starts while a pod of an earlier incarnation or of another revision is left in the place. */
function missingMembers(observed: Observed, index: number): readonly string[] {
  const replica = observed.replicas.find((each) => each.index === index);
  if (replica === undefined) return observed.group.spec.cliqueNames;
  const revision = hasMembers(replica) ? unitOf(observed, replica).revision : observed.target.name;
  return partsToCreate(partedUnit(observed, replica), revision);
}

/** Under OnDelete the members are told of the new template at once; their pods stay until somebody deletes them. */
function patchesOf(observed: Observed, leaving: ReadonlySet<number>): Birth[] {
  if (strategyOf(observed).type !== "OnDelete") return [];
  return observed.replicas
    .filter(({ index }) => !leaving.has(index))
    .flatMap(({ index, members }) =>
      members
        .filter(({ object, clique }) => {
          if (object === undefined || isTerminating(object)) return false;
          return templateHash(object) !== observed.target.cliqueHashes[clique];
        })
        .map(({ clique }) => ({ index, clique, revision: observed.target })),
    );
}
