/** PlacementDecisions: which are ours, what they say, and the writes that change them. */
import type { KubeObject } from "../../api/object.ts";
import { ocmLabels } from "../../api/ocm/labels.ts";
import type { Placement, PlacementDecision } from "../../api/ocm/placement.ts";
import {
  clustersOf,
  placementDecisionResource,
  placementNameOf,
  placementResource,
} from "../../api/ocm/placement.ts";
import { apiVersionOf } from "../../api/resource.ts";
import type { DecisionWrite, ObservedDecision, PlannedDecision } from "../../planner/index.ts";
import { decisionNumber } from "../../planner/index.ts";
import { controllerOf, controllerReferenceTo } from "../engine/ownership.ts";
import type { CreateWrite, NameConflictAnswer, PatchWrite, Write } from "../engine/write.ts";
import { keyOfObject, patchOf } from "../engine/write.ts";

type GroupLabels = NonNullable<ObservedDecision["group"]>;

/** Ours, or left behind by a Placement of this name: everything else with our label is somebody else's. */
export function isOurs({ metadata }: Placement, decision: PlacementDecision): boolean {
  const owner = controllerOf(decision);
  if (owner?.uid === metadata.uid) return true;
  const isNumbered =
    decisionNumber(metadata.name ?? "", decision.metadata.name ?? "") !== undefined;
  if (owner === undefined) return isNumbered;
  return isNumbered && owner.kind === placementResource.kind && owner.name === metadata.name;
}

export function observedDecision(
  { metadata }: Placement,
  decision: PlacementDecision,
): ObservedDecision {
  return {
    name: decision.metadata.name ?? "",
    group: groupLabelsOf(metadata.name ?? "", decision),
    clusters: clustersOf(decision),
    isOwned: controllerOf(decision)?.uid === metadata.uid,
  };
}

/** The decision that each cluster belongs to when the change is over. */
export const homesOf = (planned: readonly PlannedDecision[]): ReadonlyMap<string, string> =>
  new Map(planned.flatMap(({ name, clusters }) => clusters.map((each) => [each, name] as const)));

/** Undefined where one of our labels is missing or wrong, so that they are written again. */
function groupLabelsOf(
  placement: string,
  { metadata }: PlacementDecision,
): GroupLabels | undefined {
  const { labels = {} } = metadata;
  const index = labels[ocmLabels.groupIndex] ?? "";
  const name = labels[ocmLabels.groupName];
  const isLabelled = labels[ocmLabels.placement] === placement && name !== undefined;
  return isLabelled && /^\d{1,9}$/.test(index) ? { index: Number(index), name } : undefined;
}

const labelsFor = (placement: string, { index, name }: GroupLabels): Record<string, string> => ({
  [ocmLabels.placement]: placement,
  [ocmLabels.groupIndex]: String(index),
  [ocmLabels.groupName]: name,
});

/** What the planner wants of one decision, as a request. A create takes the list that follows it along. */
export function decisionWrite(
  placement: Placement,
  wanted: DecisionWrite,
  { decisions, listAfterCreate }: WriteContext,
): Write | undefined {
  const { name } = wanted;
  if (wanted.kind === "create") {
    return createWrite(placement, { name, group: wanted.group, clusters: listAfterCreate(name) });
  }
  const found = decisions.get(name);
  // The list of one that is created goes with its creation.
  if (found === undefined) return undefined;
  switch (wanted.kind) {
    case "adopt":
      return metadataWrite(found, {
        ownerReferences: [controllerReferenceTo(placementResource, placement)],
      });
    case "list":
      return listWrite(found, wanted.clusters);
    case "relabel":
      return metadataWrite(found, {
        labels: labelsFor(placement.metadata.name ?? "", wanted.group),
      });
    case "delete":
      return deleteWrite(found);
    default:
      return wanted satisfies never;
  }
}

export interface WriteContext {
  /** As the cache shows them, by name. */
  readonly decisions: ReadonlyMap<string, PlacementDecision>;
  readonly listAfterCreate: (name: string) => readonly string[];
}

interface NewDecision {
  readonly name: string;
  readonly group: GroupLabels;
  readonly clusters: readonly string[];
}

/** The server drops the status of a new object, so the list follows, with the version that the server gave it. */
function createWrite(placement: Placement, { name, group, clusters }: NewDecision): CreateWrite {
  const { namespace, name: placementName = "" } = placement.metadata;
  const object = {
    apiVersion: apiVersionOf(placementDecisionResource),
    kind: placementDecisionResource.kind,
    metadata: {
      name,
      namespace,
      labels: labelsFor(placementName, group),
      ownerReferences: [controllerReferenceTo(placementResource, placement)],
    },
  };
  return {
    verb: "create",
    resource: placementDecisionResource,
    object,
    andThen: (created) => (clusters.length === 0 ? [] : [listWrite(created, clusters)]),
    ifExists: (found) => ifExists(placement, name, found),
  };
}

function ifExists(
  placement: Placement,
  name: string,
  found: KubeObject | undefined,
): NameConflictAnswer {
  // An answer was lost, or the cache is late: the next reconcile finds it there.
  if (found === undefined || (isOurs(placement, found) && isFound(placement, found))) return "wait";
  const { kind, name: owner } = controllerOf(found) ?? {};
  const whose = kind === undefined ? "nobody" : `${kind} ${owner}`;
  return {
    problem:
      `PlacementDecision ${name} exists already and belongs to ${whose}, so it cannot list clusters of ` +
      `${placement.metadata.name}: delete it, or create the Placement under another name`,
  };
}

/** Whether it is seen as one of the Placement's: by its label, or by its owner. */
const isFound = (placement: Placement, decision: PlacementDecision): boolean =>
  isLabelledFor(placement, decision) || controllerOf(decision)?.uid === placement.metadata.uid;

export const isLabelledFor = ({ metadata }: Placement, decision: PlacementDecision): boolean =>
  placementNameOf(decision) === metadata.name;

function listWrite(decision: KubeObject, clusters: readonly string[]): PatchWrite {
  const { uid, resourceVersion } = decision.metadata;
  const decisions = clusters.map((clusterName) => ({ clusterName, reason: "" }));
  const body = { metadata: { uid, resourceVersion }, status: { decisions } };
  const patch = { type: "merge", body } as const;
  return patchOf(placementDecisionResource, decision, { patch, subresource: "status" });
}

function metadataWrite(decision: PlacementDecision, change: object): PatchWrite {
  const { uid, resourceVersion } = decision.metadata;
  const body = { metadata: { uid, resourceVersion, ...change } };
  return patchOf(placementDecisionResource, decision, { patch: { type: "merge", body } });
}

const deleteWrite = (decision: PlacementDecision): Write => ({
  verb: "delete",
  resource: placementDecisionResource,
  key: keyOfObject(decision),
  uid: decision.metadata.uid ?? "",
  ...(decision.metadata.resourceVersion && { resourceVersion: decision.metadata.resourceVersion }),
});
