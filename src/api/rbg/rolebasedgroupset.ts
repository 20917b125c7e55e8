/** RoleBasedGroupSet: a number of RoleBasedGroups made from one template. */
import type { z } from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import type { groupSetSpec, groupSetStatus } from "./schema/rolebasedgroupset.ts";

export const roleBasedGroupSetResource: Resource = {
  group: "workloads.x-k8s.io",
  version: "v1alpha1",
  plural: "rolebasedgroupsets",
  kind: "RoleBasedGroupSet",
  namespaced: true,
};

export type RoleBasedGroupSetSpec = DeepReadonly<z.input<typeof groupSetSpec>>;
export type RoleBasedGroupSetStatus = DeepReadonly<z.input<typeof groupSetStatus>>;

export interface RoleBasedGroupSet extends KubeObject {
  readonly spec: RoleBasedGroupSetSpec;
  readonly status?: RoleBasedGroupSetStatus;
}
