/** The objects of a PodCliqueSet as a tree: replica, scaling group, group replica, clique, pod. Pure. */
import { labelKeys } from "../../api/grove/labels.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../../api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../api/grove/scaling-group.ts";
import type { ChildUpdateStrategy } from "../../api/grove/update-strategy.ts";
import { isRolling } from "../../api/grove/update-strategy.ts";
import type { KubeObject } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import { mostParts } from "../../api/size-limit.ts";
import { heldBackReason } from "../../controllers/grove/clique-state.ts";
import type { SetRevision } from "../../controllers/grove/set-revisions.ts";
import { revisionAnnotation } from "../../controllers/grove/set-revisions.ts";
import { resolveBudget } from "../../planner/percent.ts";
import type { BudgetUnit } from "../counting.ts";
import { byOrdinal, gauges, healthOfAll, isServing, podUnit, servingCount } from "../counting.ts";
import { podNode } from "../pod-node.ts";
import type { BudgetView, NodeHealth, RevisionView, RolloutNode } from "../view.ts";
import type { GroveObjects } from "./grove-objects.ts";
import { cliqueNameOf, label, numberOf, replicaOf } from "./grove-objects.ts";
import { unitsOfGroup } from "./grove-units.ts";

/** A size that the operator refuses is not drawn: what exists is. */
const placesOf = (desired: number): readonly number[] =>
  Array.from({ length: desired > mostParts ? 0 : desired }, (_, index) => index);

/** One node for each replica of the set that exists or should. */
export function replicaNodes(
  objects: GroveObjects,
  desired: number,
  units: readonly BudgetUnit[],
): readonly RolloutNode[] {
  const indices = new Set(placesOf(desired));
  for (const object of [...objects.cliques, ...objects.groups]) indices.add(replicaOf(object));
  const serving = namesOfServing(units);
  return [...indices]
    .toSorted((a, b) => a - b)
    .map((index) => {
      const children = [
        ...objects.standaloneOf(index).map((clique) => cliqueNode(clique, objects)),
        ...objects.groupsOf(index).map((group) => groupNode(group, objects)),
      ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const name = `${objects.set}-${index}`;
      return parentNode(
        { kind: "Replica", name, label: `replica ${index}`, ordinal: index },
        { children, isSurge: index >= desired, serves: serving.has(name) },
      );
    });
}

const namesOfServing = (units: readonly BudgetUnit[]): ReadonlySet<string> =>
  new Set(units.filter(({ serves }) => serves).map(({ name }) => name));

export function groupNode(group: PodCliqueScalingGroup, objects: GroveObjects): RolloutNode {
  const { name = "" } = group.metadata;
  const desired = group.spec.replicas ?? 1;
  const members = objects.membersOf(name);
  const units = unitsOfGroup(group, objects);
  const serving = namesOfServing(units);
  const indices = new Set(placesOf(desired));
  for (const member of members) indices.add(numberOf(member, labelKeys.scalingGroupReplicaIndex));
  const children = [...indices]
    .toSorted((a, b) => a - b)
    .map((index) => {
      const cliques = members
        .filter((member) => numberOf(member, labelKeys.scalingGroupReplicaIndex) === index)
        .map((member) => cliqueNode(member, objects))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const place = {
        kind: "Replica",
        name: `${name}-${index}`,
        label: `replica ${index}`,
        ordinal: index,
      };
      const isSurge = index >= desired;
      return parentNode(place, { children: cliques, isSurge, serves: serving.has(place.name) });
    });
  return parentNode(
    { kind: scalingGroupResource.kind, name, label: shortName(group, objects.set) },
    {
      children,
      object: group,
      budget: budgetOf(group.spec.updateStrategy, desired, units),
      counts: {
        ...countsOf("replica", desired, children),
        available: servingCount(desired, units),
      },
    },
  );
}

/** Whether the children of a node are replaced whole: the replicas of a scaling group, unless users delete its pods. */
export const isReplacedWhole = (strategy: string, { kind }: RolloutNode): boolean =>
  kind === scalingGroupResource.kind && strategy !== "OnDelete";

export function cliqueNode(clique: PodClique, objects: GroveObjects): RolloutNode {
  const { name = "" } = clique.metadata;
  const template = cliqueNameOf(clique);
  const { replicas: desired } = clique.spec;
  const children = objects
    .podsOf(name)
    .map((pod) => {
      const hash = label(pod, labelKeys.podTemplateHash);
      const ordinal = numberOf(pod, labelKeys.podIndex);
      const place = {
        ordinal,
        isUpdated: hash === targetHash(clique, template, objects),
        isSurge: ordinal >= desired,
        revision: revisionOfHash(hash, template, objects),
        heldBack: heldBackReason(clique),
      };
      return podNode(pod, place, objects.nowMs);
    })
    .toSorted(byOrdinal);
  const isMember = label(clique, labelKeys.scalingGroup) !== "";
  return parentNode(
    { kind: "PodClique", name, label: template },
    {
      children,
      object: clique,
      ...(isMember
        ? {}
        : { budget: budgetOf(clique.spec.updateStrategy, desired, children.map(podUnit)) }),
      counts: countsOf("pod", desired, children),
      desired,
    },
  );
}

/** Without a recorded target the clique's own template is all that its pods can be compared with. */
const targetHash = (clique: PodClique, template: string, { target }: GroveObjects): string =>
  target?.cliqueHashes[template] ?? label(clique, labelKeys.podTemplateHash);

/** Several revisions of a set may have the same clique: the target if it does, otherwise the newest. */
function revisionOfHash(
  hash: string,
  template: string,
  { target, revisions }: GroveObjects,
): RevisionView | undefined {
  const has = ({ cliqueHashes }: SetRevision): boolean => cliqueHashes[template] === hash;
  const found = target !== undefined && has(target) ? target : revisions.findLast(has);
  return found === undefined ? undefined : { name: found.name, number: found.number };
}

interface Parent {
  readonly children: readonly RolloutNode[];
  readonly isSurge?: boolean;
  readonly serves?: boolean;
  readonly object?: PodClique | PodCliqueScalingGroup;
  readonly budget?: BudgetView;
  readonly counts?: RolloutNode["counts"];
  /** How many children there should be, where a missing one has no node. */
  readonly desired?: number;
}

function parentNode(
  place: Pick<RolloutNode, "kind" | "name" | "label" | "ordinal">,
  { children, isSurge = false, serves = false, object, budget, counts, desired = 0 }: Parent,
): RolloutNode {
  const revisions = new Set(children.map(({ revision }) => revision?.name));
  const [first] = children;
  const createdAt = object?.metadata.creationTimestamp;
  const health = parentHealth(object, children, desired);
  return {
    ...place,
    ...(revisions.size === 1 && first?.revision !== undefined ? { revision: first.revision } : {}),
    ...(children.length === 0
      ? {}
      : { isUpdated: children.every(({ isUpdated }) => isUpdated === true) }),
    ...(isSurge ? { isSurge } : {}),
    health,
    ...(serves && health !== "available" ? { serves } : {}),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(counts === undefined ? {} : { counts }),
    ...(budget === undefined ? {} : { budget }),
    children,
  };
}

function parentHealth(
  object: KubeObject | undefined,
  children: readonly RolloutNode[],
  desired: number,
): NodeHealth {
  if (object !== undefined && isTerminating(object)) return "terminating";
  if (desired === 0 && children.length === 0 && object !== undefined) return "available";
  const health = healthOfAll(children);
  return health === "available" && children.length < desired ? "partial" : health;
}

function countsOf(
  unit: string,
  desired: number,
  children: readonly RolloutNode[],
): NonNullable<RolloutNode["counts"]> {
  const serving = children.filter(isServing);
  const updated = serving.filter(
    ({ isUpdated, isSurge }) => isUpdated === true && isSurge !== true,
  );
  return { unit, desired, available: Math.min(desired, serving.length), updated: updated.length };
}

/** Undefined where the owner replaces it as a whole. */
function budgetOf(
  strategy: ChildUpdateStrategy | undefined,
  desired: number,
  units: readonly BudgetUnit[],
): BudgetView | undefined {
  if (!isRolling(strategy?.type)) return undefined;
  return gauges(resolveBudget(strategy ?? {}, desired), desired, units);
}

/** `chat-0-prefill` -> `prefill`. */
function shortName({ metadata }: PodCliqueScalingGroup, set: string): string {
  const { name = "" } = metadata;
  const prefix = `${set}-${metadata.labels?.[labelKeys.setReplicaIndex] ?? ""}-`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** The revision that an object was made from or should move to. */
export const revisionNameOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.annotations?.[revisionAnnotation];
