/** Tells what an earlier owner left behind (`--cascade=orphan`) from what only looks like it. */
import { labelKeys } from "../api/grove/labels.ts";
import { podHostname } from "../api/grove/names.ts";
import type { KubeObject } from "../api/object.ts";
import { isGoing } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import type { Resource } from "../api/resource.ts";
import { controllerOf } from "./ownership.ts";
import { numberLabel } from "./set-members.ts";

/** An object that nobody controls and that is there to stay, and what it is. */
export interface Orphan {
  readonly resource: Resource;
  readonly object: KubeObject;
}

/** Labels can be copied, names cannot: what bears its own name in its labels was made for the place it is in. */
export const isNamedInLabels = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.[labelKeys.name] === metadata.name;

export const orphansAmong = (
  resource: Resource,
  objects: readonly KubeObject[],
): readonly Orphan[] =>
  objects
    .filter(
      (object) => controllerOf(object) === undefined && !isGoing(object) && isNamedInLabels(object),
    )
    .map((object) => ({ resource, object }));

/** A pod bears the name of its place in a clique; a copy of it, made to look into something, has another. */
export function isOrphanedPod(pod: Pod): boolean {
  const clique = pod.metadata.labels?.[labelKeys.podClique] ?? "";
  const index = numberLabel(pod, labelKeys.podIndex);
  const isInPlace = index !== undefined && pod.metadata.name === podHostname(clique, index);
  return isInPlace && controllerOf(pod) === undefined;
}
