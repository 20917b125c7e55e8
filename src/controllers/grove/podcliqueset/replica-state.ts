/** The state of a set's replicas: which are outdated, which are available, which are complete on the target. */
import { isTerminating } from "../../../api/object.ts";
import type { DefaultedScalingGroup, DefaultedSetSpec } from "../../../api/grove/defaults.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import { componentName, memberName } from "../../../api/grove/names.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../../../api/grove/scaling-group.ts";
import { isRolling } from "../../../api/grove/update-strategy.ts";
import type { Pod } from "../../../api/pod.ts";
import type { CliqueState } from "../clique-state.ts";
import { cliqueHealth, createdAtMs, isComplete, assessClique } from "../clique-state.ts";
import { memoizeByIdentity } from "../../engine/memoize.ts";
import { numberLabel, podsByClique } from "../set-members.ts";
import type { SetRevision } from "../set-revisions.ts";
import { revisionAnnotation } from "../set-revisions.ts";
import type { Observed } from "./observe.ts";
import type { ReplicaObjects } from "./replica-objects.ts";
import type { ObsoleteComponent } from "./obsolete-components.ts";
import {
  earlierRevision,
  hasCliques,
  isOfEarlierShape,
  obsoleteComponentsOf,
} from "./obsolete-components.ts";

export interface GroupState {
  readonly template: DefaultedScalingGroup;
  readonly object: PodCliqueScalingGroup | undefined;
  readonly desired: number;
  /** Members by replica of the group; only those of which anything is left. */
  readonly replicas: ReadonlyMap<number, readonly CliqueState[]>;
}

export interface ReplicaState {
  readonly index: number;
  readonly standalone: readonly CliqueState[];
  readonly groups: readonly GroupState[];
  readonly cliques: readonly PodClique[];
  readonly pods: readonly Pod[];
  /** What the template has no place for. */
  readonly obsolete: readonly ObsoleteComponent[];
  /** Something of it is not terminating. */
  readonly exists: boolean;
  /** Something in it should be of another revision, partitions apart. */
  readonly needsUpdate: boolean;
  readonly isAvailable: boolean;
  /** Whole on the target, as far as partitions let it. */
  readonly isComplete: boolean;
  readonly isScheduled: boolean;
  readonly createdAtMs: number;
  /** Some pod of it is broken. */
  readonly isBroken: boolean;
  /** What keeps its pods from serving, each with the pod's name, the gravest first. */
  readonly causes: readonly string[];
  /** Components that their own partition keeps on another revision, in words. */
  readonly heldBack: readonly string[];
}

export function assessReplicas(
  { spec, replicas, revisions }: Pick<Observed, "spec" | "replicas" | "revisions">,
  target: SetRevision,
): ReplicaState[] {
  return [...replicas.values()]
    .filter(({ groups, cliques, pods }) => groups.length + cliques.length + pods.length > 0)
    .map((objects) => assessReplica(objects, spec, target, revisions));
}

export function standaloneCliques({ template }: DefaultedSetSpec): readonly string[] {
  const members = new Set(
    template.podCliqueScalingGroups.flatMap(({ cliqueNames }) => cliqueNames),
  );
  return template.cliques.map(({ name }) => name).filter((name) => !members.has(name));
}

const assessReplica = memoizeByIdentity(
  (
    objects: ReplicaObjects,
    spec: DefaultedSetSpec,
    target: SetRevision,
    revisions: readonly SetRevision[],
  ): ReplicaState => {
    const { set, index, cliques, pods } = objects;
    const view: View = {
      objects,
      target,
      revision: earlierRevision(objects, revisions, target) ?? target,
      obsolete: obsoleteComponentsOf(objects, spec),
      byName: new Map(cliques.map((clique) => [clique.metadata.name ?? "", clique])),
      podsOf: podsByClique(pods),
    };
    const standalone = standaloneCliques(spec).map((clique) =>
      assessNamed(view, clique, componentName({ set, setReplica: index, component: clique })),
    );
    const groups = spec.template.podCliqueScalingGroups.map((group) => assessGroup(view, group));
    return {
      index,
      standalone,
      groups,
      cliques,
      pods,
      obsolete: view.obsolete,
      ...summaryOf(view, spec, standalone, groups),
    };
  },
);

interface View {
  readonly objects: ReplicaObjects;
  readonly target: SetRevision;
  /** What it was made from. */
  readonly revision: SetRevision;
  readonly obsolete: readonly ObsoleteComponent[];
  readonly byName: ReadonlyMap<string, PodClique>;
  readonly podsOf: ReadonlyMap<string, readonly Pod[]>;
}

function summaryOf(
  { objects: { cliques, groups: groupObjects }, target, revision, obsolete }: View,
  spec: DefaultedSetSpec,
  standalone: readonly CliqueState[],
  groups: readonly GroupState[],
) {
  const members = groups.flatMap(({ replicas }) => [...replicas.values()].flat());
  const all = [...standalone, ...members];
  const objects = [...cliques, ...groupObjects];
  const partitions = partitionsOf(spec);
  // A replica of an earlier shape serves with what it has until its turn comes.
  const isMissed = (names: readonly string[]): boolean =>
    !isOfEarlierShape({ obsolete }) && hasCliques(revision, names);
  return {
    exists: objects.some(({ metadata }) => metadata.deletionTimestamp === undefined),
    needsUpdate:
      isOfEarlierShape({ obsolete }) ||
      standalone.some((clique) => isBehind(clique, target, partitions(clique.clique))) ||
      groups.some((group) => isGroupBehind(group, target, partitions(group.template.name))),
    isAvailable:
      standalone
        .filter(({ clique, object }) => object !== undefined || isMissed([clique]))
        .every((clique) => cliqueHealth(clique, false) === "available") &&
      groups
        .filter(({ template, object }) => object !== undefined || isMissed(template.cliqueNames))
        .every((group) => isGroupAvailable(group, ({ clique }) => isMissed([clique]))),
    isComplete:
      obsolete.length === 0 &&
      standalone.every((clique) => isWhole(clique, partitions(clique.clique))) &&
      groups.every((group) => isGroupWhole(group, target, partitions(group.template.name))),
    isScheduled: all.some(({ scheduled }) => scheduled > 0),
    createdAtMs: createdAtMs(objects.toSorted((a, b) => createdAtMs(a) - createdAtMs(b))[0]),
    isBroken: all.some(({ trouble }) => trouble !== undefined),
    causes: all.flatMap(({ causes }) => causes),
    heldBack: [
      ...standalone.flatMap((clique) => heldBackPods(clique, partitions(clique.clique))),
      ...groups.flatMap((group) => heldBackReplicas(group, partitions(group.template.name))),
    ],
  };
}

function assessNamed(view: View, clique: string, name: string): CliqueState {
  return assessClique({
    clique,
    object: view.byName.get(name),
    pods: view.podsOf.get(name) ?? [],
    targetHash: view.target.cliqueHashes[clique] ?? "",
  });
}

function assessGroup(view: View, template: DefaultedScalingGroup): GroupState {
  const { set, index } = view.objects;
  const name = componentName({ set, setReplica: index, component: template.name });
  const object = view.objects.groups.find(({ metadata }) => metadata.name === name);
  const objects = [...view.byName.values(), ...[...view.podsOf.values()].flat()];
  const indices = new Set(
    objects
      .filter(({ metadata }) => metadata.labels?.[labelKeys.scalingGroup] === name)
      .flatMap((each) => numberLabel(each, labelKeys.scalingGroupReplicaIndex) ?? []),
  );
  const place = { set, setReplica: index, group: template.name };
  const members = (groupReplica: number): CliqueState[] =>
    template.cliqueNames.map((clique) =>
      assessNamed(view, clique, memberName({ ...place, groupReplica, clique })),
    );
  return {
    template,
    object,
    desired: object?.spec.replicas ?? template.replicas,
    replicas: new Map([...indices].toSorted((a, b) => a - b).map((each) => [each, members(each)])),
  };
}

/** How many of the lowest units of a component keep their revision. */
function partitionsOf(spec: DefaultedSetSpec): (component: string) => number {
  if (!isRolling(spec.updateStrategy.type)) return () => 0;
  const { cliques, podCliqueScalingGroups } = spec.template;
  const partitions = new Map(
    [...cliques, ...podCliqueScalingGroups].map(({ name, updateStrategy }) => [
      name,
      updateStrategy?.partition ?? 0,
    ]),
  );
  return (component) => partitions.get(component) ?? 0;
}

const isLive = ({ object }: CliqueState): boolean => object !== undefined && !isTerminating(object);

export const hasOtherTarget = (
  object: PodClique | PodCliqueScalingGroup | undefined,
  target: SetRevision,
): boolean =>
  object !== undefined && object.metadata.annotations?.[revisionAnnotation] !== target.name;

function isBehind(state: CliqueState, target: SetRevision, partition: number): boolean {
  if (!isLive(state)) return false;
  return hasOtherTarget(state.object, target) || state.live.length - state.updated > partition;
}

function isGroupBehind(group: GroupState, target: SetRevision, partition: number): boolean {
  if (hasOtherTarget(group.object, target)) return true;
  return [...group.replicas].some(
    ([index, members]) =>
      index >= partition && members.some((member) => isLive(member) && member.isOutdated),
  );
}

function heldBackPods(state: CliqueState, partition: number): string[] {
  const { object, live, updated, replicas } = state;
  const isHeld = partition > 0 && isLive(state) && live.length > updated;
  return isHeld
    ? [`${object?.metadata.name} ${updated} of ${replicas} updated, partition ${partition}`]
    : [];
}

function heldBackReplicas({ object, desired, replicas }: GroupState, partition: number): string[] {
  const isOld = (members: readonly CliqueState[]): boolean =>
    members.some((member) => isLive(member) && member.isOutdated);
  const held = [...replicas].filter(([index, members]) => index < partition && isOld(members));
  if (object === undefined || held.length === 0) return [];
  const updated = desired - [...replicas.values()].filter(isOld).length;
  return [`${object.metadata.name} ${updated} of ${desired} updated, partition ${partition}`];
}

/** Members that are not there count where they are missed; without any a replica of a group does not serve. */
function isGroupAvailable(
  { object, template, desired, replicas }: GroupState,
  isMissed: (member: CliqueState) => boolean,
): boolean {
  if (object === undefined) return false;
  const serving = [...replicas].filter(([index, members]) => {
    const needed = members.filter((member) => member.object !== undefined || isMissed(member));
    const isServing = needed.every((member) => cliqueHealth(member, false) === "available");
    return index < desired && needed.length > 0 && isServing;
  });
  return serving.length >= Math.min(template.minAvailable, desired);
}

function isWhole(state: CliqueState, partition: number): boolean {
  if (partition === 0) return isComplete(state);
  const { live, ready, replicas, updated, beyond } = state;
  const isFull = live.length === replicas && ready === replicas && beyond === 0;
  return isLive(state) && isFull && updated >= replicas - partition;
}

/** One that was given another target is not: it may be taking the replicas that look whole this very moment. */
function isGroupWhole(
  { object, desired, replicas }: GroupState,
  target: SetRevision,
  partition: number,
): boolean {
  if (object === undefined || hasOtherTarget(object, target)) return false;
  if (replicas.size !== desired) return false;
  return [...replicas].every(([index, members]) => {
    if (index >= desired) return false;
    return members.every((member) =>
      index >= partition ? isComplete(member) : cliqueHealth(member, false) === "available",
    );
  });
}
