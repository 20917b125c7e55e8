/** The members of a scaling group: which are created, deleted and changed for a decision, in their order. Pure. */
import { strategyOf } from "./observe.ts";
import { isTerminating } from "../../../api/object.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import type { Decision } from "../../../planner/index.ts";
import { partsToCreate, resolveBudget } from "../../../planner/index.ts";
import { labelKeys, managedLabels } from "../../../api/grove/labels.ts";
import type { Pod } from "../../../api/pod.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import { controllerReferenceTo } from "../../engine/ownership.ts";
import type { WritePlan } from "../../engine/write.ts";
import { createOf, deletesOf, timely, updateOf } from "../../engine/write.ts";
import type { ClaimNeeds } from "../align-claims.ts";
import { holdsAnotherRevision, oldRevisionPodCheck, stillDownCheck } from "../replica-checks.ts";
import { buildPodClique, retemplated } from "../pod-clique-object.ts";
import { breachedSinceMs } from "../breach.ts";
import type { CliqueState } from "../clique-state.ts";
import { templateHash } from "../clique-state.ts";
import { isUnderWay } from "../update-condition.ts";
import type { SetRevision } from "../set-revisions.ts";
import { revisionAnnotation } from "../set-revisions.ts";
import type { GroupReplica, Observed } from "./observe.ts";
import { isAvailable, partedUnit, unitOf } from "./replica-state.ts";
import { groupLevel, replicasUpTo } from "../claim-sharing.ts";

/** A member clique to be created: in which replica, from which clique of the template, of which revision. */
export interface MemberCreation {
  readonly index: number;
  readonly clique: string;
  readonly revision: SetRevision;
}

interface Leaving {
  readonly decision: Decision;
  /** Indices of the replicas that go. */
  readonly leaving: ReadonlySet<number>;
  /** With the surge that the strategy has now. */
  readonly mostReplicas: number;
}

export const groupWrites = (
  observed: Observed,
  { decision, leaving }: Pick<Leaving, "decision" | "leaving">,
  creations: readonly MemberCreation[],
): readonly WritePlan[] => [
  {
    inOrder: [
      ...downChecks(observed, ordinalsOf(decision, "replace")),
      ...deletionWaves(observed, leaving).map((wave) => ({
        sideBySide: timely(deletesOf(podCliqueResource, wave)),
      })),
    ],
  },
  ...memberWrites(observed, creations, retemplatedMembers(observed, leaving)),
];

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

/** Members that are missing where a replica should be; none while something of another revision is left there. */
export function creationsOf(
  observed: Observed,
  { decision, leaving, mostReplicas }: Leaving,
): MemberCreation[] {
  if (isScaledAway(observed)) return [];
  const created = decision.actions.flatMap((action) => (action.kind === "create" ? action : []));
  const kept = observed.replicas.filter(
    (replica) => replica.index < mostReplicas && !leaving.has(replica.index) && hasMembers(replica),
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

/** The set has fewer replicas by now, and is about to delete this one. */
function isScaledAway({ spec: { replicas, updateStrategy }, setReplica }: Observed): boolean {
  const { type, rollingUpdate = {} } = updateStrategy;
  const hasSurge = type === "ReplicaRecreate";
  const maxSurge = hasSurge ? resolveBudget(rollingUpdate, replicas).maxSurge : 0;
  return setReplica >= replicas + maxSurge;
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

/** Undefined where the group itself shares nothing. */
export function claimNeeds(
  { group, groupName, set, spec, setReplica, replicas }: Observed,
  creations: readonly MemberCreation[],
): ClaimNeeds | undefined {
  const { podCliqueScalingGroups, resourceClaimTemplates } = spec.template;
  const template = podCliqueScalingGroups.find(({ name }) => name === groupName);
  if (template === undefined || (template.resourceSharing ?? []).length === 0) return undefined;
  return {
    resource: scalingGroupResource,
    owner: group,
    level: groupLevel({ set: set.metadata.name ?? "", setReplica }, template),
    templates: resourceClaimTemplates,
    indices: replicasUpTo(
      group.spec.replicas ?? 1,
      creations.map(({ index }) => index),
    ),
    leaving: replicas.map(({ index }) => index),
  };
}
