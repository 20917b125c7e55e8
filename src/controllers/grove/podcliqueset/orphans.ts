/** Which orphans a set adopts: all but members of groups that it has. */
import { controllerRevisionResource } from "../../../api/apps.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import { componentName } from "../../../api/grove/names.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import type { Orphan } from "../../engine/ownership.ts";
import type { Observed } from "./observe.ts";

/** Revisions come last: they record specs that were accepted before the set was there. */
export function orphansFor(observed: Observed): readonly Orphan[] {
  const { replicas, orphanedRevisions } = observed;
  const found = [...replicas].flatMap(([index, { orphans }]) =>
    orphans.filter((orphan) => !isForItsGroup(observed, index, orphan)),
  );
  const resource = controllerRevisionResource;
  return [...found, ...orphanedRevisions.map((object) => ({ resource, object }))];
}

/** A member of a group that the template has is adopted by that group. */
function isForItsGroup(
  { name: set, spec }: Observed,
  setReplica: number,
  { resource, object }: Orphan,
): boolean {
  const group = object.metadata.labels?.[labelKeys.scalingGroup];
  if (resource !== podCliqueResource || group === undefined) return false;
  return spec.template.podCliqueScalingGroups.some(
    ({ name }) => componentName({ set, setReplica, component: name }) === group,
  );
}
