/** Tells what an earlier owner left behind (`--cascade=orphan`) from what only looks like it. */
import { eventReasons } from "../../api/grove/conditions.ts";
import { labelKeys } from "../../api/grove/labels.ts";
import { podHostname } from "../../api/grove/names.ts";
import type { KubeObject } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import type { Resource } from "../../api/resource.ts";
import type { NameConflictTexts } from "../engine/name-conflict.ts";
import { controllerOf } from "../engine/ownership.ts";
import type { Orphan } from "../engine/adopt.ts";
import { numberLabel } from "./set-members.ts";

/** Labels can be copied; only what some PodClique made is part of a set, its own or an earlier one's. */
export const isOfPodClique = (object: KubeObject): boolean =>
  controllerOf(object)?.kind === "PodClique";

/** Labels can be copied, names cannot: what bears its own name in its labels was made for the place it is in. */
export const isNamedInLabels = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.[labelKeys.name] === metadata.name;

const isAdoptable = (object: KubeObject): boolean =>
  controllerOf(object) === undefined && !isTerminating(object) && isNamedInLabels(object);

export const orphansAmong = (
  resource: Resource,
  objects: readonly KubeObject[],
): readonly Orphan[] => objects.filter(isAdoptable).map((object) => ({ resource, object }));

/** A pod bears the name of its place in a clique; a copy of it, made to look into something, has another. */
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
