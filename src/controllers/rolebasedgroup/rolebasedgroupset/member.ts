/** One group of a set: how it is made from the template, and how it takes over a new one. */
import { labelKeys } from "../../../api/rbg/labels.ts";
import { setMemberName } from "../../../api/rbg/names.ts";
import type { RoleBasedGroup } from "../../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../../api/rbg/rolebasedgroup.ts";
import type { RoleBasedGroupSet } from "../../../api/rbg/rolebasedgroupset.ts";
import { roleBasedGroupSetResource } from "../../../api/rbg/rolebasedgroupset.ts";
import { apiVersionOf } from "../../../api/resource.ts";
import { controllerReferenceTo } from "../../engine/ownership.ts";

/** On a group: the hash of the template that it was last given. */
export const templateHashAnnotation = "lockstep.dev/revision";

export function newMember(set: RoleBasedGroupSet, index: number, revision: string): RoleBasedGroup {
  const { name = "", namespace } = set.metadata;
  return {
    apiVersion: apiVersionOf(roleBasedGroupResource),
    kind: roleBasedGroupResource.kind,
    metadata: {
      name: setMemberName(name, index),
      namespace,
      labels: { [labelKeys.groupSetName]: name, [labelKeys.indexInGroupSet]: String(index) },
      annotations: { [templateHashAnnotation]: revision },
      ownerReferences: [controllerReferenceTo(roleBasedGroupSetResource, set)],
    },
    spec: set.spec.template,
  };
}

/** Labels and annotations of others stay, and so does the size that an autoscaler gave to a role. */
export function updatedMember(
  set: RoleBasedGroupSet,
  group: RoleBasedGroup,
  revision: string,
): RoleBasedGroup {
  const sizes = new Map(group.spec.roles.map(({ name, replicas }) => [name, replicas]));
  const { template } = set.spec;
  const roles = template.roles.map((role) => {
    const size = role.scalingAdapter?.enable === true ? sizes.get(role.name) : undefined;
    return size === undefined ? role : { ...role, replicas: size };
  });
  const { annotations } = group.metadata;
  return {
    ...group,
    metadata: {
      ...group.metadata,
      annotations: { ...annotations, [templateHashAnnotation]: revision },
    },
    spec: { ...template, roles },
  };
}
