/** PodCliques and PodCliqueScalingGroups: the parts of a PodCliqueSet, shown by themselves. */
import { labelKeys } from "../../api/grove/labels.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import type { PodCliqueSet } from "../../api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../api/grove/podcliqueset.ts";
import { podCliqueResource } from "../../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../../api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../api/grove/scaling-group.ts";
import type { ChildUpdateStrategy } from "../../api/grove/update-strategy.ts";
import type { KubeObject } from "../../api/object.ts";
import { numberLabel } from "../../controllers/grove/set-members.ts";
import type { SetRevision } from "../../controllers/grove/set-revisions.ts";
import { progressOf } from "../counting.ts";
import { inNamespace } from "../commands.ts";
import type { KindView, Related, Subject, ViewedKind } from "../kind.ts";
import { definitionsInstall, listed } from "../kind.ts";
import { revisionParts, revisionView } from "../revisions.ts";
import type { Stated } from "../state.ts";
import { reportedState } from "../state.ts";
import { ownerQuery, stateOfOwner } from "./owner.ts";
import type { Counts, ProgressView, RolloutNode } from "../view.ts";
import { podsOf } from "../view.ts";
import { groveQueries, setNameOf, setRecords, setRevisions } from "./grove-revisions.ts";
import type { GroveObjects } from "./grove-objects.ts";
import { cliqueNameOf, groveObjects } from "./grove-objects.ts";
import { cliqueNode, groupNode, isReplacedWhole, revisionNameOf } from "./grove-tree.ts";
import { releasedIn } from "./pod-clique-set.ts";

const hasSet = ({ metadata }: KubeObject): boolean =>
  metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false;

const partQueries = (part: KubeObject, labels: Readonly<Record<string, string>>) => ({
  ...groveQueries(setNameOf(part), labels),
  ...(hasSet(part) ? ownerQuery(podCliqueSetResource, setNameOf(part)) : {}),
});

export const scalingGroupRollout: ViewedKind = {
  resource: scalingGroupResource,
  word: "podcliquescalinggroup",
  shortNames: ["pcsg"],
  install: definitionsInstall,
  isTopLevel: (object) => !hasSet(object),
  related: (object) =>
    partQueries(object, { [labelKeys.scalingGroup]: object.metadata.name ?? "" }),
  view: (subject) => {
    const { object: group } = subject as Subject<PodCliqueScalingGroup>;
    const node = groupNode(group, objectsOf(subject));
    const { availableReplicas = 0, updatedReplicas = 0 } = group.status ?? {};
    const counts: Counts = {
      unit: "replica",
      desired: group.spec.replicas ?? 1,
      available: servingIn(subject, node) ?? availableReplicas,
      updated: updatedReplicas,
    };
    return partView(subject, { node, counts, update: group.status?.updateProgress });
  },
  revisions: ({ related }) => setRecords(related),
};

export const podCliqueRollout: ViewedKind = {
  resource: podCliqueResource,
  word: "podclique",
  shortNames: ["pclq"],
  install: definitionsInstall,
  isTopLevel: (object) => !hasSet(object),
  related: (object) => partQueries(object, { [labelKeys.podClique]: object.metadata.name ?? "" }),
  view: (subject) => {
    const { object: clique } = subject as Subject<PodClique>;
    const node = cliqueNode(clique, objectsOf(subject));
    const { readyReplicas = 0, updatedReplicas = 0 } = clique.status ?? {};
    const desired = clique.spec.replicas;
    const counts: Counts = {
      unit: "pod",
      desired,
      available: servingIn(subject, node) ?? Math.min(desired, readyReplicas),
      updated: Math.min(desired, updatedReplicas),
    };
    return partView(subject, { node, counts, update: clique.status?.updateProgress });
  },
  revisions: ({ related }) => setRecords(related),
};

const objectsOf = ({ object, related, nowMs }: Subject): GroveObjects =>
  groveObjects(related, { set: setNameOf(object), target: revisionNameOf(object), nowMs });

/** By its pods, where they are known: its own counters may be some seconds old. */
const servingIn = ({ related }: Subject, { counts }: RolloutNode): number | undefined =>
  related["pods"] === undefined ? undefined : counts?.available;

interface Part {
  readonly node: RolloutNode;
  readonly counts: Counts;
  readonly update:
    | { readonly updateStartedAt: string; readonly updateEndedAt?: string }
    | undefined;
}

function partView(subject: Subject, part: Part): KindView {
  const { object, related } = subject;
  const { node, counts } = part;
  const { updateStrategy = {} } = (object as PodClique | PodCliqueScalingGroup).spec;
  const { partition = 0, paused = false, type = "RollingRecreate" } = updateStrategy as Strategy;
  const stated =
    reportedState(object, (object as PodClique).status, part.update?.updateStartedAt) ??
    countedState(counts);
  return {
    ...stated,
    strategy: type,
    isPaused: paused,
    ...(partition > 0 ? { partition } : {}),
    ...revisionParts(currentRevision(subject)?.name, revisionNameOf(object), setRecords(related)),
    counts,
    ...(node.budget === undefined ? {} : { budget: node.budget }),
    progress: progressOfPart(part, stated, { partition, type }),
    nodes: related["pods"] === undefined ? [] : node.children,
    ...(hasSet(object) && !isLeftBehind(subject) ? { steeredBy: setOf(subject) } : {}),
    ...releasedIn([object as PodClique | PodCliqueScalingGroup]),
    notes: hasSet(object) ? [setNote(subject), ...misplacedIn(object)] : [],
  };
}

function setNote(subject: Subject): string {
  const set = `podcliqueset/${setNameOf(subject.object)}`;
  return isLeftBehind(subject)
    ? `it was a part of ${set}, which is gone`
    : `it is a part of ${set}, which steers it`;
}

/** Its set is gone; one of the same name would be another. Where sets may not be read, it is taken to be there. */
function isLeftBehind({ object, related }: Subject): boolean {
  if (related["owner"] === undefined) return false;
  const { uid } =
    object.metadata.ownerReferences?.find(({ kind }) => kind === podCliqueSetResource.kind) ?? {};
  const sets = listed(related, "owner");
  return !sets.some(({ metadata }) => uid === undefined || metadata.uid === uid);
}

/** A set looks for its parts by their replica: what is in none is neither updated nor deleted by it. */
function misplacedIn(object: KubeObject): readonly string[] {
  const label = labelKeys.setReplicaIndex;
  if (numberLabel(object, label) !== undefined) return [];
  const found = JSON.stringify(object.metadata.labels?.[label] ?? "");
  const { name, namespace = "" } = object.metadata;
  const kind = object.kind === podCliqueResource.kind ? "pclq" : "pcsg";
  const command = `kubectl delete ${kind} ${name}${inNamespace({ namespace })}`;
  return [`its set ignores it: its label ${label} is ${found}, which is no replica; ${command}`];
}

function setOf({ object, related }: Subject): NonNullable<KindView["steeredBy"]> {
  const isClique = object.kind === podCliqueResource.kind;
  return {
    word: "podcliqueset",
    name: setNameOf(object),
    ...(isClique ? { component: cliqueNameOf(object as PodClique) } : {}),
    ...wayBack(object, related),
    ...stateOfOwner(related),
  };
}

/** What its set goes back to, where the part is on the target of the set already, or on its way. */
function wayBack(
  part: KubeObject,
  related: Related,
): Pick<NonNullable<KindView["steeredBy"]>, "current"> {
  const [set] = listed(related, "owner") as readonly PodCliqueSet[];
  if (set?.status?.updateRevision !== revisionNameOf(part)) return {};
  const current = revisionView(set?.status?.currentRevision, setRecords(related));
  return current === undefined ? {} : { current };
}

type Strategy = Partial<ChildUpdateStrategy>;

function progressOfPart(
  { node, counts, update }: Part,
  { state }: Stated,
  { partition, type }: { readonly partition: number; readonly type: string },
): ProgressView {
  const total = counts.unit === "pod" ? counts.desired - partition : podsOf([node]).length;
  const isUpdating = state === "Progressing" && update?.updateEndedAt === undefined;
  return progressOf([node], {
    total: Math.max(0, total),
    startedAt: isUpdating ? update?.updateStartedAt : undefined,
    movesWhole: (parent) => parent !== undefined && isReplacedWhole(type, parent),
  });
}

/** The set's revision that it has fully become. */
function currentRevision({ object, related }: Subject): SetRevision | undefined {
  const { currentPodCliqueSetGenerationHash: hash } = (object as PodClique).status ?? {};
  return setRevisions(related).find((revision) => revision.hash === hash);
}

/** Of parts whose controller says nothing in conditions: they follow their set. */
function countedState({ unit, desired, available, updated }: Counts): Stated {
  const isThere = available >= desired && updated >= desired;
  return isThere
    ? {
        state: "Healthy",
        reason: { code: "RolledOut", message: `${counted(desired, unit)} available on the target` },
      }
    : {
        state: "Progressing",
        reason: {
          code: "UnitNotAvailable",
          message: `${available} of ${counted(desired, unit)} available, ${updated} updated`,
        },
      };
}

const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : "s"}`;
