/** Reads the caches into one view of a scaling group: its set, its revision, its replicas and their pods. */
import type { DefaultedSetSpec } from "../../../api/grove/defaults.ts";
import { withDefaults } from "../../../api/grove/defaults.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import { componentName } from "../../../api/grove/names.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import type { PodCliqueSet, PodCliqueSetSpec } from "../../../api/grove/podcliqueset.ts";
import type { PodCliqueScalingGroup } from "../../../api/grove/scaling-group.ts";
import type { ChildUpdateStrategy } from "../../../api/grove/update-strategy.ts";
import type { ObjectKey } from "../../../api/object.ts";
import type { Pod } from "../../../api/pod.ts";
import { keyOf } from "../../../runtime/object-store.ts";
import { lastAccepted, specProblems } from "../accepted-spec.ts";
import type { GroveCaches, GroveReaders } from "../caches.ts";
import type { CliqueState } from "../clique-state.ts";
import { assessClique } from "../clique-state.ts";
import type { Orphan } from "../../engine/ownership.ts";
import { controllerOf } from "../../engine/ownership.ts";
import { isOfPodClique, orphansAmong } from "../orphans.ts";
import {
  numberLabel,
  owningSet,
  podCliqueSetIndex,
  podCliqueSetReplicaIndex,
  podCliqueSetReplicaKeys,
  podsByClique,
} from "../set-members.ts";
import type { SetRevision } from "../set-revisions.ts";
import { parseRevision, revisionAnnotation, sortRevisions } from "../set-revisions.ts";
import { podCliqueName } from "../pod-clique-object.ts";

export type ScalingGroupCaches = Pick<
  GroveCaches,
  "sets" | "groups" | "cliques" | "pods" | "revisions"
>;
export type ScalingGroupReaders = Pick<GroveReaders, keyof ScalingGroupCaches>;

/** One replica of the group: its member cliques in the order of the template. */
export interface GroupReplica {
  readonly index: number;
  readonly members: readonly CliqueState[];
}

export interface Observed {
  readonly nowMs: number;
  readonly group: PodCliqueScalingGroup;
  /** The group's name in the template. */
  readonly groupName: string;
  readonly set: PodCliqueSet;
  readonly spec: DefaultedSetSpec;
  readonly setReplica: number;
  readonly minAvailable: number;
  /** What the group should move to. */
  readonly target: SetRevision;
  /** What the set moves to: another one while the group waits for its turn. */
  readonly newest: SetRevision;
  /** Those of which anything is left, by index. */
  readonly replicas: readonly GroupReplica[];
  /** Members that an earlier group of this name left behind. */
  readonly orphans: readonly Orphan[];
  /** Everything in this replica of the set, other components included. */
  readonly neighbours: readonly (PodClique | Pod)[];
  revision(name: string): SetRevision | undefined;
}

export const desiredReplicas = ({ group }: Pick<Observed, "group">): number =>
  group.spec.replicas ?? 1;

export const strategyOf = ({ group }: Pick<Observed, "group">): ChildUpdateStrategy =>
  group.spec.updateStrategy ?? { type: "RollingRecreate" };

/** Undefined where the group or something it cannot do without is not there (yet). */
export function observe(
  caches: ScalingGroupReaders,
  key: ObjectKey,
  nowMs: number,
): Observed | undefined {
  const group = caches.groups.get(key);
  const set = group === undefined ? undefined : owningSet(caches.sets, group);
  const setReplica =
    group === undefined ? undefined : numberLabel(group, labelKeys.setReplicaIndex);
  if (group === undefined || set === undefined || setReplica === undefined) return undefined;
  const revision = (name: string): SetRevision | undefined => {
    const object = caches.revisions.get({ namespace: key.namespace, name });
    return object === undefined ? undefined : parseRevision(object);
  };
  const target = revision(group.metadata.annotations?.[revisionAnnotation] ?? "");
  if (target === undefined) return undefined;
  const groupName = nameInTemplate(set, setReplica, group);
  if (groupName === undefined) return undefined;
  const [replicaKey = ""] = podCliqueSetReplicaKeys(group);
  const cliques = caches.cliques.byIndex(podCliqueSetReplicaIndex, replicaKey);
  const pods = caches.pods.byIndex(podCliqueSetReplicaIndex, replicaKey).filter(isOfPodClique);
  const known = { nowMs, group, groupName, set, setReplica, target };
  const minAvailable = group.spec.minAvailable ?? 1;
  return {
    ...known,
    spec: withDefaults(specInForce(caches, set)),
    newest: newestRevision(caches, set) ?? target,
    minAvailable,
    replicas: replicasOf({ ...known, minAvailable }, cliques, pods),
    orphans: orphansAmong(
      podCliqueResource,
      cliques.filter(
        ({ metadata }) => metadata.labels?.[labelKeys.scalingGroup] === group.metadata.name,
      ),
    ),
    neighbours: [...cliques, ...pods],
    revision,
  };
}

/** Found by building names, not by taking one apart; undefined for a group that the template does not have. */
function nameInTemplate(
  { metadata, spec }: PodCliqueSet,
  setReplica: number,
  group: PodCliqueScalingGroup,
): string | undefined {
  const set = metadata.name ?? "";
  return spec.template.podCliqueScalingGroups?.find(
    ({ name }) => componentName({ set, setReplica, component: name }) === group.metadata.name,
  )?.name;
}

/** While a spec cannot be followed, the last accepted one stays in force. */
function specInForce(caches: ScalingGroupReaders, set: PodCliqueSet): PodCliqueSetSpec {
  if (specProblems(set).length === 0) return set.spec;
  return lastAccepted(set, newestRevision(caches, set)) ?? set.spec;
}

const newestRevision = (
  { revisions }: ScalingGroupReaders,
  set: PodCliqueSet,
): SetRevision | undefined =>
  sortRevisions(revisions.byIndex(podCliqueSetIndex, keyOf(set))).at(-1);

type Known = Pick<
  Observed,
  "nowMs" | "group" | "groupName" | "set" | "setReplica" | "target" | "minAvailable"
>;

function replicasOf(
  known: Known,
  cliques: readonly PodClique[],
  pods: readonly Pod[],
): GroupReplica[] {
  const { name: groupFullName = "", uid } = known.group.metadata;
  const isMember = ({ metadata }: PodClique | Pod): boolean =>
    metadata.labels?.[labelKeys.scalingGroup] === groupFullName;
  const members = cliques.filter((clique) => isMember(clique) && controllerOf(clique)?.uid === uid);
  const memberPods = pods.filter(isMember);
  const indices = new Set(
    [...members, ...memberPods].flatMap(
      (object) => numberLabel(object, labelKeys.scalingGroupReplicaIndex) ?? [],
    ),
  );
  const byName = new Map(members.map((clique) => [clique.metadata.name, clique]));
  const podsOf = podsByClique(memberPods);
  return [...indices]
    .toSorted((a, b) => a - b)
    .map((index) => ({
      index,
      members: known.group.spec.cliqueNames.map((clique) =>
        assessMember(known, { index, clique, byName, podsOf }),
      ),
    }));
}

interface Member {
  readonly index: number;
  readonly clique: string;
  readonly byName: ReadonlyMap<string | undefined, PodClique>;
  readonly podsOf: ReadonlyMap<string, readonly Pod[]>;
}

function assessMember(known: Known, { index, clique, byName, podsOf }: Member): CliqueState {
  const group = { name: known.groupName, replica: index, minAvailable: known.minAvailable };
  const set = known.set.metadata.name ?? "";
  const name = podCliqueName({ set, setReplica: known.setReplica, clique, group });
  return assessClique({
    clique,
    object: byName.get(name),
    pods: podsOf.get(name) ?? [],
    targetHash: known.target.cliqueHashes[clique] ?? "",
  });
}
