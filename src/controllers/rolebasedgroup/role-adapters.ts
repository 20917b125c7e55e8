/** The adapters of a group's roles: which are made for it, and which sizes they have a say in. Pure. */
import type { DefaultedGroupSpec, DefaultedRole } from "../../api/rbg/defaults.ts";
import { olderFirst } from "../../api/object.ts";
import { labelKeys } from "../../api/rbg/labels.ts";
import { scalingAdapterName } from "../../api/rbg/names.ts";
import type { RoleBasedGroup } from "../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import type { ScalingAdapter } from "../../api/rbg/scaling-adapter.ts";
import { scalingAdapterResource } from "../../api/rbg/scaling-adapter.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { controllerOf, controllerReferenceTo } from "../engine/ownership.ts";
import type { Write } from "../engine/write.ts";
import { createOf, deletesOf } from "../engine/write.ts";

/**
 * Roles with the sizes that adapters ask for; of two for one role the older counts. An adapter writes its size into the
 * group too; whoever applies an older manifest meanwhile must not scale the role in before the adapter has
 * written again.
 */
export function withAdapterSizes(
  spec: DefaultedGroupSpec,
  adapters: readonly ScalingAdapter[],
): DefaultedGroupSpec {
  if (adapters.length === 0) return spec;
  const sorted = adapters.toSorted(olderFirst);
  const roles = spec.roles.map((role) => resized(role, sorted));
  return roles.every((role, index) => role === spec.roles[index]) ? spec : { ...spec, roles };
}

function resized(role: DefaultedRole, adapters: readonly ScalingAdapter[]): DefaultedRole {
  const adapter = adapters.find(({ spec }) => spec.scaleTargetRef.role === role.name);
  const size = adapter?.spec.replicas;
  if (size === undefined || size === role.replicas) return role;
  // A size that the API server has refused is none.
  const isRefused = adapter?.status?.conditions?.some(
    ({ type, status }) => type === "Scaled" && status === "False",
  );
  return isRefused === true ? role : { ...role, replicas: size };
}

/** An adapter for every role that asks for one, and none of ours for the others. */
export function adapterWrites(
  group: RoleBasedGroup,
  roles: readonly DefaultedRole[],
  adapters: readonly ScalingAdapter[],
): readonly Write[] {
  const wanted = new Set(
    roles.filter(({ hasScalingAdapter }) => hasScalingAdapter).map(({ name }) => name),
  );
  const missing = [...wanted].filter(
    (role) => !adapters.some(({ spec }) => spec.scaleTargetRef.role === role),
  );
  const obsolete = adapters.filter(
    (adapter) =>
      controllerOf(adapter)?.uid === group.metadata.uid &&
      !wanted.has(adapter.spec.scaleTargetRef.role),
  );
  return [
    ...missing.map((role) => createOf(scalingAdapterResource, buildAdapter(group, role))),
    ...deletesOf(scalingAdapterResource, obsolete),
  ];
}

function buildAdapter(group: RoleBasedGroup, role: string): ScalingAdapter {
  const { name = "", namespace } = group.metadata;
  return {
    apiVersion: apiVersionOf(scalingAdapterResource),
    kind: scalingAdapterResource.kind,
    metadata: {
      name: scalingAdapterName(name, role),
      namespace,
      labels: { [labelKeys.groupName]: name, [labelKeys.roleName]: role },
      ownerReferences: [controllerReferenceTo(roleBasedGroupResource, group)],
    },
    spec: { scaleTargetRef: { name, role } },
  };
}
