/** From what was observed to one decision, and from the decision to writes. Pure. */
import { isTerminating } from "../../../api/object.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
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
import { labelKeys, managedLabels } from "../../../api/grove/labels.ts";
import type { Pod } from "../../../api/pod.ts";
import { isReady, podCondition } from "../../../api/pod.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import { controllerReferenceTo } from "../../engine/ownership.ts";
import { movingSinceMs, progressDeadline } from "../../engine/progress-deadline.ts";
import type { Planned } from "../../engine/reconcile.ts";
import type { WritePlan } from "../../engine/write.ts";
import { createOf, deletesOf, timely, updateOf } from "../../engine/write.ts";
import type { ClaimNeeds } from "../align-claims.ts";
import { holdsAnotherRevision, oldRevisionPodCheck } from "../old-revision-pods.ts";
import { buildPodClique, retemplated } from "../pod-clique-object.ts";
import { claimNeeds } from "./claims.ts";
import { breachedSinceMs, earliest } from "../breach.ts";
import type { CliqueState } from "../clique-state.ts";
import { createdAtMs, templateHash } from "../clique-state.ts";
import { isUnderWay } from "../update-condition.ts";
import type { SetRevision } from "../set-revisions.ts";
import { revisionAnnotation, revisionName } from "../set-revisions.ts";
import type { GroupReplica, Observed } from "./observe.ts";
import { isAvailable } from "./replica-state.ts";
import { scaleInBudget } from "../scale-in-budget.ts";
import { stillDownCheck } from "../still-down.ts";
import { overdueReplicas } from "./gang-termination.ts";
import { partedUnit, unitOf } from "./units.ts";

/** A member clique to be created: in which replica, from which clique of the template, of which revision. */
export interface MemberCreation {
  readonly index: number;
  readonly clique: string;
  readonly revision: SetRevision;
}

export interface Plan extends Planned {
  readonly decision: Decision;
  readonly creations: readonly MemberCreation[];
  /** Indices whose members are deleted because a gang was broken for too long. */
  readonly terminated: readonly number[];
  /** What the replicas share, if anything. */
  readonly claims: ClaimNeeds | undefined;
}

export const desiredReplicas = ({ group }: Pick<Observed, "group">): number =>
  group.spec.replicas ?? 1;

export const strategyOf = ({ group }: Pick<Observed, "group">): ChildUpdateStrategy =>
  group.spec.updateStrategy ?? { type: "RollingRecreate" };

export function policyOf(observed: Observed): Policy {
  const strategy = strategyOf(observed);
  const { type, maxUnavailable, maxSurge, partition } = strategy;
  const desired = desiredReplicas(observed);
  if (type === "OnDelete" || type === "ReplicaRecreate") {
    const budget = scaleInBudget(strategy, desired);
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
  const creations = creationsOf(observed, decision, leaving);
  return {
    decision,
    creations,
    terminated: overdue.indices,
    claims: claimNeeds(observed, creations),
    phases: [
      {
        inOrder: [
          ...downChecks(observed, ordinalsOf(decision, "replace")),
          ...deletionWaves(observed, leaving).map((wave) => ({
            sideBySide: timely(deletesOf(podCliqueResource, wave)),
          })),
        ],
      },
      ...memberWrites(observed, creations, retemplatedMembers(observed, leaving)),
    ],
    requeueAfterMs: earliest([decision.recheckAfterMs, overdue.recheckAfterMs]),
  };
}

const ordinalsOf = (decision: Decision, wanted: string): ReadonlySet<number> =>
  new Set(decision.actions.filter(({ kind }) => kind === wanted).map(({ ordinal }) => ordinal));

/** Replicas that look down are taken without budget, so they must be down. */
function downChecks(observed: Observed, replaced: ReadonlySet<number>): readonly WritePlan[] {
  const { set, setReplica, group } = observed;
  const { name: groupName = "", namespace } = group.metadata;
  const down = observed.replicas.filter(
    (replica) => replaced.has(replica.index) && !isAvailable(replica) && hasMembers(replica),
  );
  return down.map(({ index, members }) =>
    stillDownCheck({
      name: `${groupName}-${index}`,
      namespace,
      labels: {
        ...managedLabels(set.metadata.name ?? ""),
        [labelKeys.setReplicaIndex]: String(setReplica),
        [labelKeys.scalingGroup]: groupName,
        [labelKeys.scalingGroupReplicaIndex]: String(index),
      },
      seen: members.flatMap(({ live }) => live),
    }),
  );
}

/** Members are created one at first: what a quota refuses once, it would refuse for all. */
function memberWrites(
  observed: Observed,
  creations: readonly MemberCreation[],
  updates: readonly PodClique[],
): readonly WritePlan[] {
  const sideBySide = [
    ...creations.map((creation) => createOf(podCliqueResource, memberOf(observed, creation))),
    ...updates.map((member) => updateOf(podCliqueResource, member)),
  ];
  const writes = { sideBySide, pace: { firstBatch: 1 } };
  return creations.length === 0 ? [writes] : [...startChecks(observed), writes];
}

/** Under ReplicaRecreate nothing of another revision may be there when members start, shown by the caches or not. */
function startChecks(observed: Observed): readonly WritePlan[] {
  const { group, set, target, setReplica } = observed;
  if (strategyOf(observed).type !== "ReplicaRecreate") return [];
  // Only in an update can there be anything of another revision; either of the two may be known first.
  const isUpdating =
    isUnderWay(set.status?.updateProgress) || isUnderWay(group.status?.updateProgress);
  if (!isUpdating) return [];
  const { namespace, name = "" } = set.metadata;
  const check = {
    place: { namespace, set: name, index: setReplica, hasGroups: true },
    revision: target,
    mayStartBeside: (left: readonly Pod[]) => left.length === 0,
    isLasting: false,
  };
  return [oldRevisionPodCheck(check)];
}

function memberOf(observed: Observed, { index, clique, revision }: MemberCreation): PodClique {
  const { set, spec, setReplica, group, groupName, minAvailable } = observed;
  const template = spec.template.cliques.find(({ name }) => name === clique);
  return buildPodClique({
    place: {
      set: set.metadata.name ?? "",
      setReplica,
      clique,
      group: { name: groupName, replica: index, minAvailable },
    },
    namespace: group.metadata.namespace,
    spec,
    revision,
    owner: controllerReferenceTo(scalingGroupResource, group),
    replicas: template?.spec.replicas ?? 1,
    // The group replaces its members whole; no member moves its pods by itself.
    updateStrategy: { type: "OnDelete" },
  });
}

/** The members that are the reason go last, so that half a deletion is always seen and finished. */
function deletionWaves(observed: Observed, leaving: ReadonlySet<number>): PodClique[][] {
  const members = observed.replicas
    .filter(({ index }) => leaving.has(index))
    .flatMap((replica) => replica.members);
  const isReason = ({ object, isOutdated }: CliqueState): boolean =>
    isOutdated || breachedSinceMs(object) !== undefined;
  const wave = (isLast: boolean): PodClique[] =>
    members.filter((member) => isReason(member) === isLast).flatMap(({ object }) => object ?? []);
  return [wave(false), wave(true)];
}

function rolloutOf(observed: Observed): Rollout {
  const { group, target } = observed;
  const { paused, progressDeadlineSeconds, onStuck } = strategyOf(observed);
  return {
    name: group.metadata.name ?? "",
    noun: "replica",
    targetRevision: target.name,
    previousRevision: previousRevision(observed)?.name,
    desired: desiredReplicas(observed),
    paused: paused ?? false,
    surgeReleased: isSurgeReleased(observed),
    deadline: progressDeadline(
      progressDeadlineSeconds,
      lastProgressMs(observed),
      onStuck === "ReleaseSurge" ? "ReleaseSurge" : "Wait",
    ),
  };
}

/** The last revision of the whole group: below a partition, lost replicas are created again with it. */
function previousRevision(observed: Observed): SetRevision | undefined {
  const { group, set } = observed;
  const hash = group.status?.currentPodCliqueSetGenerationHash ?? "";
  return observed.revision(revisionName(set.metadata.name ?? "", hash));
}

/** Recorded before the surge is deleted, so that a restarted operator does not bring it back. */
export function isSurgeReleased({ group, target }: Observed): boolean {
  const { podCliqueSetGenerationHash, surgeReleased } = group.status?.updateProgress ?? {};
  return podCliqueSetGenerationHash === target.hash && surgeReleased === true;
}

/** Computed from objects alone, so that a restarted operator knows it too. */
export function lastProgressMs({ replicas, group, nowMs }: Observed): number {
  const started = parseTime(group.status?.updateProgress?.updateStartedAt ?? "") ?? 0;
  const moments = replicas
    .flatMap(({ members }) => members.filter(({ isOutdated }) => !isOutdated))
    .flatMap(({ object, live }) => [
      createdAtMs(object),
      ...live
        .filter(isReady)
        .map((pod) => parseTime(podCondition(pod, "Ready")?.lastTransitionTime ?? "") ?? 0),
    ]);
  const movingMs = movingSinceMs(group.status, nowMs) ?? 0;
  return moments.reduce((a, b) => Math.max(a, b), Math.max(started, createdAtMs(group), movingMs));
}

/** Members that are missing where a replica should be; none while something of another revision is left there. */
function creationsOf(
  observed: Observed,
  decision: Decision,
  leaving: ReadonlySet<number>,
): MemberCreation[] {
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

/**
 * Under ReplicaRecreate the whole replica of the set is one unit: what is old anywhere in it must be gone. Once the
 * group has a new target, its replica is torn down, and nothing is created on the revision that it had.
 */
function mayStart(observed: Observed, revision: SetRevision): boolean {
  if (strategyOf(observed).type !== "ReplicaRecreate") return true;
  const { target, neighbours } = observed;
  return revision.name === target.name && !holdsAnotherRevision(neighbours, target);
}

/** A lost member of a replica that is kept is created again with the revision of its neighbours. */
function revisionFor(observed: Observed, replica: GroupReplica): SetRevision {
  const { target } = observed;
  if (strategyOf(observed).type === "OnDelete") return target;
  const outdated = replica.members.find(
    ({ isOutdated, object }) => isOutdated && object !== undefined,
  );
  const name = outdated?.object?.metadata.annotations?.[revisionAnnotation];
  return (name === undefined ? undefined : observed.revision(name)) ?? target;
}

/** Nothing is created while a pod of an earlier incarnation or of another revision is left in the place. */
function missingMembers(observed: Observed, index: number): readonly string[] {
  const replica = observed.replicas.find((each) => each.index === index);
  if (replica === undefined) return observed.group.spec.cliqueNames;
  const revision = hasMembers(replica) ? unitOf(observed, replica).revision : observed.target.name;
  return partsToCreate(partedUnit(observed, replica), revision);
}

/**
 * Under OnDelete all members get the target at once, those whose template is the same too; their pods stay until
 * somebody deletes them.
 */
function retemplatedMembers(observed: Observed, leaving: ReadonlySet<number>): PodClique[] {
  if (strategyOf(observed).type !== "OnDelete") return [];
  const { target: revision } = observed;
  return observed.replicas
    .filter(({ index }) => !leaving.has(index))
    .flatMap(({ index, members }) =>
      members.flatMap(({ object, clique }) => {
        if (object === undefined || isTerminating(object)) return [];
        if (hasTemplateOf(object, revision, clique)) return [];
        return retemplated(object, memberOf(observed, { index, clique, revision })) ?? [];
      }),
    );
}

const hasTemplateOf = (object: PodClique, revision: SetRevision, clique: string): boolean =>
  templateHash(object) === revision.cliqueHashes[clique] &&
  object.metadata.annotations?.[revisionAnnotation] === revision.name;
