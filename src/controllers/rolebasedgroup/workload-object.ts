/** What the objects that run roles have in common, whichever kind they are: names, labels, owner. Pure. */
import type { KubeObject } from "../../api/object.ts";
import { annotationKeys, roleRevisionKey } from "../../api/rbg/labels.ts";
import { workloadName } from "../../api/rbg/names.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import { includesJson } from "../../api/same-json.ts";
import type { Reader } from "../../runtime/reader.ts";
import { controllerOf, controllerReferenceTo } from "../engine/ownership.ts";
import { selectorOf } from "./pod-template.ts";
import type { RolePlace } from "./role-workload.ts";

/** The one of this role, unless it is somebody else's. */
export function ownWorkload<T extends KubeObject>(
  reader: Reader<T>,
  { group, role }: RolePlace,
): T | undefined {
  const { namespace, name = "", uid } = group.metadata;
  const found = reader.get({ namespace, name: workloadName(name, role.name) });
  return found !== undefined && controllerOf(found)?.uid === uid ? found : undefined;
}

/** What its template was made from. */
export const templateRevisionOf = ({ metadata }: KubeObject, { role }: RolePlace) =>
  metadata.labels?.[roleRevisionKey(role.name)];

export function workloadMetadata({ group, role }: RolePlace, revision: string) {
  const { name = "", namespace } = group.metadata;
  return {
    name: workloadName(name, role.name),
    namespace,
    labels: {
      ...role.labels,
      ...selectorOf(group, role.name),
      [roleRevisionKey(role.name)]: revision,
    },
    annotations: { ...role.annotations, [annotationKeys.roleSize]: String(role.replicas) },
    ownerReferences: [controllerReferenceTo(roleBasedGroupResource, group)],
  };
}

/** Others may add labels and annotations; ours have to be there. */
export const hasMetadata = ({ metadata }: KubeObject, wanted: KubeObject["metadata"]): boolean =>
  includesJson(metadata.labels, wanted.labels) &&
  includesJson(metadata.annotations, wanted.annotations);

export const withMetadata = (
  { metadata }: KubeObject,
  wanted: KubeObject["metadata"],
): KubeObject["metadata"] => ({
  ...metadata,
  labels: { ...metadata.labels, ...wanted.labels },
  annotations: { ...metadata.annotations, ...wanted.annotations },
});
