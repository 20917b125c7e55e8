/** Recognizes what an earlier owner left behind (`--cascade=orphan`), and how the grove kinds take it over. */
import { eventReasons } from "../../api/grove/conditions.ts";
import { labelKeys } from "../../api/grove/labels.ts";
import { podHostname } from "../../api/grove/names.ts";
import type { KubeObject } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import type { Resource } from "../../api/resource.ts";
import type { ActionReasons } from "../engine/action-events.ts";
import type { Adoption } from "../engine/reconcile.ts";
import type { NameConflictTexts } from "../engine/name-conflict.ts";
import type { Orphan } from "../engine/ownership.ts";
import { controllerOf } from "../engine/ownership.ts";
import { numberLabel } from "./set-members.ts";

/** Labels can be copied; only pods that some PodClique controls are part of a set, its own or an earlier one's. */
export const isOfPodClique = (object: KubeObject): boolean =>
  controllerOf(object)?.kind === "PodClique";

/** Labels can be copied, names cannot: an object with its own name in its labels was created for its place. */
export const isNamedInLabels = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.[labelKeys.name] === metadata.name;

const isAdoptable = (object: KubeObject): boolean =>
  controllerOf(object) === undefined && !isTerminating(object) && isNamedInLabels(object);

export const orphansAmong = (
  resource: Resource,
  objects: readonly KubeObject[],
): readonly Orphan[] => objects.filter(isAdoptable).map((object) => ({ resource, object }));

/** A pod of a clique has the name of its place; a copy of it, made for debugging, has another. */
export function isOrphanedPod(pod: Pod): boolean {
  const clique = pod.metadata.labels?.[labelKeys.podClique] ?? "";
  const index = numberLabel(pod, labelKeys.podIndex);
  const isInPlace = index !== undefined && pod.metadata.name === podHostname(clique, index);
  return isInPlace && controllerOf(pod) === undefined;
}

/** How the kinds of a PodCliqueSet report an object that has the name of one of theirs. */
export const nameConflicts: NameConflictTexts = {
  reason: eventReasons.nameTaken,
  remedy: "delete it, or give the PodCliqueSet another name",
  isOrphan: (found) => isAdoptable(found),
};

/** How they take over what an earlier owner left behind: the caches show it before anything is decided. */
export const adoptionOf = <O>(orphansOf: (observed: O) => readonly Orphan[]): Adoption<O> => ({
  orphansOf: (observed) => ({ adopt: orphansOf(observed) }),
  goesOn: false,
  reason: eventReasons.adopted,
});

/** The reasons of events about what was done to pods and replicas. */
export const actionReasons: ActionReasons = {
  deleted: eventReasons.podDeleted,
  removed: eventReasons.scalingGroupReplicaDeleted,
  created: eventReasons.podCreated,
  updating: eventReasons.updatingReplica,
};
