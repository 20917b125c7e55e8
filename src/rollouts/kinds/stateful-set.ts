/** StatefulSets: rolled by Lockstep in full or assist mode, or by the cluster's own controller. */
import type { StatefulSet } from "../../api/apps.ts";
import { controllerRevisionResource, statefulSetResource } from "../../api/apps.ts";
import type { KubeObject } from "../../api/object.ts";
import { podResource } from "../../api/pod.ts";
import { labelKeys } from "../../api/rbg/labels.ts";
import { selectorText } from "../../api/grove/labels.ts";
import { annotationNames, readOverrides } from "../../controllers/statefulset/annotations.ts";
import {
  assistPolicy,
  desiredReplicas,
  fullPolicy,
  isOnDelete,
} from "../../controllers/statefulset/policy.ts";
import { templateOf } from "../../controllers/statefulset/revisions.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import { byOrdinal, isServing, progressOf } from "../counting.ts";
import type { KindView, Subject, ViewedKind } from "../kind.ts";
import { listed } from "../kind.ts";
import { podNode } from "../pod-node.ts";
import type { RevisionRecord } from "../revisions.ts";
import { oldestFirst, recordOf, revisionParts, revisionView } from "../revisions.ts";
import type { Stated } from "../state.ts";
import { availableThen, reportedState } from "../state.ts";
import { ownerQuery, stateOfOwner } from "./owner.ts";
import type { BudgetView, Counts, RolloutNode } from "../view.ts";
import { shownOnly } from "../view.ts";

const revisionLabel = "controller-revision-hash";

export const statefulSetRollout: ViewedKind = {
  resource: statefulSetResource,
  word: "statefulset",
  shortNames: ["sts"],
  // A set that another controller made (a RoleBasedGroup, for example) is steered through its owner.
  isTopLevel: ({ metadata }) => metadata.ownerReferences?.some(isController) !== true,
  rolloutOf: ({ metadata }) =>
    metadata.ownerReferences?.find((owner) => isController(owner) && owner.kind === "StatefulSet")
      ?.name,
  // Beside the cluster's own controller only those are paced that ask for it.
  isRunBy: (object, { statefulSetMode }) => {
    const mode = modeOf(object as StatefulSet);
    return mode === "assist" || mode === statefulSetMode;
  },
  related: (object) => {
    const group = groupOf(object);
    const labelSelector = selectorText((object as StatefulSet).spec.selector?.matchLabels ?? {});
    return {
      pods: { resource: podResource, labelSelector },
      revisions: { resource: controllerRevisionResource, labelSelector },
      ...(group === undefined ? {} : ownerQuery(roleBasedGroupResource, group.name)),
    };
  },
  view: (subject) => viewOf(subject as Subject<StatefulSet>),
  revisions: revisionsOf,
};

const isController = ({ controller }: { readonly controller?: boolean }): boolean =>
  controller === true;

/** The group that the set is a role of; undefined for one that stands alone, or belongs to something else. */
export const groupOf = ({ metadata }: KubeObject): KindView["steeredBy"] => {
  const group = metadata.ownerReferences?.find(
    (owner) => isController(owner) && owner.kind === "RoleBasedGroup",
  );
  if (group === undefined) return undefined;
  const component = metadata.labels?.[labelKeys.roleName];
  return {
    word: "rolebasedgroup",
    name: group.name,
    numbersRevisionsApart: true,
    ...(component === undefined ? {} : { component }),
  };
};

function revisionsOf({
  object,
  related,
}: Pick<Subject, "object" | "related">): readonly RevisionRecord[] {
  return listed(related, "revisions")
    .filter((revision) => isOwnedBy(revision, object))
    .map((revision) => recordOf(revision, templateOf(revision)))
    .toSorted(oldestFirst);
}

const isOwnedBy = ({ metadata }: KubeObject, owner: KubeObject): boolean =>
  metadata.ownerReferences?.some(
    ({ controller, uid }) => controller === true && uid === owner.metadata.uid,
  ) ?? false;

/** Whether Lockstep rolls it out, and how; `none` where the cluster's own controller does. */
export function modeOf(set: StatefulSet): "full" | "assist" | "none" {
  const isPaced = set.metadata.annotations?.[annotationNames.maxUnavailable] !== undefined;
  if (isOnDelete(set) && isPaced) return "assist";
  const reports = set.status?.conditions?.some(({ type }) => type === "Progressing") ?? false;
  return reports ? "full" : "none";
}

function viewOf(subject: Subject<StatefulSet>): KindView {
  const { object: set, related } = subject;
  const { status, spec } = set;
  const records = revisionsOf(subject);
  const mode = modeOf(set);
  const nodes = podNodes(subject, records);
  const target = records.find(({ name }) => name === status?.updateRevision);
  const stated = reportedState(set, status, target?.createdAt) ?? countedState(set);
  const desired = desiredReplicas(set);
  const isRest = stated.state !== "Progressing" && stated.state !== "Stalled";
  const partition = policyOf(set).kind === "rolling" ? partitionOf(set) : 0;
  const steeredBy = groupOf(set);
  const counts = countsOf(subject, nodes);
  const progress = progressOf(nodes, {
    total: Math.max(0, desired - partition),
    startedAt: isRest ? undefined : stated.since,
  });
  return {
    ...stated,
    strategy: strategyText(set, mode),
    isPaused: readOverrides(set).paused,
    ...(partition > 0 ? { partition } : {}),
    ...revisionParts(currentRevision(set, nodes, records), status?.updateRevision, records),
    counts,
    budget: budgetOf(set, counts),
    progress: { ...progress, done: Math.min(progress.done, counts.available, counts.updated) },
    nodes,
    ...(steeredBy === undefined ? {} : { steeredBy: { ...steeredBy, ...stateOfOwner(related) } }),
    notes: notesOf(set, mode),
    ...(spec.replicas === 0 && stated.state === "Healthy" ? { reason: scaledToNothing } : {}),
  };
}

/**
 * Under OnDelete the controller of a cluster never moves `currentRevision` (kubernetes#73492). Then it is what most of
 * the outdated pods are of, the latest of several; where none is outdated, it is the target.
 */
function currentRevision(
  set: StatefulSet,
  pods: readonly RolloutNode[],
  records: readonly RevisionRecord[],
): string | undefined {
  const { currentRevision: reported, updateRevision } = set.status ?? {};
  if (!isOnDelete(set) || pods.length === 0) return reported;
  if (pods.every(({ isUpdated }) => isUpdated === true)) return updateRevision;
  const outdated = pods.filter(({ isUpdated }) => isUpdated !== true);
  const podsOn = (name: string): number =>
    outdated.filter(({ revision }) => revision?.name === name).length;
  const [most] = records.toSorted((a, b) => podsOn(b.name) - podsOn(a.name) || b.number - a.number);
  return most !== undefined && podsOn(most.name) > 0 ? most.name : reported;
}

/** What served when the status said what it waits for; by the pods where it does not say, and they are known. */
function countsOf(
  { object: set, related }: Subject<StatefulSet>,
  nodes: readonly RolloutNode[],
): Counts {
  const desired = desiredReplicas(set);
  const {
    readyReplicas = 0,
    availableReplicas = readyReplicas,
    updatedReplicas = 0,
  } = set.status ?? {};
  const counted =
    related["pods"] === undefined ? availableReplicas : nodes.filter(isServing).length;
  const serving = availableThen(set.status) ?? counted;
  return {
    unit: "pod",
    desired,
    available: Math.min(desired, serving),
    updated: Math.min(desired, updatedReplicas),
  };
}

const scaledToNothing = { code: "RolledOut", message: "no pods are desired" };

const policyOf = (set: StatefulSet) =>
  modeOf(set) === "assist"
    ? assistPolicy(set, readOverrides(set))
    : fullPolicy(set, readOverrides(set));

export function partitionOf(set: StatefulSet): number {
  if (modeOf(set) === "assist") return readOverrides(set).partition ?? 0;
  return set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
}

function budgetOf(set: StatefulSet, { desired, available }: Counts): BudgetView {
  const { budget, kind } = policyOf(set);
  // Under OnDelete nobody but the user deletes anything.
  const allowed = kind === "rolling" ? Math.min(desired, budget.maxUnavailable) : 0;
  return {
    unavailable: { used: desired - available, allowed },
    surge: { used: 0, allowed: 0 },
  };
}

function podNodes(
  { object: set, related, nowMs }: Subject<StatefulSet>,
  records: readonly RevisionRecord[],
): readonly RolloutNode[] {
  const { minReadySeconds = 0 } = set.spec;
  const target = set.status?.updateRevision;
  return listed(related, "pods")
    .filter((pod) => isOwnedBy(pod, set))
    .map((pod) => {
      const revision = pod.metadata.labels?.[revisionLabel];
      const place = {
        ordinal: Number(/-([0-9]+)$/.exec(pod.metadata.name ?? "")?.[1] ?? 0),
        isUpdated: revision !== undefined && revision === target,
        minReadySeconds,
        revision: revisionView(revision, records),
      };
      return podNode(pod, place, nowMs);
    })
    .toSorted(byOrdinal);
}

function strategyText(set: StatefulSet, mode: ReturnType<typeof modeOf>): string {
  const { podManagementPolicy = "OrderedReady", updateStrategy } = set.spec;
  const type = updateStrategy?.type ?? "RollingUpdate";
  return `${type}, ${podManagementPolicy}${mode === "assist" ? ", paced by Lockstep" : ""}`;
}

function notesOf(set: StatefulSet, mode: ReturnType<typeof modeOf>): readonly string[] {
  const group = groupOf(set);
  return [
    ...(mode === "none" ? [shownOnly] : []),
    ...(group === undefined
      ? []
      : [`it is a role of rolebasedgroup/${group.name}, which steers it`]),
    ...readOverrides(set).problems,
  ];
}

/** What `kubectl rollout status` would conclude, for sets that Lockstep does not report on. */
function countedState(set: StatefulSet): Stated {
  const desired = desiredReplicas(set);
  const { readyReplicas: ready = 0, updatedReplicas = 0, availableReplicas } = set.status ?? {};
  const { currentRevision, updateRevision } = set.status ?? {};
  const serving = Math.min(ready, availableReplicas ?? ready);
  // The current revision advances once all pods are updated; the counter restarts then on some versions.
  const updated =
    currentRevision === updateRevision ? Math.max(updatedReplicas, ready) : updatedReplicas;
  const kept = isOnDelete(set) ? desired : partitionOf(set);
  if (serving < desired) {
    const message = `${serving} of ${desired} pods are available`;
    return { state: "Progressing", reason: { code: "UnitNotAvailable", message } };
  }
  if (updated < desired - kept) {
    const message = `${updated} of ${desired - kept} pods are updated`;
    return { state: "Progressing", reason: { code: "Replacing", message } };
  }
  if (updated >= desired) {
    const message = `${desired} pods are available on ${updateRevision ?? "its revision"}`;
    return { state: "Healthy", reason: { code: "RolledOut", message } };
  }
  const left = desired - updated;
  if (isOnDelete(set)) {
    const message = `${left} outdated pods remain until you delete them`;
    return { state: "AwaitingDelete", reason: { code: "OutdatedLeftToDelete", message } };
  }
  const message = `partition ${kept} keeps ${left} pods on another revision`;
  return { state: "AtPartition", reason: { code: "PartitionReached", message } };
}
